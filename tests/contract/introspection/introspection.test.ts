import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, ask, basic, introspect, SERVICES } from '../../support/services.ts';
import { tokenIdOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const BASE_URL = 'https://gateway.example.org';
const app = useTestApp({ ...SERVICES, BASE_URL });

const tokens = () => app.database.db.collection<{ _id: string }>('access_tokens');
const accounts = () => app.database.db.collection<{ _id: string }>('accounts');
const profiles = () => app.database.db.collection<{ _id: string }>('doctor_profiles');
const aSession = async () => authenticated(await restApi(app.url).registerPatient(aPatient()));

test('the scope has the abilities, and exp the end of the token', async () => {
  const { token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const expiresAt = new Date(testClock.now() + 90_000);
  await tokens().updateOne({ _id: tokenIdOf(token) }, { $set: { expiresAt } });
  expect(await introspect(app.url, token)).toMatchObject({
    role: 'doctor',
    scope: 'create update delete',
    exp: Math.floor(expiresAt.getTime() / 1000),
  });
});

test('only a doctor has a state of verification, as reviewers have decided', async () => {
  const { account, token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  expect(await introspect(app.url, token)).toMatchObject({ role: 'doctor', verification: 'pending' });
  const verification = { status: 'verified', decidedAt: new Date(), reason: null, submittedAt: new Date() };
  await profiles().updateOne({ _id: account.id }, { $set: { verification } });
  expect(await introspect(app.url, token)).toMatchObject({ verification: 'verified' });
  // An operator makes reviewers. They have no such state, even if they were doctors before.
  await accounts().updateOne({ _id: account.id }, { $set: { role: 'reviewer' } });
  const reviewer = await introspect(app.url, token);
  expect(reviewer).toMatchObject({ active: true, role: 'reviewer' });
  expect(reviewer).not.toHaveProperty('verification');
});

test('the states of many doctors at a time are not mixed up', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 6 }, async () => registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()))),
  );
  const statuses = ['verified', 'suspended', 'rejected', 'pending', 'verified', 'suspended'];
  for (const [index, { account }] of sessions.entries()) {
    const verification = { status: statuses[index], decidedAt: null, reason: null, submittedAt: new Date() };
    await profiles().updateOne({ _id: account.id }, { $set: { verification } });
  }
  const answers = await Promise.all(sessions.map(({ token }) => introspect(app.url, token)));
  expect(answers.map((answer) => Reflect.get(answer as object, 'verification'))).toEqual(statuses);
});

test.each([
  ['none', [], ''],
  ['one with a blank and one with a quote, which a scope cannot have', ['read all', 'a"b', 'read'], 'read'],
  ['one with a line break', ['read\r\nX-Auth-Role: doctor'], ''],
])(
  'the scope of a token whose abilities are %s has only what a scope may have',
  async (_, abilities, scope) => {
    const { token } = await aSession();
    await tokens().updateOne({ _id: tokenIdOf(token) }, { $set: { abilities } });
    expect(await introspect(app.url, token)).toMatchObject({ active: true, scope });
  },
);

test('a token without a time of issue, as Sanctum may have, has no iat', async () => {
  const { token } = await aSession();
  await tokens().updateOne({ _id: tokenIdOf(token) }, { $unset: { createdAt: 1 } });
  const answer = await introspect(app.url, token);
  expect(answer).toMatchObject({ active: true });
  expect(answer).not.toHaveProperty('iat');
});

const INACTIVE = { active: false };
const UNKNOWN = `${'0'.repeat(24)}|`;

test.each<[string, (token: string) => string]>([
  ['malformed', () => 'x'],
  ['of 100,000 characters', () => 'x'.repeat(100_000)],
  ['of bytes that are not UTF-8', () => '%FF%FE'],
  ['of a percent sign that encodes nothing', () => '%zz'],
  [
    'of a wrong secret',
    (token) => `${token.slice(0, -9)}${token.at(-9) === 'a' ? 'b' : 'a'}${token.slice(-8)}`,
  ],
  ['of an unknown id', (token) => UNKNOWN + token.slice(token.indexOf('|') + 1)],
  ['with the header name around it', (token) => `Bearer ${token}`],
])('a token %s is not active', async (_, change) => {
  const { token } = await aSession();
  const http = await ask(app.url, `token=${change(token)}`);
  expect([http.status, jsonOf(http)]).toEqual([200, INACTIVE]);
});

test('a revoked token is not active, at once', async () => {
  const { token } = await aSession();
  expect(await introspect(app.url, token)).toMatchObject({ active: true });
  succeeded(await restApi(app.url).logout(`Bearer ${token}`));
  expect(await introspect(app.url, token)).toEqual(INACTIVE);
});

test('an expired token is not active', async () => {
  const { token } = await aSession();
  const expiresAt = new Date(testClock.now());
  await tokens().updateOne({ _id: tokenIdOf(token) }, { $set: { expiresAt } });
  expect(await introspect(app.url, token)).toEqual(INACTIVE);
});

test.each([
  ['a disabled account', { disabledAt: new Date() }],
  ['an account with an invalid record', { role: 'admin' }],
])('the token of %s is not active', async (_, change) => {
  const { account, token } = await aSession();
  await accounts().updateOne({ _id: account.id }, { $set: change });
  expect(await introspect(app.url, token)).toEqual(INACTIVE);
});

test('a question is a use of the token', async () => {
  const { token } = await aSession();
  await introspect(app.url, token);
  const lastUsedAt = new Date(testClock.now());
  await testClock.advance(1_000);
  await eventually(async () => {
    expect(await tokens().findOne({ _id: tokenIdOf(token) })).toMatchObject({ lastUsedAt });
  });
});

test('an answer is not stored, and has no CORS header', async () => {
  const { token } = await aSession();
  const { headers } = await ask(app.url, `token=${encodeURIComponent(token)}`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('a hint for the type of the token is ignored', async () => {
  const { token } = await aSession();
  const http = await ask(app.url, `token_type_hint=refresh_token&token=${encodeURIComponent(token)}`);
  expect(jsonOf(http)).toMatchObject({ active: true });
});

describe('a request that cannot be read', () => {
  const invalid = (error_description: string) => ({ error: 'invalid_request', error_description });

  test.each([
    ['no token', 'token_type_hint=access_token', 'The parameter token is missing.'],
    ['an empty token', 'token=', 'The parameter token is missing.'],
    ['an empty body', '', 'The parameter token is missing.'],
    ['two tokens', 'token=a&token=b', 'The parameter token must be sent once.'],
    ['an equal token twice', 'token=a&token=a', 'The parameter token must be sent once.'],
  ])('with %s is invalid', async (_, body, description) => {
    const http = await ask(app.url, body);
    expect([http.status, jsonOf(http)]).toEqual([400, invalid(description)]);
    expect(http.headers.get('cache-control')).toBe('no-store');
  });

  test('with the token in the query is invalid, because proxies log the query', async () => {
    const { token } = await aSession();
    const http = await send(`${app.url}/oauth/introspect?%74oken=${encodeURIComponent(token)}`, {
      method: 'POST',
      headers: basic(APPOINTMENTS.id, APPOINTMENTS.secret),
    });
    expect(http.status).toBe(400);
    expect(jsonOf(http)).toMatchObject({ error: 'invalid_request' });
  });

  test.each(['GET', 'PUT', 'DELETE'])('with the method %s gets 405', async (method) => {
    const http = await send(`${app.url}/oauth/introspect`, {
      method,
      headers: basic(APPOINTMENTS.id, APPOINTMENTS.secret),
    });
    expect([http.status, http.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    ['JSON', { 'Content-Type': 'application/json' }],
    ['no type', { 'Content-Type': '' }],
    ['a type with another charset', { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-7' }],
    ['a compressed body', { 'Content-Encoding': 'gzip' }],
  ])('with %s gets 415', async (_, headers) => {
    const sent = { ...basic(APPOINTMENTS.id, APPOINTMENTS.secret), ...headers };
    expect((await ask(app.url, 'token=a', sent)).status).toBe(415);
  });

  test('with a body of more than 100 KiB gets 413', async () => {
    expect((await ask(app.url, `token=${'x'.repeat(103_000)}`)).status).toBe(413);
  });
});
