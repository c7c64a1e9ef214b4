import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { codeAt, enrol, nextCode, TWO_FACTOR } from '../../support/second-factor.ts';
import { introspect, SERVICES } from '../../support/services.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

/* What services and proxies learn about the proof of a token's owner, and what they can require of it (RFC 9470). */

const app = useTestApp({ ...SERVICES, ...TWO_FACTOR });

const nowSeconds = () => Math.floor(testClock.now() / 1000);
const check = (token: string, query = '', headers: Record<string, string> = {}): Promise<HttpResponse> =>
  send(`${app.url}/forward-auth${query}`, { headers: { ...bearer(token), ...headers } });
const statusOf = async (token: string, query: string) => (await check(token, query)).status;
const acrOf = async (token: string) => (await check(token)).headers.get('x-auth-acr');
const setToken = (token: string, change: object) =>
  app.database.db
    .collection<{ _id: string }>('access_tokens')
    .updateOne({ _id: tokenIdOf(token) }, change as never);

async function somebody() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, id: String(account.id), token };
}

async function enrolled() {
  const person = await somebody();
  return { ...person, ...(await enrol(app.url, person)) };
}

/** The token that a login or a step-up of an enrolled account gets. */
async function tokenBy(path: string, fields: object, token?: string): Promise<string> {
  const headers = token === undefined ? {} : bearer(token);
  const http = await sendJson(`${app.url}/api/v1/auth/${path}`, fields, headers);
  expect([http.status, http.status === 200 ? '' : http.text]).toEqual([200, '']);
  return jsonOf<{ token: string }>(http).token;
}

const DESCRIPTION = 'error_description="A different authentication level is required"';
/** Expects a refusal that asks the client for more (RFC 9470 section 3). */
function expectInsufficient(http: HttpResponse, ...required: string[]): void {
  expect([http.status, jsonOf(http)]).toEqual([
    401,
    { message: 'A stronger or newer authentication is required.' },
  ]);
  expect(http.headers.get('www-authenticate')).toBe(
    ['Bearer error="insufficient_user_authentication"', DESCRIPTION, ...required].join(', '),
  );
  expect(http.headers.get('cache-control')).toBe('no-store');
  for (const name of ['account', 'role', 'abilities', 'verification', 'acr']) {
    expect(http.headers.get(`x-auth-${name}`)).toBeNull();
  }
}

test('a password is aal1, a code or a recovery code with it is aal2', async () => {
  const { email, password, secretKey, recoveryCodes, token } = await enrolled();
  const byCode = await tokenBy('login', { email, password, code: codeAt(secretKey) });
  const byRecovery = await tokenBy('login', { email, password, recovery_code: recoveryCodes[0] });
  const aal2 = { active: true, acr: 'aal2', auth_time: nowSeconds() };
  expect(await introspect(app.url, byCode)).toMatchObject({ ...aal2, amr: ['pwd', 'otp', 'mfa'] });
  expect(await introspect(app.url, byRecovery)).toMatchObject({ ...aal2, amr: ['pwd', 'mfa'] });
  expect(await introspect(app.url, token)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  const other = await somebody();
  expect(await introspect(app.url, other.token)).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
  expect(await Promise.all([byCode, byRecovery, token, other.token].map(acrOf))).toEqual([
    ...['aal2', 'aal2', 'aal2', 'aal1'],
  ]);
});

test('aal2 lets only those pass who have proven a second factor, and says what is missing to the others', async () => {
  const [weak, strong] = [await somebody(), await enrolled()];
  expectInsufficient(await check(weak.token, '?acr=aal2'), 'acr_values="aal2"');
  expectInsufficient(await check(weak.token, '?max_age=900&acr=aal2'), 'acr_values="aal2"', 'max_age="900"');
  expect(await statusOf(weak.token, '?acr=aal1')).toBe(204);
  expect(await statusOf(weak.token, '?acr=aal1&max_age=900')).toBe(204);
  for (const query of ['?acr=aal1', '?acr=aal2', '?acr=aal2&max_age=900', '?max_age=1', '']) {
    expect([query, await statusOf(strong.token, query)]).toEqual([query, query === '?max_age=1' ? 401 : 204]);
  }
});

test('a proof is recent enough to the millisecond, and neither a use nor an earlier refusal makes it newer', async () => {
  const { token } = await somebody();
  testClock.move(900_000);
  expect(await statusOf(token, '?max_age=900')).toBe(204);
  testClock.move(1);
  expectInsufficient(await check(token, '?max_age=900'), 'max_age="900"');
  expectInsufficient(await check(token, '?max_age=900'), 'max_age="900"');
  expectInsufficient(await check(token, '?acr=aal1&max_age=900'), 'acr_values="aal1"', 'max_age="900"');
  expect(await statusOf(token, '?max_age=901')).toBe(204);
  expect(await statusOf(token, '?max_age=999999999')).toBe(204);
  expect(await statusOf(token, '?acr=aal1')).toBe(204);
});

test('a step-up is a new proof: its token passes, and the presented one has ended', async () => {
  const person = await enrolled();
  const { password, secretKey } = person;
  testClock.move(3_600_000);
  await nextCode();
  const query = '?acr=aal2&max_age=900';
  expectInsufficient(await check(person.token, query), 'acr_values="aal2"', 'max_age="900"');
  const code = codeAt(secretKey);
  const token = await tokenBy('user/confirm-two-factor', { password, code }, person.token);
  const { status, headers } = await check(token, query);
  expect([status, headers.get('x-auth-account'), headers.get('x-auth-acr')]).toEqual([
    204,
    person.id,
    'aal2',
  ]);
  expect(await introspect(app.url, token)).toMatchObject({ auth_time: nowSeconds(), acr: 'aal2' });
  const ended = await check(person.token, query);
  expect([ended.status, ended.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

test.each<[string, object]>([
  ['an imported token, or one of an earlier version', { $unset: { amr: 1, authTime: 1 } }],
  ['a token with a time of proof alone', { $unset: { amr: 1 } }],
  ['a token with no known method', { $set: { amr: ['swk', 'MFA', 'mfa '] } }],
  ['a token with an empty list of methods', { $set: { amr: [] } }],
])('%s meets no requirement, and has an empty X-Auth-Acr', async (_, change) => {
  const { token } = await enrolled();
  await setToken(token, change);
  const http = await check(token);
  expect([http.status, http.headers.get('x-auth-acr')]).toEqual([204, '']);
  expectInsufficient(await check(token, '?acr=aal1'), 'acr_values="aal1"');
  expectInsufficient(await check(token, '?acr=aal2'), 'acr_values="aal2"');
  expectInsufficient(await check(token, '?max_age=999999999'), 'max_age="999999999"');
  const answer = await introspect(app.url, token);
  expect(answer).toMatchObject({ active: true });
  for (const field of ['acr', 'amr', 'auth_time']) {
    expect(answer).not.toHaveProperty(field);
  }
});

test('a token without a time of proof is never recent', async () => {
  const { token } = await enrolled();
  await setToken(token, { $unset: { authTime: 1 } });
  expect(await statusOf(token, '?acr=aal2')).toBe(204);
  expectInsufficient(
    await check(token, '?acr=aal2&max_age=999999999'),
    'acr_values="aal2"',
    'max_age="999999999"',
  );
  expect(await introspect(app.url, token)).not.toHaveProperty('auth_time');
});

test.each<[string, object]>([
  ['methods that are a text', { amr: 'mfa' }],
  ['a method that is no text', { amr: ['pwd', { mfa: 1 }] }],
  ['a time of proof that is a number', { authTime: 4_102_444_800_000 }],
])('a stored token with %s is not valid', async (_, change) => {
  const { token } = await enrolled();
  await setToken(token, { $set: change });
  const http = await check(token, '?acr=aal2&max_age=900');
  expect([http.status, http.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(await introspect(app.url, token)).toEqual({ active: false });
});

const UNKNOWN = {
  message:
    'Only role (doctor, patient, reviewer), ability, verified=true, email_verified=true, acr (aal1, aal2) and max_age (seconds, from 1) can be required.',
};

test.each([
  ...['aal3', 'aal0', '', 'AAL2', 'aal2%20', 'aal1%20aal2', 'aal1,aal2', '2', 'true', 'a'.repeat(4_000)].map(
    (acr) => `acr=${acr}`,
  ),
  'acr=aal2&acr=aal2',
  'acr=aal1&acr=aal2',
  'acr=aal2&acr=',
  'acr',
  'acr[]=aal2',
  'acr[0]=aal2',
  'ACR=aal2',
  ...['0', '-1', '1.5', '1e3', '', '0900', '%2B900', '900s', '0x384', 'NaN'].map((age) => `max_age=${age}`),
  ...['1000000000', '9'.repeat(400), '٩٠٠', '９００'].map((age) => `max_age=${encodeURIComponent(age)}`),
  'max_age=900&max_age=900',
  'max_age=1&max_age=900',
  'max_age',
  'max_age[]=900',
  'maxAge=900',
  'max-age=900',
  'acr=aal2&max_age=0',
  'acr=aal3&max_age=900',
])('%s is a requirement that gets 400, and lets nobody pass', async (required) => {
  const { token } = await somebody();
  const envoy = await send(`${app.url}/forward-auth/envoy/x`, {
    headers: { ...bearer(token), 'X-Forward-Auth': encodeURI(decodeURIComponent(required)) },
  });
  for (const http of [await check(token, `?${required}`), await check('x', `?${required}`), envoy]) {
    expect([http.status, jsonOf(http), http.headers.get('x-auth-account')]).toEqual([400, UNKNOWN, null]);
  }
});

test('whoever may not pass anyway gets 403, and is not asked for a useless second factor', async () => {
  const { token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const more = '&acr=aal2&max_age=900';
  for (const required of ['role=patient', 'ability=publish', 'verified=true', 'email_verified=true']) {
    expect([required, await statusOf(token, `?${required}${more}`)]).toEqual([required, 403]);
  }
  expectInsufficient(await check(token, `?role=doctor${more}`), 'acr_values="aal2"', 'max_age="900"');
});

test('Envoy sends the requirements in its header, and gets the level and the refusal as others do', async () => {
  const [weak, strong] = [await somebody(), await enrolled()];
  const ask = (token: string) =>
    send(`${app.url}/forward-auth/envoy/records?acr=aal1`, {
      method: 'POST',
      headers: { ...bearer(token), 'X-Forward-Auth': 'acr=aal2&max_age=900' },
    });
  expectInsufficient(await ask(weak.token), 'acr_values="aal2"', 'max_age="900"');
  const { status, headers } = await ask(strong.token);
  expect([status, headers.get('x-auth-acr')]).toEqual([200, 'aal2']);
});

test('the audit trail has who was asked for more, and for what', async () => {
  const { id, token } = await somebody();
  await afterSums();
  await check(token, '?acr=aal2&max_age=900');
  await afterSums(async () => {
    const found = await trailOf(app, { act: 'forward authentication', accountId: id });
    expect(found.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failure', 'the authentication is not strong or recent enough acr_values="aal2" max_age="900"'],
    ]);
  });
});
