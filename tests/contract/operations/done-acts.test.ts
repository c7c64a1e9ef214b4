import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import * as graphql from '../../../packages/client/src/generated/graphql.ts';
import { boundTo, digestOfToken, randomLinkToken } from '../../../src/auth/link-tokens.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../../src/database/exchange-limit.ts';
import type { StoredAccount } from '../../../src/stores/accounts.ts';
import type { UploadRequest } from '../../support/api.ts';
import { type Command, isOfAuditTrail, isOperation, type Match } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import {
  adminOf,
  BEGIN,
  changed,
  FINISH,
  newOperator,
  OPERATOR_API,
  operate,
  operated,
  proveAgain,
  type Staff,
  versionOf,
  waitingStaff,
} from '../../support/operators.ts';
import { addPasskey, anAuthenticator, optionsOf, PASSKEYS, passkeysByRest } from '../../support/passkeys.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from '../../support/people.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { rememberPassword, rememberToken } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { newDocuments, newRejectedDoctor, newReviewer, resubmitRequest } from '../../support/reviews.ts';
import { aStoredOwner, aStoredPerson, byRest, codeAt, done } from '../../support/second-factor.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { letEventsBeWrittenAgain, type TestApp, testClock } from '../../support/test-app.ts';

// Every act, and the write that decides it. What follows that write never makes the answer a failure; without the answer to that write,
// nobody knows what has happened.

// Nothing answers at the address of the mail server: the mails wait.
const behind = useProxiedApp({
  ...OPERATOR_API,
  ...PASSKEYS,
  ...emailLinkSettings('smtp://127.0.0.1:9'),
  PEOPLE_URL: 'https://app.example.org/people',
});
let app: TestApp;
let operator: Staff;
let second: Staff;
let provenAt = testClock.now();
beforeAll(async () => {
  app = behind.app;
  operator = await newOperator(app);
  second = await newOperator(app);
});
beforeEach(async () => {
  // The time that ends an exchange may end the write of an event, too.
  await letEventsBeWrittenAgain();
  await app.database.db.collection('attempt_counts').deleteMany({});
  // Changes of operators need a fresh proof.
  if (testClock.now() - provenAt > 10 * 60_000) {
    [operator, second] = [await proveAgain(app, operator), await proveAgain(app, second)];
    provenAt = testClock.now();
  }
});

/** How an act has ended. */
interface Ending {
  data: unknown;
  code: unknown;
  reason: unknown;
}

type Call = () => Promise<Ending>;

const endingOf = (data: unknown, errors: { extensions?: Fields }[] = []): Ending => {
  const { code, reason } = errors[0]?.extensions ?? {};
  return { data, code, reason };
};

/** A call of the GraphQL API. */
const call =
  (document: graphql.TypedDocumentString<unknown, never>, variables: Fields = {}, token?: string): Call =>
  async () => {
    const headers = token === undefined ? {} : bearer(token);
    const { body } = await execute(app.url, document, variables, headers);
    return endingOf(body.data, body.errors as { extensions?: Fields }[] | undefined);
  };

/** An upload to the GraphQL API. */
const upload =
  (request: UploadRequest): Call =>
  async () => {
    const { data, errors } = jsonOf<{ data: unknown; errors?: { extensions?: Fields }[] }>(
      await sendForm(app.url, request),
    );
    return endingOf(data, errors);
  };

/** A call of the operators' API. */
const callAs =
  (staff: Pick<Staff, 'token'> | undefined, query: string, input: Fields): Call =>
  async () => {
    const { data, code, extensions } = await operate(app, query, { input }, staff?.token);
    return { data, code, reason: extensions.reason };
  };

type Person = Awaited<ReturnType<typeof aStoredPerson>>;

/** An act of somebody in their own name. */
const own =
  (document: Parameters<typeof call>[0], variablesOf: (person: Person) => Fields = () => ({})) =>
  async () => {
    const person = await somebody();
    return call(document, variablesOf(person), person.token);
  };

interface Act {
  /** The command that decides it, and a text in that command. */
  write: readonly [name: string, text?: string];
  /** True if it is the first of several, and nobody knows what has happened before the last one. */
  isFirst?: true;
  prepare(): Promise<Call>;
}

const PROFILE = 'doctor_profiles';

const ACTS: Record<string, Act> = {
  registerPatient: {
    write: ['insert accounts'],
    prepare: async () => call(graphql.RegisterPatientDocument, { input: aPatient() }),
  },
  registerDoctor: {
    write: ['insert accounts'],
    prepare: async () => upload(graphqlApi(app.url).doctorRequest(aDoctor())),
  },
  logout: {
    write: ['delete access_tokens'],
    prepare: own(graphql.LogoutDocument),
  },
  revokeToken: {
    write: ['delete access_tokens'],
    prepare: own(graphql.RevokeTokenDocument, ({ token }) => ({ id: tokenIdOf(token) })),
  },
  revokeOtherTokens: {
    write: ['delete access_tokens'],
    prepare: async () => {
      const person = await somebody();
      authenticated(await restApi(app.url).login(person));
      return call(graphql.RevokeOtherTokensDocument, {}, person.token);
    },
  },
  changePassword: {
    write: ['update accounts', 'passwordHash'],
    prepare: own(graphql.ChangePasswordDocument, ({ password: currentPassword }) => ({
      input: { currentPassword, newPassword: freshPassword() },
    })),
  },
  requestPasswordReset: {
    write: ['update outgoing_mails', 'limitedUntil'],
    prepare: async () => call(graphql.RequestPasswordResetDocument, { email: freshEmail() }),
  },
  resetPassword: {
    write: ['update accounts', 'passwordHash'],
    prepare: async () => {
      const token = await resetCodeOf(app, (await somebody()).email);
      return call(graphql.ResetPasswordDocument, { input: { token, newPassword: freshPassword() } });
    },
  },
  requestEmailVerification: {
    write: ['update outgoing_mails', 'limitedUntil'],
    prepare: async () => call(graphql.RequestEmailVerificationDocument, {}, (await unproven()).token),
  },
  'verifyEmail, a proof': {
    write: ['update accounts', 'emailProof'],
    prepare: async () => call(graphql.VerifyEmailDocument, { token: await linkOf(await unproven()) }),
  },
  'verifyEmail, a change': {
    write: ['update accounts', 'emailKey'],
    prepare: async () => {
      const { id, password, token } = await somebody();
      const email = freshEmail();
      await call(graphql.ChangeEmailDocument, { input: { email, password } }, token)();
      return call(graphql.VerifyEmailDocument, { token: await linkOf({ id }, email) });
    },
  },
  changeEmail: {
    write: ['update accounts', 'emailChange'],
    isFirst: true,
    prepare: own(graphql.ChangeEmailDocument, ({ password }) => ({
      input: { email: freshEmail(), password },
    })),
  },
  'updateMyProfile, a patient': {
    write: ['findAndModify accounts'],
    prepare: own(graphql.UpdateMyProfileDocument, () => ({ input: { name: 'Pat Other' } })),
  },
  'updateMyProfile, a doctor': {
    write: [`update ${PROFILE}`, 'accountChange'],
    prepare: async () => {
      const { token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
      return call(graphql.UpdateMyProfileDocument, { input: { name: 'Doc Other' } }, token);
    },
  },
  deleteMyAccount: {
    write: ['update accounts', 'erasureDueAt'],
    prepare: own(graphql.DeleteMyAccountDocument, ({ password }) => ({ input: { password } })),
  },
  decideOnDoctor: {
    write: [`update ${PROFILE}`, 'accountChange'],
    prepare: async () => {
      const reviewer = await newReviewer(app);
      const { account, token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
      const variables = { id: account.id, decision: 'APPROVE' };
      await call(graphql.DecideOnDoctorDocument, { ...variables, revision: 0 }, reviewer.token)();
      await call(graphql.UpdateMyProfileDocument, { input: { name: 'Doc Other' } }, token)();
      return call(graphql.DecideOnDoctorDocument, { ...variables, revision: 2 }, reviewer.token);
    },
  },
  resubmitDocuments: {
    write: [`update ${PROFILE}`, 'resubmitted'],
    prepare: async () => {
      const { token } = await newRejectedDoctor(app, await newReviewer(app));
      return upload(resubmitRequest(token, newDocuments()));
    },
  },
  enableTwoFactor: {
    write: ['insert factors'],
    prepare: own(graphql.EnableTwoFactorDocument, ({ password }) => ({ input: { password } })),
  },
  confirmTwoFactor: {
    write: ['update accounts', 'factors'],
    prepare: async () => {
      const { password, token } = await somebody();
      const begun = done<{ secretKey: string }>(
        await byRest(app.url)('enableTwoFactor', { password }, token),
      );
      return call(graphql.ConfirmTwoFactorDocument, { input: { code: codeAt(begun.secretKey) } }, token);
    },
  },
  disableTwoFactor: {
    write: ['update accounts', 'factors'],
    prepare: () => withCode(graphql.DisableTwoFactorDocument),
  },
  renewRecoveryCodes: {
    write: ['update accounts', 'factors'],
    prepare: () => withCode(graphql.RenewRecoveryCodesDocument),
  },
  stepUp: { write: ['delete access_tokens'], prepare: () => withCode(graphql.StepUpDocument) },
  addPasskey: {
    write: ['update accounts', 'passkeys.ids'],
    prepare: async () => {
      const { password, token } = await somebody();
      const options = optionsOf(await passkeysByRest(app.url)('passkeyAddOptions', { password }, token));
      const credential = anAuthenticator().create(options);
      return call(graphql.AddPasskeyDocument, { input: { credential } }, token);
    },
  },
  renamePasskey: {
    write: ['update passkeys', 'Tablet'],
    prepare: async () => {
      const { passkey, token } = await withPasskey();
      return call(graphql.RenamePasskeyDocument, { id: passkey.id, input: { name: 'Tablet' } }, token);
    },
  },
  removePasskey: {
    write: ['update accounts', 'passkeys.ids'],
    prepare: async () => {
      const { passkey, token, password } = await withPasskey();
      return call(graphql.RemovePasskeyDocument, { id: passkey.id, input: { password } }, token);
    },
  },
  invite: {
    // The mail is ordered after it.
    ...{ write: ['insert invitations'], isFirst: true },
    prepare: async () => callAs(operator, INVITE, { email: freshEmail(), role: 'PATIENT', name: 'P' }),
  },
  renewInvitation: {
    ...{ write: ['update invitations', 'tokenDigest'], isFirst: true },
    prepare: () => changeOfInvitation('renewInvitation'),
  },
  withdrawInvitation: {
    write: ['update invitations', 'withdrawn'],
    prepare: () => changeOfInvitation('withdrawInvitation'),
  },
  beginSetUp: {
    write: ['insert factors'],
    prepare: async () => callAs(undefined, BEGIN, { token: (await waitingStaff(app)).token }),
  },
  finishSetUp: {
    write: ['findAndModify accounts', 'passwordHash'],
    prepare: async () => {
      const { token } = await waitingStaff(app);
      const { secretKey } = await operated<{ secretKey: string }>(app, BEGIN, { input: { token } });
      rememberToken(secretKey);
      const newPassword = freshPassword();
      rememberPassword(newPassword);
      return callAs(undefined, FINISH, { token, newPassword, code: codeAt(secretKey) });
    },
  },
};

const INVITE = 'mutation ($input: InviteInput!) { invite(input: $input) { id } }';

async function changeOfInvitation(name: string): Promise<Call> {
  const input = { email: freshEmail(), role: 'PATIENT', name: 'P' };
  const { id } = await operated<{ id: string }>(app, INVITE, { input }, operator.token);
  const query = `mutation ($id: ID!) { ${name}(id: $id) { id } }`;
  return async () => {
    const { data, code, extensions } = await operate(app, query, { id }, operator.token);
    return { data, code, reason: extensions.reason };
  };
}

/** The changes of operators. The first write of each notes that it is made, and their answers have the account as it is after the last. */
const CHANGES: Record<string, { type?: string; more?: Fields; before?: (id: string) => Promise<unknown> }> = {
  disableAccount: {},
  enableAccount: { before: (id) => adminOf(app, 'accounts', 'disable', '--account', id) },
  unlockAccount: {},
  endSessions: {},
  closeAccount: {},
  resendMail: { type: 'ResendMailInput', more: { mail: 'a' } },
  sendResetLink: {},
  removeSecondFactor: {},
  correctEmail: { type: 'EmailCorrectionInput', more: { email: 'new@example.org' } },
  confirmAct: { type: 'RequestedActInput' },
  declineAct: { type: 'RequestedActInput' },
};

/** These leave nothing that counts before their caller has got an answer. */
const WITHOUT_EFFECT = ['login', 'completeLogin', 'loginWithPasskey', 'passkeyAddOptions', 'exportAccount'];

const somebody = () => aStoredPerson(app.database);
const anOwner = () => aStoredOwner(app.database);
async function unproven() {
  const person = await somebody();
  await app.database.accounts.updateOne({ _id: person.id }, { $unset: { emailProof: true } });
  return person;
}

/** The token of a link that proves an e-mail, or changes it, as its mail has it. */
async function linkOf({ id }: { id: string }, newEmail?: string): Promise<string> {
  const account = await app.database.accounts.findOne({ _id: id });
  const token = randomLinkToken();
  rememberPassword(token);
  const link = {
    _id: digestOfToken(token),
    ...boundTo(account as StoredAccount),
    ...(newEmail && { newEmail }),
  };
  const expiresAt = new Date(testClock.now() + 3_600_000);
  await app.database.db.collection('email_proofs').insertOne({ ...link, expiresAt } as object);
  return token;
}

async function withPasskey() {
  const person = await somebody();
  return { ...person, ...(await addPasskey(app.url, person)) };
}

/** An act of somebody with a second factor. */
async function withCode(document: graphql.TypedDocumentString<unknown, never>): Promise<Call> {
  const { password, secretKey, token } = await anOwner();
  return call(document, { input: { password, code: codeAt(secretKey) } }, token);
}

/** A change of an operator on somebody whom another one has asked to change. */
async function preparedChange(name: string): Promise<Call> {
  const { type = 'AccountChangeInput', more, before } = CHANGES[name] ?? {};
  const { id: account } = await (name === 'removeSecondFactor' ? anOwner() : somebody());
  await before?.(account);
  if (name === 'resendMail') {
    await waitingMail(account, String(more?.mail));
  }
  if (type !== 'RequestedActInput') {
    return changeOf(account, name, type, more);
  }
  await changed(app, second, 'sendResetLink', { account });
  const { requested } = await changed(app, second, 'correctEmail', { account, email: freshEmail() });
  return changeOf(account, name, type, { act: requested?.id });
}

/** A change of an account in its present version. */
async function changeOf(
  account: string,
  name: string,
  kind = 'AccountChangeInput',
  fields: Fields = {},
): Promise<Call> {
  const version = await versionOf(app, account);
  const query = `mutation ($input: ${kind}!) { ${name}(input: $input) { id } }`;
  return callAs(operator, query, { account, version, reason: 'Asked.', ...fields });
}

async function waitingMail(accountId: string, _id: string): Promise<void> {
  const mails = app.database.db.collection<{ _id: string }>('outgoing_mails');
  await mails.deleteOne({ _id });
  const now = testClock.now();
  const order = { kind: 'password changed', to: { accountId } };
  const times = {
    createdAt: new Date(now),
    nextAttemptAt: new Date(now + HOUR),
    expiresAt: new Date(now + DAY),
  };
  await mails.insertOne({ _id, order, orderedFrom: '', attempts: 1, ...times } as { _id: string });
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ALL: [string, Act][] = [
  ...Object.entries(ACTS),
  ...Object.keys(CHANGES).map((name): [string, Act] => [
    name,
    { write: ['update operator_acts'], isFirst: true, prepare: () => preparedChange(name) },
  ]),
];

/** Commands that an answer may wait for, of an act or of what follows it. */
const isOfAct: Match = (command) =>
  isOperation(command) && !isOfAuditTrail(command) && !isUse(command) && !isDelivery(command);
const isUse: Match = ({ name, bytes }) => name === 'update access_tokens' && bytes.includes('$max');
const isDelivery: Match = ({ name }) => name === 'find outgoing_mails';

const isWriteOf =
  ({ write: [name, text = ''] }: Pick<Act, 'write'>): Match =>
  (command: Command) =>
    command.name === name && command.bytes.includes(text);

/** Matches what comes after the write that decides an act. */
function behindWriteOf(act: Pick<Act, 'write'>): Match {
  const isWrite = isWriteOf(act);
  let isDone = false;
  return (command) => {
    const isLater = isDone && isOfAct(command);
    isDone ||= isWrite(command);
    return isLater;
  };
}

/** How many turns of the event loop the gateway gets to read an answer that is in its socket. */
const TURNS = 8;

/**
 * Resolves when the gateway has the answer to the write that decides an act. Until then, nobody knows whether it is done; and a command that
 * arrives before may be of other work, such as the mails of earlier tests.
 */
async function answerOf(act: Pick<Act, 'write'>): Promise<void> {
  await behind.proxy.breakAt({ command: isWriteOf(act), when: 'after' }, 'pass');
  for (let turns = 0; turns < TURNS; turns += 1) {
    await turn();
  }
}

const DONE = { code: undefined, reason: undefined };
/** Longer than a request may wait for the database. */
const LATE_MILLIS = 2_000;

test.each(ALL.filter(([, { isFirst }]) => isFirst))(
  'what follows the first write of %s may come late: it is done, and answered so',
  async (_, act) => {
    const run = await act.prepare();
    const later = behind.proxy.hold(behindWriteOf(act));
    const written = answerOf(act);
    const ending = run();
    await Promise.race([ending, Promise.all([written, later.arrived(1)])]);
    await testClock.advance(LATE_MILLIS);
    later.release();
    expect(await ending).toMatchObject(DONE);
  },
);

describe.each(ALL)('%s', (_, act) => {
  test('what follows its write may fail: it is done, and answered so', async () => {
    const run = await act.prepare();
    const later = behind.proxy.hold(behindWriteOf(act));
    const written = answerOf(act);
    const ending = run();
    let hasEnded = false;
    const ended = ending.then(() => {
      hasEnded = true;
    });
    await Promise.race([ended, written]);
    for (let lost = 1; !hasEnded; lost += 1) {
      await Promise.race([ended, later.arrived(lost)]);
      await (!hasEnded && testClock.advance(REQUEST_EXCHANGE_MILLIS));
      await letEventsBeWrittenAgain();
    }
    later.release();
    const expected = act.isFirst ? { code: 'SERVICE_UNAVAILABLE', reason: 'unknown' } : DONE;
    expect(await ending).toMatchObject(expected);
  });

  test('without an answer to its write, its outcome is unknown', async () => {
    const run = await act.prepare();
    const write = behind.proxy.hold(isWriteOf(act));
    const ending = run();
    await write.arrived(1);
    await testClock.advance(REQUEST_EXCHANGE_MILLIS);
    await letEventsBeWrittenAgain();
    expect(await ending).toMatchObject({ code: 'SERVICE_UNAVAILABLE', reason: 'unknown' });
    write.release();
  });
});

test('every mutation of both APIs is one of these, or has no effect without its answer', async () => {
  const mutations = await Promise.all(
    ['schema', 'operators'].map(async (file) => {
      const schema = buildSchema(await readFile(`schema/${file}.graphql`, 'utf8'));
      return Object.keys(schema.getMutationType()?.getFields() ?? {});
    }),
  );
  const known = [...ALL.map(([name]) => name.replace(/,.*/, '')), ...WITHOUT_EFFECT];
  expect([...new Set(mutations.flat())].sort()).toEqual([...new Set(known)].sort());
});

test('REST has the same body whether the outcome is unknown or not', async () => {
  const { password, token } = await somebody();
  const write = behind.proxy.hold(isWriteOf({ write: ['update accounts', 'passwordHash'] }));
  const fields = { currentPassword: password, newPassword: freshPassword() };
  const change = restApi(app.url).changePassword(fields, `Bearer ${token}`);
  await write.arrived(1);
  await testClock.advance(LATE_MILLIS);
  expect(jsonOf((await change).http)).toEqual({ message: 'Service Unavailable' });
  write.release();
});

/** Writes of operators and reviewers that somebody's own change has overtaken, while they were on their way. */
const OVERTAKEN: Record<string, { write: Act['write']; prepare(): Promise<{ run: Call; change: Call }> }> = {
  'the removal of a second factor': {
    write: ['update accounts', 'passwordHash'],
    prepare: async () => {
      const { id, password, secretKey, token } = await anOwner();
      const input = { password, code: codeAt(secretKey) };
      const change = call(graphql.RenewRecoveryCodesDocument, { input }, token);
      return { run: await changeOf(id, 'removeSecondFactor'), change };
    },
  },
  'a suspension': {
    write: [`update ${PROFILE}`, 'verification'],
    prepare: async () => {
      const reviewer = await newReviewer(app);
      const { account, token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
      const variables = { id: account.id, decision: 'SUSPEND', reason: 'Not licensed.', revision: 0 };
      const run = call(graphql.DecideOnDoctorDocument, variables, reviewer.token);
      return { run, change: call(graphql.UpdateMyProfileDocument, { input: { name: 'Doc Other' } }, token) };
    },
  },
};

test.each(Object.entries(OVERTAKEN))(
  '%s is tried again if a change was faster',
  async (_, { write, prepare }) => {
    const { run, change } = await prepare();
    const held = behind.proxy.hold(firstOf(isWriteOf({ write })));
    const ending = run();
    await held.arrived(1);
    expect(await change()).toMatchObject(DONE);
    held.release();
    expect(await ending).toMatchObject(DONE);
  },
);

/** Commands of operators that have something to do after their write: their words before the account, and after it. */
const COMMANDS: Record<string, { write: Act['write']; words?: string[]; isDoctor?: true }> = {
  'accounts set-email': { write: ['update accounts', 'emailKey'], words: ['--to', 'another@example.org'] },
  'accounts set-name': { write: [`update ${PROFILE}`], words: ['--to', 'Doc Other'], isDoctor: true },
  'accounts disable': { write: ['update accounts', 'disabledAt'] },
  'accounts reset-link': { write: ['insert reset_tokens'] },
  'accounts erase': { write: ['update accounts', 'erasureDueAt'], words: ['--yes'] },
  'doctors reject': { write: [`update ${PROFILE}`], words: ['--reason', 'Unreadable.'], isDoctor: true },
  'two-factor remove': {
    write: ['update accounts', 'passwordHash'],
    words: ['--as', 'Ada', '--reason', 'Lost.'],
  },
};

test.each(Object.entries(COMMANDS))(
  'what follows the write of %s may fail: it is done',
  async (name, command) => {
    const { write, words = [], isDoctor } = command;
    const person = await (name === 'two-factor remove' ? anOwner() : somebody());
    const doctor = isDoctor && registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
    const lost = behind.proxy.breakAt({ command: behindWriteOf({ write }), when: 'before' }, 'cut');
    const database = { ...app.database, uri: behind.proxy.through(app.database.uri) };
    const id = String(doctor ? doctor.account.id : person.id);
    const through = { url: app.url, database, storageDir: app.storageDir, now: app.now };
    const ended = await adminOf(through, ...name.split(' '), '--account', id, ...words);
    expect(ended).toMatchObject({ code: 0 });
    await lost;
  },
);

/** Matches only the first of these commands. */
function firstOf(matches: Match): Match {
  let isOver = false;
  return (command) => {
    const isIt = !isOver && matches(command);
    isOver ||= isIt;
    return isIt;
  };
}
