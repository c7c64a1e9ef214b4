import { randomUUID } from 'node:crypto';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { reference, SUBGRAPH } from '../../support/federation.ts';
import type { GraphqlBody } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { importedToken, sanctumSecret } from '../../support/legacy.ts';
import { sendForm } from '../../support/multipart.ts';
import { openApiDocument } from '../../support/openapi.ts';
import { addPasskey, anAuthenticator, confirmCredential, PASSKEYS } from '../../support/passkeys.ts';
import { rememberToken } from '../../support/response-record.ts';
import { newDocuments, newRejectedDoctor, newReviewer, resubmitRequest } from '../../support/reviews.ts';
import { aStoredPerson, TWO_FACTOR } from '../../support/second-factor.ts';
import { introspect } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

// No mail is ever sent: nothing listens there.
const app = useTestApp({
  ...SUBGRAPH,
  ...TWO_FACTOR,
  ...PASSKEYS,
  ...emailLinkSettings('smtp://127.0.0.1:9'),
});

let person: Awaited<ReturnType<typeof aStoredPerson>>;
const authenticator = anAuthenticator();
beforeAll(async () => {
  person = await aStoredPerson(app.database);
  await addPasskey(app.url, person, authenticator);
  await app.database.accounts.updateOne({ _id: person.id }, { $unset: { emailProof: true } });
});

/** What an act needs of the token in whose name it is done; `no token`: it does not look at the token. */
type Need = 'no token' | 'nothing' | 'update' | 'delete' | 'everything';
interface Act {
  needs: Need;
  /** The act does nothing here if it is allowed: it fails later, or there is nothing to do. */
  send: (token: string) => Promise<HttpResponse>;
}

const graphql =
  (query: string) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(`${app.url}/graphql`, { query }, bearer(token));
const get =
  (path: string) =>
  (token: string): Promise<HttpResponse> =>
    send(app.url + path, { headers: bearer(token) });
const post =
  (path: string, body: object = {}) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(app.url + path, body, bearer(token));

const put =
  (path: string, body: object) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(app.url + path, body, bearer(token), 'PUT');

const WRONG = '{currentPassword: "a wrong password", newPassword: "another long password"}';

/** Every field of `Query` and `Mutation`. */
const GRAPHQL_ACTS: Readonly<Record<string, Act>> = {
  me: { needs: 'nothing', send: graphql('{ me { id email profile { licenseFileUrl } } }') },
  myTokens: { needs: 'everything', send: graphql('{ myTokens { id } }') },
  exportMyData: { needs: 'everything', send: graphql('{ exportMyData { generatedAt } }') },
  doctorsForReview: { needs: 'everything', send: graphql('{ doctorsForReview { edges { cursor } } }') },
  doctorForReview: { needs: 'everything', send: graphql('{ doctorForReview(id: "0") { revision } }') },
  _entities: {
    needs: 'nothing',
    send: (token) => {
      const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { email } } }';
      const variables = { r: [reference(person.id)] };
      return sendJson(`${app.url}/graphql`, { query, variables }, bearer(token));
    },
  },
  _service: { needs: 'no token', send: graphql('{ _service { sdl } }') },
  registerDoctor: { needs: 'no token', send: graphql('mutation { registerDoctor(input: {}) { token } }') },
  registerPatient: { needs: 'no token', send: graphql('mutation { registerPatient(input: {}) { token } }') },
  login: { needs: 'no token', send: graphql('mutation { login(input: {}) { token } }') },
  logout: { needs: 'nothing', send: graphql('mutation { logout { message } }') },
  revokeToken: { needs: 'delete', send: graphql('mutation { revokeToken(id: "0") }') },
  revokeOtherTokens: { needs: 'delete', send: graphql('mutation { revokeOtherTokens }') },
  deleteMyAccount: {
    needs: 'delete',
    send: graphql('mutation { deleteMyAccount(input: {password: "a wrong password"}) { erasedAfter } }'),
  },
  decideOnDoctor: {
    needs: 'everything',
    send: graphql('mutation { decideOnDoctor(id: "0", revision: 0, decision: APPROVE) { revision } }'),
  },
  updateMyProfile: { needs: 'update', send: graphql('mutation { updateMyProfile(input: {}) { id } }') },
  resubmitDocuments: { needs: 'update', send: (token) => sendForm(app.url, resubmitRequest(token)) },
  changePassword: {
    needs: 'update',
    send: graphql(`mutation { changePassword(input: ${WRONG}) { revokedTokens } }`),
  },
  requestEmailVerification: {
    needs: 'update',
    send: graphql('mutation { requestEmailVerification { message } }'),
  },
  verifyEmail: { needs: 'no token', send: graphql('mutation { verifyEmail(token: "none") { message } }') },
  changeEmail: {
    needs: 'everything',
    send: graphql(
      'mutation { changeEmail(input: {email: "new@example.org", password: "a wrong password"}) { message } }',
    ),
  },
  completeLogin: {
    needs: 'no token',
    send: graphql('mutation { completeLogin(input: {challenge: "none", code: "1"}) { token } }'),
  },
  myTwoFactor: { needs: 'everything', send: graphql('{ myTwoFactor { enabled } }') },
  enableTwoFactor: {
    needs: 'everything',
    send: graphql('mutation { enableTwoFactor(input: {password: "a wrong password"}) { url } }'),
  },
  confirmTwoFactor: {
    needs: 'everything',
    send: graphql('mutation { confirmTwoFactor(input: {code: "1"}) { token } }'),
  },
  invitation: { needs: 'no token', send: graphql('{ invitation(token: "none") { email } }') },
  passkeyLoginOptions: { needs: 'no token', send: graphql('{ passkeyLoginOptions { options } }') },
  loginWithPasskey: {
    needs: 'no token',
    send: graphql('mutation { loginWithPasskey(input: {credential: {}}) { token } }'),
  },
  passkeyConfirmOptions: { needs: 'nothing', send: graphql('{ passkeyConfirmOptions { options } }') },
  passkeyAddOptions: {
    needs: 'everything',
    send: graphql('mutation { passkeyAddOptions(input: {password: "a wrong password"}) { options } }'),
  },
  addPasskey: {
    needs: 'everything',
    send: graphql('mutation { addPasskey(input: {credential: {}}) { id } }'),
  },
  myPasskeys: { needs: 'everything', send: graphql('{ myPasskeys { userHandle } }') },
  renamePasskey: {
    needs: 'everything',
    send: graphql('mutation { renamePasskey(id: "none", input: {name: "x"}) { id } }'),
  },
  removePasskey: {
    needs: 'everything',
    send: graphql('mutation { removePasskey(id: "none", input: {password: "x"}) { message } }'),
  },
  disableTwoFactor: {
    needs: 'everything',
    send: graphql('mutation { disableTwoFactor(input: {password: "a wrong password"}) { message } }'),
  },
  renewRecoveryCodes: {
    needs: 'everything',
    send: graphql('mutation { renewRecoveryCodes(input: {password: "a wrong password"}) { recoveryCodes } }'),
  },
  stepUp: {
    needs: 'nothing',
    send: (token) => graphql(`mutation { stepUp(input: {password: "${person.password}"}) { token } }`)(token),
  },
  requestPasswordReset: {
    needs: 'no token',
    send: graphql('mutation { requestPasswordReset(email: "nobody@example.org") { message } }'),
  },
  resetPassword: { needs: 'no token', send: graphql('mutation { resetPassword(input: {}) { message } }') },
};

/** Every operation of the OpenAPI document. */
const REST_ACTS: Readonly<Record<string, Act>> = {
  registerDoctor: { needs: 'no token', send: post('/api/v1/auth/register/doctor') },
  registerPatient: { needs: 'no token', send: post('/api/v1/auth/register/patient') },
  login: { needs: 'no token', send: post('/api/v1/auth/login') },
  user: { needs: 'nothing', send: get('/api/v1/user') },
  logout: { needs: 'nothing', send: post('/api/v1/auth/logout') },
  changePassword: {
    needs: 'update',
    send: (token) => sendJson(`${app.url}/api/v1/auth/password`, {}, bearer(token), 'PUT'),
  },
  updateMyProfile: {
    needs: 'update',
    send: (token) => sendJson(`${app.url}/api/v1/auth/user/profile-information`, {}, bearer(token), 'PUT'),
  },
  requestEmailVerification: { needs: 'update', send: post('/api/v1/auth/email/verification-notification') },
  verifyEmail: { needs: 'no token', send: post('/api/v1/auth/verify-email', { token: 'none' }) },
  changeEmail: {
    needs: 'everything',
    send: (token) => sendJson(`${app.url}/api/v1/auth/user/email`, {}, bearer(token), 'PUT'),
  },
  completeLogin: {
    needs: 'no token',
    send: post('/api/v1/auth/two-factor-challenge', { challenge: 'none' }),
  },
  myTwoFactor: { needs: 'everything', send: get('/api/v1/auth/user/two-factor-authentication') },
  enableTwoFactor: {
    needs: 'everything',
    send: post('/api/v1/auth/user/two-factor-authentication', { password: 'a wrong password' }),
  },
  confirmTwoFactor: {
    needs: 'everything',
    send: post('/api/v1/auth/user/confirmed-two-factor-authentication', { code: '1' }),
  },
  passkeyLoginOptions: { needs: 'no token', send: get('/api/v1/auth/passkeys/login/options') },
  loginWithPasskey: { needs: 'no token', send: post('/api/v1/auth/passkeys/login', { credential: {} }) },
  passkeyConfirmOptions: { needs: 'nothing', send: get('/api/v1/auth/passkeys/confirm/options') },
  confirmPasskey: {
    needs: 'nothing',
    send: async (token) => {
      const credential = await confirmCredential(app.url, authenticator, token);
      return post('/api/v1/auth/passkeys/confirm', { credential })(token);
    },
  },
  passkeyAddOptions: {
    needs: 'everything',
    send: post('/api/v1/auth/user/passkeys/options', { password: 'a wrong password' }),
  },
  addPasskey: { needs: 'everything', send: post('/api/v1/auth/user/passkeys', { credential: {} }) },
  myPasskeys: { needs: 'everything', send: get('/api/v1/auth/user/passkeys') },
  renamePasskey: { needs: 'everything', send: put('/api/v1/auth/user/passkeys/none', { name: 'x' }) },
  removePasskey: { needs: 'everything', send: post('/api/v1/auth/user/passkeys/none/remove') },
  disableTwoFactor: {
    needs: 'everything',
    send: post('/api/v1/auth/user/two-factor-authentication/disable'),
  },
  renewRecoveryCodes: { needs: 'everything', send: post('/api/v1/auth/user/two-factor-recovery-codes') },
  stepUp: {
    needs: 'nothing',
    send: (token) => post('/api/v1/auth/user/confirm-two-factor', { password: person.password })(token),
  },
  requestPasswordReset: {
    needs: 'no token',
    send: post('/api/v1/auth/forgot-password', { email: 'nobody@example.org' }),
  },
  resetPassword: { needs: 'no token', send: post('/api/v1/auth/reset-password') },
  introspect: { needs: 'no token', send: post('/oauth/introspect') },
  events: { needs: 'no token', send: get('/events') },
  eventAccounts: { needs: 'no token', send: post('/events/accounts') },
  forwardAuth: { needs: 'nothing', send: get('/forward-auth') },
  readDocument: { needs: 'no token', send: get('/storage/licenses/none.pdf') },
  readLegacyDocument: { needs: 'no token', send: get('/storage/doctor_profiles/licenses/none.pdf') },
};

/** A new token of the patient, or of another account, like one that Sanctum has made with these abilities. */
async function tokenWith(abilities: string[] | null, accountId = person.id): Promise<string> {
  const id = randomUUID();
  // Tokens of reviewers end after a day.
  const createdAt = new Date(testClock.now());
  const record = { ...importedToken({ id, accountId: String(accountId) }), abilities, createdAt };
  await app.database.tokens.insertOne(record);
  const token = `${id}|${sanctumSecret()}`;
  rememberToken(token);
  return token;
}

const MISSING_ABILITY = 'Invalid ability provided.';

const ALL: readonly Need[] = ['nothing', 'update', 'delete', 'everything'];

/** Abilities, and the needs that a token with these meets: each act is tried with them. */
const TOKENS: [abilities: string[] | null, meets: readonly Need[]][] = [
  [null, ALL],
  [['create', 'update', 'delete'], ALL],
  [
    ['update', 'delete'],
    ['nothing', 'update', 'delete'],
  ],
  [
    ['create', 'update'],
    ['nothing', 'update'],
  ],
  [['delete'], ['nothing', 'delete']],
  [['create'], ['nothing']],
];

/** Other spellings of the same: an act of each need is tried with them. */
const SPELLINGS: typeof TOKENS = [
  [['*'], ALL],
  [['view-calendar', '*'], ALL],
  [['delete', 'view-calendar', 'create', 'update'], ALL],
  [['view-calendar'], ['nothing']],
  [['everything', 'myTokens', 'exportMyData'], ['nothing']],
  [['Update', 'update ', '**'], ['nothing']],
  [[], ['nothing']],
];
const SOME_ACTS = ['user', 'me', 'changePassword', 'deleteMyAccount', 'logout', 'myTwoFactor', 'myTokens'];

test('every act of both APIs has a decision here about the abilities that it needs', async () => {
  const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
  type Fields = { fields: { name: string }[] };
  const { data } = jsonOf<{ data: { __schema: { queryType: Fields; mutationType: Fields } } }>(
    await sendJson(`${app.url}/graphql`, { query }),
  );
  const { queryType, mutationType } = data.__schema;
  const fields = [...queryType.fields, ...mutationType.fields].map(({ name }) => name);
  expect(fields.sort()).toEqual(Object.keys(GRAPHQL_ACTS).sort());
  const operations = Object.values(openApiDocument().paths).flatMap((item) => Object.values(item));
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(REST_ACTS).sort());
});

/** How an act ended: `refused` for the abilities of the token, and in the form of its API. */
async function outcomeOf(api: string, { needs, send: sendAct }: Act, abilities: string[] | null) {
  const http = await sendAct(await tokenWith(abilities));
  if (!http.text.includes(MISSING_ABILITY)) {
    // The others fail for another reason, or do nothing.
    const isDone = needs !== 'nothing' || (http.status < 300 && !http.text.includes('"errors"'));
    return isDone ? 'allowed' : `${http.status} ${http.text}`;
  }
  if (api === 'REST') {
    return http.status === 403 && jsonOf<{ message: string }>(http).message === MISSING_ABILITY
      ? 'refused'
      : `${http.status} ${http.text}`;
  }
  const { data = null, errors } = jsonOf<GraphqlBody<unknown>>(http);
  return data === null && errors?.[0]?.extensions?.code === 'FORBIDDEN' ? 'refused' : http.text;
}

test.each([
  ...TOKENS.map((row) => [...row, () => true] as const),
  ...SPELLINGS.map((row) => [...row, (name: string) => SOME_ACTS.includes(name)] as const),
])('a token with the abilities %j may use what it names alone', async (abilities, meets, isTried) => {
  for (const [api, acts] of Object.entries({ GraphQL: GRAPHQL_ACTS, REST: REST_ACTS })) {
    const outcomes: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const [name, act] of Object.entries(acts).filter(([act]) => isTried(act))) {
      outcomes[name] = await outcomeOf(api, act, abilities);
      expected[name] = act.needs === 'no token' || meets.includes(act.needs) ? 'allowed' : 'refused';
    }
    expect(outcomes).toEqual(expected);
  }
});

const eventsOf = (filter: object) =>
  app.database.db.collection<StoredAuditEvent>('audit_events').find(filter).toArray();

test('the audit trail has a refusal with the act, the account and the ability, and nothing was done', async () => {
  const { id: accountId } = await aStoredPerson(app.database);
  const token = await tokenWith(['create', 'update'], accountId);
  // Otherwise it is summed up with refusals of the same minute.
  await afterSums();
  const http = await graphql('mutation { revokeOtherTokens }')(token);
  expect(http.status).toBe(200);
  await eventually(async () => {
    const events = await eventsOf({ accountId, outcome: 'failure' });
    expect(events).toMatchObject([
      { act: 'revocation', reason: 'the token lacks the ability delete', door: 'graphql' },
    ]);
  });
  expect(await app.database.tokens.countDocuments({ accountId })).toBe(2);
});

test.each([
  ['myTokens', 'reading', 'accountId'],
  ['exportMyData', 'data export', 'accountId'],
  ['doctorsForReview', 'review', 'byAccountId'],
  ['doctorForReview', 'review', 'byAccountId'],
  ['decideOnDoctor', 'review', 'byAccountId'],
  ['changePassword', 'password change', 'accountId'],
  ['requestEmailVerification', 'e-mail proof request', 'accountId'],
  ['changeEmail', 'e-mail change request', 'accountId'],
  ['enableTwoFactor', 'second factor setup', 'accountId'],
  ['confirmTwoFactor', 'second factor confirmation', 'accountId'],
  ['disableTwoFactor', 'second factor removal', 'accountId'],
  ['renewRecoveryCodes', 'recovery codes', 'accountId'],
  ['passkeyAddOptions', 'passkey setup', 'accountId'],
  ['addPasskey', 'passkey addition', 'accountId'],
  ['renamePasskey', 'passkey renaming', 'accountId'],
  ['removePasskey', 'passkey removal', 'accountId'],
  ['deleteMyAccount', 'closing', 'accountId'],
])('a refused %s is a failure of "%s" in the audit trail', async (name, act, field) => {
  const { id } = await aStoredPerson(app.database, { role: 'reviewer' });
  await afterSums();
  await GRAPHQL_ACTS[name]?.send(await tokenWith(['view-calendar'], id));
  await eventually(async () =>
    expect(await eventsOf({ [field]: id, outcome: 'failure' })).toMatchObject([{ act }]),
  );
});

test('a wrong password is not even tried with a token that may not close the account', async () => {
  const { id: accountId } = await aStoredPerson(app.database);
  await afterSums();
  await GRAPHQL_ACTS.deleteMyAccount?.send(await tokenWith([], accountId));
  expect(await app.database.accounts.countDocuments({ _id: accountId, disabledAt: null })).toBe(1);
  await eventually(async () =>
    expect(await eventsOf({ accountId, outcome: 'failure' })).toMatchObject([
      { act: 'closing', reason: 'the token lacks the ability delete' },
    ]),
  );
});

test('documents are refused by their token before any of them is received', async () => {
  const doctor = await newRejectedDoctor(app, await newReviewer(app));
  const token = await tokenWith(['create', 'delete'], String(doctor.account.id));
  const http = await sendForm(app.url, resubmitRequest(token, newDocuments()));
  expect([http.status, http.text.includes(MISSING_ABILITY)]).toEqual([403, true]);
  const allowed = await tokenWith(['update'], String(doctor.account.id));
  expect((await sendForm(app.url, resubmitRequest(allowed, newDocuments()))).text).not.toContain('errors');
});

test('an introspection says what a token names, as Sanctum does, and not what it may do here', async () => {
  const scopes = await Promise.all(
    [null, ['create', 'update', 'delete'], ['view-calendar'], []].map(
      async (abilities) => (await introspect(app.url, await tokenWith(abilities))).scope,
    ),
  );
  expect(scopes).toEqual(['*', 'create update delete', 'view-calendar', '']);
});
