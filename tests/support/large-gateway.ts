import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  MyTokensDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../packages/client/src/generated/graphql.ts';
import { openStorage } from '../../src/app/storage.ts';
import { run as runStorageSweep } from '../../src/cli/sweep.ts';
import { configOn, settingsOf } from '../documents/support/aftermath.ts';
import { admin, adminReading } from './admin-command.ts';
import { type Authenticated, authenticated, refused, registeredDoctor, succeeded } from './expectations.ts';
import { execute, graphqlApi } from './graphql-api.ts';
import { send } from './http.ts';
import { accountId, fillDatabase } from './large-database.ts';
import { importAccount, importToken, sanctumSecret } from './legacy.ts';
import { changed, newOperator, OPERATOR_API, opened, operate, operated } from './operators.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from './people.ts';
import { closeErasers, deleteAccount, exportData, openEraser } from './privacy.ts';
import { collectOutputs } from './program.ts';
import { mailSettings, resetCodeOf } from './reset-codes.ts';
import { restApi } from './rest-api.ts';
import {
  decide,
  doctorsOf,
  newDoctor,
  newRejectedDoctor,
  newReviewer,
  openDoctor,
  resubmit,
} from './reviews.ts';
import { introspect, SERVICES } from './services.ts';
import { bearer, tokenIdOf } from './session.ts';
import { afterSums, createTestApp, letMailsBeSent, type TestApp, testClock } from './test-app.ts';

/** A gateway with a large database. */
export interface LargeGateway {
  app: TestApp;
  /** A patient with far more tokens and events than anybody else. */
  owner: Authenticated & { person: ReturnType<typeof aPatient> };
  /** Has acted on thousands of accounts. */
  reviewer: Authenticated;
}

/** Something that a gateway or its operators do. */
export type Act = (gateway: LargeGateway) => Promise<void>;

const HOUR_MILLIS = 3_600_000;

/** With all that a gateway counts, so that it sends all of its queries. */
const SETTINGS = {
  ...SERVICES,
  RATE_LIMIT: 'on',
  ERASURE_GRACE_DAYS: '0',
  MAX_TOKENS_PER_ACCOUNT: '1000',
};

/** @param smtpUrl of a mail server */
export async function startLargeGateway(smtpUrl: string): Promise<LargeGateway> {
  const app = await createTestApp({
    ...SETTINGS,
    ...mailSettings(smtpUrl),
    ...OPERATOR_API,
    METRICS: 'on',
    METRICS_PORT: '0',
  });
  const person = aPatient();
  const owner = { person, ...authenticated(await restApi(app.url).registerPatient(person)) };
  const reviewer = await newReviewer(app);
  const heavy = {
    owner: { id: `${owner.account.id}`, email: person.email },
    reviewer: { id: `${reviewer.account.id}` },
  };
  await fillDatabase(app.database, heavy, testClock.now());
  return { app, owner, reviewer };
}

/** Runs a command of the operators' admin, which must succeed. */
async function run({ app }: LargeGateway, ...words: string[]): Promise<void> {
  const { code, stderr } = await admin({ ...settingsOf(app), LOG_LEVEL: 'fatal' }, ...words);
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
}

/** What clients send to both APIs, the services behind the gateway, and its metrics. */
async function contract({ app, owner }: LargeGateway): Promise<void> {
  const { url, metricsUrl } = app;
  for (const api of [restApi(url), graphqlApi(url)]) {
    const patient = aPatient();
    const session = authenticated(await api.registerPatient(patient));
    refused(await api.registerPatient(patient), 'validation');
    registeredDoctor(await api.registerDoctor(aDoctor()));
    refused(await api.login({ ...patient, password: freshPassword() }), 'credentials');
    refused(await api.login(aPatient()), 'credentials');
    const { token } = authenticated(await api.login(patient));
    await execute(url, MyTokensDocument, {}, bearer(token));
    await execute(url, RevokeTokenDocument, { id: tokenIdOf(session.token) }, bearer(token));
    succeeded(await api.logout(`Bearer ${token}`));
    // Simultaneous ones share a command.
    const logins = await Promise.all([api.login(patient), api.login(patient)]);
    await Promise.all(logins.map((login) => api.logout(`Bearer ${authenticated(login).token}`)));
    const newPassword = freshPassword();
    const { token: again } = authenticated(await api.login(patient));
    const change = { currentPassword: patient.password, newPassword };
    succeeded(await api.changePassword(change, `Bearer ${again}`));
    succeeded(await api.requestPasswordReset({ email: patient.email }));
    succeeded(await api.requestPasswordReset({ email: freshEmail() }));
    const reset = await resetCodeOf(app, patient.email);
    succeeded(await api.resetPassword({ token: reset, newPassword: freshPassword() }));
  }
  // The tokens beyond the limit of an account.
  const { token } = authenticated(await restApi(url).login(owner.person));
  owner.token = token;
  await Promise.all(Array.from({ length: 5 }, () => introspect(url, token)));
  expect((await send(`${url}/api/v1/user`, { headers: bearer(token) })).status).toBe(200);
  expect((await send(`${url}/forward-auth`, { headers: bearer(token) })).status).toBe(204);
  await importAccount(app.database, '4711');
  const secret = sanctumSecret('legacy_');
  const imported = await importToken(app.database, { id: '4712', accountId: '4711', secret });
  for (const presented of [imported, secret]) {
    expect((await send(`${url}/api/v1/user`, { headers: bearer(presented) })).status).toBe(200);
  }
  expect((await send(`${url}/readyz`)).status).toBe(200);
  expect((await send(`${metricsUrl}/metrics`)).status).toBe(200);
  await letMailsBeSent();
  await execute(url, RevokeOtherTokensDocument, {}, bearer(token));
  // The last uses of tokens, and the events.
  await afterSums();
}

/** What operators do with accounts. */
async function people(gateway: LargeGateway): Promise<void> {
  const { app } = gateway;
  const command = (...words: string[]) => run(gateway, ...words);
  const id = accountId(41);
  await command('accounts', 'list');
  await command('accounts', 'list', '--after', accountId(15_000));
  await command('accounts', 'list', '--role', 'reviewer', '--limit', '20');
  await command('accounts', 'list', '--disabled', '--limit', '200');
  await command('accounts', 'search', 'nobody has this name');
  await command('accounts', 'search', '--prefix', 'person-9');
  await command('accounts', 'search', '--prefix', 'person-9', '--after', accountId(9_000));
  await command('accounts', 'count');
  await command('accounts', 'show', '--id', accountId(40));
  await command('accounts', 'show', '--email', 'person-41@example.net');
  await command('accounts', 'disable', '--id', id);
  await command('accounts', 'enable', '--id', id);
  await command('accounts', 'set-email', '--id', id, '--to', freshEmail());
  await command('accounts', 'reset-link', '--id', id);
  await command('tokens', 'list', '--account', id);
  await command('tokens', 'revoke', '--account', id, '--all');
  const password = freshPassword();
  const created = await adminReading(
    `${password}\n`,
    { ...settingsOf(app), LOG_LEVEL: 'fatal' },
    ...['accounts', 'create', '--role', 'reviewer', '--name', 'Anna'],
    ...['--email', freshEmail(), '--password-stdin'],
  );
  expect(created).toMatchObject({ code: 0, stderr: '' });
}

const LIST = `query ($search: String, $role: Role, $state: AccountState, $withoutTwoFactor: Boolean, $after: String) {
  accounts(search: $search, role: $role, state: $state, withoutTwoFactor: $withoutTwoFactor, after: $after) {
    nodes { id } pageInfo { endCursor }
  }
}`;
const EVENTS = `query ($account: ID, $actor: ID, $act: AuditedAct, $outcome: AuditOutcome, $since: DateTime, $after: String) {
  auditEvents(account: $account, actor: $actor, act: $act, outcome: $outcome, since: $since, after: $after) {
    nodes { id } pageInfo { endCursor }
  }
}`;

/** What operators do in the console: each list with its next page, one person, and changes. */
async function operators({ app, owner, reviewer }: LargeGateway): Promise<void> {
  const operator = await newOperator(app);
  const pages = async (query: string, variables: Fields) => {
    const read = (more: Fields = {}) =>
      operated<{ pageInfo: { endCursor: string | null } }>(
        app,
        query,
        { ...variables, ...more },
        operator.token,
      );
    const { endCursor } = (await read()).pageInfo;
    await (endCursor !== null && read({ after: endCursor }));
  };
  const lists = [
    {},
    { role: 'PATIENT' },
    { state: 'DISABLED' },
    { state: 'CLOSED' },
    { withoutTwoFactor: true },
  ];
  for (const variables of [...lists, { search: 'person-9999' }, { search: '+49 555' }, { search: 'li' }]) {
    await pages(LIST, variables);
  }
  const since = new Date(testClock.now() - HOUR_MILLIS).toISOString();
  const whose = [{}, { account: String(owner.account.id) }, { actor: String(reviewer.account.id) }];
  for (const variables of [
    ...whose,
    { act: 'LOGIN' },
    { outcome: 'UNKNOWN' },
    { act: 'LOGIN', outcome: 'FAILURE' },
  ]) {
    await pages(EVENTS, variables);
    await pages(EVENTS, { ...variables, since });
  }
  await opened(app, operator, String(owner.account.id));
  const id = accountId(42);
  await changed(app, operator, 'unlockAccount', { account: id });
  await changed(app, operator, 'sendResetLink', { account: id });
  const { token } = operator;
  for (const query of ['{ waitingActs { id } }', '{ overview { version counts { disabled } } }']) {
    expect((await operate(app, query, {}, token)).code).toBeUndefined();
  }
}

/** The review of doctors, by reviewers and by operators. */
async function reviews(gateway: LargeGateway): Promise<void> {
  const { app, reviewer } = gateway;
  const lists = ['PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED', 'EXPIRED'].map((status) => ({ status }));
  for (const which of [...lists, { ending: true }]) {
    const { pageInfo } = await doctorsOf(app, reviewer.token, { ...which, first: 20 });
    await doctorsOf(app, reviewer.token, { ...which, first: 20, after: pageInfo.endCursor });
  }
  const { account } = await newDoctor(app);
  const id = String(account.id);
  await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
  await openDoctor(app, reviewer.token, id);
  const shared = {
    licenseKeys: ['shared'],
    documentHashes: [{ path: 'licenses/any.pdf', sha256: 'shared' }],
  };
  await app.database.profiles.updateOne({ _id: id }, { $set: shared });
  expect((await openDoctor(app, reviewer.token, id)).others).toHaveLength(5);
  const rejected = await newRejectedDoctor(app, reviewer);
  expect((await resubmit(app, rejected.token)).errors).toBeUndefined();
  const command = (...words: string[]) => run(gateway, 'doctors', ...words);
  await command('list', '--limit', '300');
  await command('list', '--status', 'verified', '--limit', '300');
  await command('show', '--id', id);
  await command('suspend', '--id', id, '--reason', 'The license has expired.');
  await command('approve', '--id', id);
  await command('reject', '--id', String(rejected.account.id), '--reason', 'Not readable.');
}

/** Every search of the audit trail. */
async function audit(gateway: LargeGateway): Promise<void> {
  const { owner, reviewer } = gateway;
  const conditions = [
    ['--email', owner.person.email],
    ['--email', freshEmail()],
    ['--account', String(owner.account.id)],
    ['--account', accountId(24_998)],
    ['--by', String(reviewer.account.id)],
    ['--email', 'person-24998@example.net', '--account', String(owner.account.id)],
    ['--email', owner.person.email, '--account', accountId(24_998)],
    ['--email', 'person-24998@example.net', '--by', String(reviewer.account.id)],
    ['--account', String(owner.account.id), '--by', accountId(1)],
    ['--account', accountId(24_998), '--by', String(reviewer.account.id)],
    [],
  ];
  for (const condition of conditions) {
    await run(gateway, 'audit', ...condition, '--limit', '10');
    await run(gateway, 'audit', ...condition, '--since', '1h', '--limit', '10');
    await run(gateway, 'audit', ...condition, '--since', '1h');
  }
  await run(gateway, 'audit', '--account', String(owner.account.id));
}

async function exporting(gateway: LargeGateway): Promise<void> {
  const { app, owner, reviewer } = gateway;
  await exportData(app.url, owner.token);
  for (const id of [accountId(40), String(reviewer.account.id)]) {
    await run(gateway, 'accounts', 'export', '--id', id);
  }
}

/** Closings, and erasures of accounts that are due or that an operator erases at once. */
async function erasure(gateway: LargeGateway): Promise<void> {
  const { app, owner, reviewer } = gateway;
  const doctor = aDoctor();
  const { token } = registeredDoctor(await restApi(app.url).registerDoctor(doctor));
  expect((await deleteAccount(app.url, token, doctor.password)).error).toBeUndefined();
  await deleteAccount(app.url, owner.token, owner.person.password);
  await run(gateway, 'accounts', 'erase', '--id', accountId(45), '--yes');
  await run(gateway, 'accounts', 'erase', '--id', accountId(55), '--now', '--yes');
  await run(gateway, 'accounts', 'erase', '--id', String(reviewer.account.id), '--now', '--yes');
  // What an instance does every hour.
  const eraser = await openEraser(app, testClock);
  await eraser.erasure.run();
  await closeErasers();
  const due = { erasureDueAt: { $lte: new Date(testClock.now()) } };
  expect(await app.database.accounts.countDocuments(due)).toBe(0);
}

/** A sweep with orphans of each kind, what is back from the trash, and the start of another gateway on the same data. */
async function sweep({ app }: LargeGateway): Promise<void> {
  const past = new Date(Date.now() - 2 * HOUR_MILLIS);
  for (const group of ['licenses', 'diplomas', 'certifications']) {
    await mkdir(path.join(app.storageDir, group), { recursive: true });
    for (let index = 0; index < 10; index += 1) {
      const file = path.join(app.storageDir, group, `${String(index).padStart(40, 'x')}.pdf`);
      await writeFile(file, '%PDF-');
      await utimes(file, past, past);
    }
  }
  for (const words of [['--force'], ['--restore']]) {
    const swept = await collectOutputs((outputs) => runStorageSweep(words, () => settingsOf(app), outputs));
    expect(swept).toMatchObject({ code: 0, stderr: '' });
  }
}

/** The start of another gateway on the same data, and the revocation of everybody's tokens. */
async function starting(gateway: LargeGateway): Promise<void> {
  const { app } = gateway;
  const storage = await openStorage(configOn(app, { ID_FORMAT: 'integer' }), testClock);
  await storage.close();
  await run(gateway, 'tokens', 'revoke', '--everyone', '--yes');
}

/** All that a gateway and its operators do with the database. In this order: the later ones remove what the earlier ones need. */
export const ACTS = {
  contract,
  people,
  operators,
  reviews,
  audit,
  export: exporting,
  erasure,
  sweep,
  start: starting,
} as const satisfies Record<string, Act>;

/** Indexes without which the act `export` has no index, or the wrong one, for the query with this filter. */
export const NEEDED_INDEXES: readonly [collection: string, index: string, filter: string][] = [
  ['access_tokens', 'accountId_1_createdAt_-1__id_-1', '{"accountId":"text"}'],
  ['audit_events', 'accountId_1_at_1', '{"accountId":"text"}'],
  ['outgoing_mails', 'order.to.email_1', '{"$or":[{"order.to.accountId":"text"},'],
];

/** Does something while an index is gone. */
export async function withoutIndex<T>(
  { app: { database } }: LargeGateway,
  collection: string,
  name: string,
  act: () => Promise<T>,
): Promise<T> {
  const indexes = await database.db.collection(collection).indexes();
  const { v: _, ...index } = indexes.find((each) => each.name === name) ?? {};
  await database.db.collection(collection).dropIndex(name);
  try {
    return await act();
  } finally {
    await database.db.command({ createIndexes: collection, indexes: [index] });
  }
}
