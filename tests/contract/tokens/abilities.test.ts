import { randomUUID } from 'node:crypto';
import { emailLinkSettings } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { reference, SUBGRAPH } from '../../support/federation.ts';
import type { GraphqlBody } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { importedToken, sanctumSecret } from '../../support/legacy.ts';
import { sendForm } from '../../support/multipart.ts';
import { openApiDocument } from '../../support/openapi.ts';
import { addPasskey, anAuthenticator, confirmCredential, PASSKEYS } from '../../support/passkeys.ts';
import { auditEvents } from '../../support/privacy.ts';
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
/** An act that does nothing here if it is allowed: it fails later, or there is nothing to do. */
type Act = [needs: Need, send: (token: string) => Promise<HttpResponse>];

const graphql =
  (query: string) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(`${app.url}/graphql`, { query }, bearer(token));
const mutation = (field: string) => graphql(`mutation { ${field} }`);
const get =
  (path: string) =>
  (token: string): Promise<HttpResponse> =>
    send(app.url + path, { headers: bearer(token) });
const post =
  (path: string, body: object = {}) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(app.url + path, body, bearer(token));

const put =
  (path: string, body: object = {}) =>
  (token: string): Promise<HttpResponse> =>
    sendJson(app.url + path, body, bearer(token), 'PUT');

const WRONG = '{currentPassword: "a wrong password", newPassword: "another long password"}';

/** Every field of `Query` and `Mutation`. */
const GRAPHQL_ACTS: Readonly<Record<string, Act>> = {
  me: ['nothing', graphql('{ me { id email profile { licenseFileUrl } } }')],
  myTokens: ['everything', graphql('{ myTokens { id } }')],
  exportMyData: ['everything', graphql('{ exportMyData { generatedAt } }')],
  doctorsForReview: ['everything', graphql('{ doctorsForReview { edges { cursor } } }')],
  doctorForReview: ['everything', graphql('{ doctorForReview(id: "0") { revision } }')],
  _entities: [
    'nothing',
    (token) => {
      const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { email } } }';
      const variables = { r: [reference(person.id)] };
      return sendJson(`${app.url}/graphql`, { query, variables }, bearer(token));
    },
  ],
  _service: ['no token', graphql('{ _service { sdl } }')],
  registerDoctor: ['no token', mutation('registerDoctor(input: {}) { token }')],
  registerPatient: ['no token', mutation('registerPatient(input: {}) { token }')],
  login: ['no token', mutation('login(input: {}) { token }')],
  logout: ['nothing', mutation('logout { message }')],
  revokeToken: ['delete', mutation('revokeToken(id: "0")')],
  revokeOtherTokens: ['delete', mutation('revokeOtherTokens')],
  deleteMyAccount: ['delete', mutation('deleteMyAccount(input: {password: "wrong"}) { erasedAfter }')],
  decideOnDoctor: [
    'everything',
    mutation('decideOnDoctor(id: "0", revision: 0, decision: APPROVE) { revision }'),
  ],
  updateMyProfile: ['update', mutation('updateMyProfile(input: {}) { id }')],
  resubmitDocuments: ['update', (token) => sendForm(app.url, resubmitRequest(token))],
  changePassword: ['update', mutation(`changePassword(input: ${WRONG}) { revokedTokens }`)],
  requestEmailVerification: ['update', mutation('requestEmailVerification { message }')],
  verifyEmail: ['no token', mutation('verifyEmail(token: "none") { message }')],
  changeEmail: [
    'everything',
    mutation('changeEmail(input: {email: "new@example.org", password: "wrong"}) { message }'),
  ],
  completeLogin: ['no token', mutation('completeLogin(input: {challenge: "none", code: "1"}) { token }')],
  myTwoFactor: ['everything', graphql('{ myTwoFactor { enabled } }')],
  enableTwoFactor: ['everything', mutation('enableTwoFactor(input: {password: "wrong"}) { url }')],
  confirmTwoFactor: ['everything', mutation('confirmTwoFactor(input: {code: "1"}) { token }')],
  invitation: ['no token', graphql('{ invitation(token: "none") { email } }')],
  passkeyLoginOptions: ['no token', graphql('{ passkeyLoginOptions { options } }')],
  loginWithPasskey: ['no token', mutation('loginWithPasskey(input: {credential: {}}) { token }')],
  passkeyConfirmOptions: ['nothing', graphql('{ passkeyConfirmOptions { options } }')],
  passkeyAddOptions: ['everything', mutation('passkeyAddOptions(input: {password: "wrong"}) { options }')],
  addPasskey: ['everything', mutation('addPasskey(input: {credential: {}}) { id }')],
  myPasskeys: ['everything', graphql('{ myPasskeys { userHandle } }')],
  renamePasskey: ['everything', mutation('renamePasskey(id: "none", input: {name: "x"}) { id }')],
  removePasskey: ['everything', mutation('removePasskey(id: "none", input: {password: "x"}) { message }')],
  disableTwoFactor: ['everything', mutation('disableTwoFactor(input: {password: "wrong"}) { message }')],
  renewRecoveryCodes: [
    'everything',
    mutation('renewRecoveryCodes(input: {password: "wrong"}) { recoveryCodes }'),
  ],
  stepUp: [
    'nothing',
    (token) => mutation(`stepUp(input: {password: "${person.password}"}) { token }`)(token),
  ],
  requestPasswordReset: [
    'no token',
    mutation('requestPasswordReset(email: "nobody@example.org") { message }'),
  ],
  resetPassword: ['no token', mutation('resetPassword(input: {}) { message }')],
};

/** Every operation of the OpenAPI document. */
const REST_ACTS: Readonly<Record<string, Act>> = {
  registerDoctor: ['no token', post('/api/v1/auth/register/doctor')],
  registerPatient: ['no token', post('/api/v1/auth/register/patient')],
  login: ['no token', post('/api/v1/auth/login')],
  user: ['nothing', get('/api/v1/user')],
  logout: ['nothing', post('/api/v1/auth/logout')],
  changePassword: ['update', put('/api/v1/auth/password')],
  updateMyProfile: ['update', put('/api/v1/auth/user/profile-information')],
  requestEmailVerification: ['update', post('/api/v1/auth/email/verification-notification')],
  verifyEmail: ['no token', post('/api/v1/auth/verify-email', { token: 'none' })],
  changeEmail: ['everything', put('/api/v1/auth/user/email')],
  completeLogin: ['no token', post('/api/v1/auth/two-factor-challenge', { challenge: 'none' })],
  myTwoFactor: ['everything', get('/api/v1/auth/user/two-factor-authentication')],
  enableTwoFactor: ['everything', post('/api/v1/auth/user/two-factor-authentication', { password: 'wrong' })],
  confirmTwoFactor: [
    'everything',
    post('/api/v1/auth/user/confirmed-two-factor-authentication', { code: '1' }),
  ],
  passkeyLoginOptions: ['no token', get('/api/v1/auth/passkeys/login/options')],
  loginWithPasskey: ['no token', post('/api/v1/auth/passkeys/login', { credential: {} })],
  passkeyConfirmOptions: ['nothing', get('/api/v1/auth/passkeys/confirm/options')],
  confirmPasskey: [
    'nothing',
    async (token) => {
      const credential = await confirmCredential(app.url, authenticator, token);
      return post('/api/v1/auth/passkeys/confirm', { credential })(token);
    },
  ],
  passkeyAddOptions: ['everything', post('/api/v1/auth/user/passkeys/options', { password: 'wrong' })],
  addPasskey: ['everything', post('/api/v1/auth/user/passkeys', { credential: {} })],
  myPasskeys: ['everything', get('/api/v1/auth/user/passkeys')],
  renamePasskey: ['everything', put('/api/v1/auth/user/passkeys/none', { name: 'x' })],
  removePasskey: ['everything', post('/api/v1/auth/user/passkeys/none/remove')],
  disableTwoFactor: ['everything', post('/api/v1/auth/user/two-factor-authentication/disable')],
  renewRecoveryCodes: ['everything', post('/api/v1/auth/user/two-factor-recovery-codes')],
  stepUp: [
    'nothing',
    (token) => post('/api/v1/auth/user/confirm-two-factor', { password: person.password })(token),
  ],
  requestPasswordReset: ['no token', post('/api/v1/auth/forgot-password', { email: 'nobody@example.org' })],
  resetPassword: ['no token', post('/api/v1/auth/reset-password')],
  introspect: ['no token', post('/oauth/introspect')],
  events: ['no token', get('/events')],
  eventAccounts: ['no token', post('/events/accounts')],
  forwardAuth: ['nothing', get('/forward-auth')],
  readDocument: ['no token', get('/storage/licenses/none.pdf')],
  readLegacyDocument: ['no token', get('/storage/doctor_profiles/licenses/none.pdf')],
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
async function outcomeOf(api: string, [needs, sendAct]: Act, abilities: string[] | null) {
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
      expected[name] = ['no token', ...meets].includes(act[0]) ? 'allowed' : 'refused';
    }
    expect(outcomes).toEqual(expected);
  }
});

const eventsOf = (filter: object) => auditEvents(app).find(filter).toArray();

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
  await GRAPHQL_ACTS[name]?.[1](await tokenWith(['view-calendar'], id));
  await eventually(async () =>
    expect(await eventsOf({ [field]: id, outcome: 'failure' })).toMatchObject([{ act }]),
  );
});

test('a wrong password is not even tried with a token that may not close the account', async () => {
  const { id: accountId } = await aStoredPerson(app.database);
  await afterSums();
  await GRAPHQL_ACTS.deleteMyAccount?.[1](await tokenWith([], accountId));
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
