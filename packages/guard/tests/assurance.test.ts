import type { FastifyRequest, Guard, Requirements } from '../src/types.ts';
import { answerOf as answerOfHandlers, ok } from './support/express-service.ts';
import { ACTIVE, FakeGateway, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();

const AUTH_TIME = ACTIVE.iat;
const AAL1 = { acr: 'aal1', amr: ['pwd'], auth_time: AUTH_TIME };
const AAL2 = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: AUTH_TIME };
const REQUEST = { headers: { authorization: `Bearer ${TOKEN}` } };
const MESSAGE = 'A stronger or newer authentication is required.';
const challenge = (...required: string[]) =>
  [
    'Bearer error="insufficient_user_authentication"',
    'error_description="A different authentication level is required"',
    ...required,
  ].join(', ');

/** A clock that a test sets. It stands on the time of the proof. */
const clock = {
  millis: 0,
  now: () => AUTH_TIME * 1000 + clock.millis,
  elapsed: () => 0,
};
beforeEach(() => {
  clock.millis = 0;
});

/** The answer of an Express service whose route has these requirements, one guard after the other. */
const answerOf = (guard: Guard, ...requirements: Requirements[]) =>
  answerOfHandlers([...requirements.map((required) => guard.express(required)), ok]);

test('the session has how, how well and when its owner was proven, and cannot be changed', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL2 });
  const session = await gateway.guard().check(TOKEN);
  expect(session).toMatchObject({
    acr: 'aal2',
    amr: ['pwd', 'otp', 'mfa'],
    authTime: new Date(AUTH_TIME * 1000),
  });
  expect(Object.isFrozen(session?.amr)).toBe(true);
});

test.each([
  [AAL1, { acr: 'aal1' }, 200],
  [AAL1, { acr: 'aal2' }, 401],
  [AAL2, { acr: 'aal1' }, 200],
  [AAL2, { acr: 'aal2' }, 200],
  [AAL2, { acr: 'aal2', maxAge: 1 }, 200],
  [AAL1, { maxAge: 1 }, 200],
  // An imported token, or an older gateway.
  [{}, {}, 200],
  [{}, { acr: 'aal1' }, 401],
  [{}, { maxAge: 1_000_000 }, 401],
  [{ auth_time: AUTH_TIME }, { maxAge: 1_000_000 }, 401],
  [{ amr: ['pwd', 'otp', 'mfa'] }, { acr: 'aal1' }, 401],
  [{ acr: 'aal2' }, { acr: 'aal2' }, 200],
  [{ acr: 'aal2' }, { acr: 'aal2', maxAge: 1_000_000 }, 401],
  // A level that this guard does not know.
  [{ ...AAL2, acr: 'aal3' }, { acr: 'aal1' }, 401],
  [{ ...AAL2, acr: 'AAL2' }, { acr: 'aal2' }, 401],
  [{ ...AAL2, acr: 'aal3' }, { maxAge: 900 }, 401],
  [{ ...AAL2, acr: 'aal3' }, {}, 200],
  // Far beyond what a date can have.
  [{ ...AAL2, auth_time: 1e300 }, { maxAge: 900 }, 401],
] as const)('with %j, the requirements %j get %i', async (fields, requirements, status) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...fields });
  const http = await answerOf(gateway.guard({}, clock), requirements);
  expect(http.status).toBe(status);
  if (status === 401) {
    expect(http.headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_user_authentication", error_description="[^"]+"(, acr_values="aal[12]")?(, max_age="\d+")?$/,
    );
  }
});

test.each([
  { acr: 2 },
  { acr: '' },
  { acr: null },
  { acr: ['aal2'] },
  { amr: 'mfa' },
  { amr: ['pwd', 1] },
  { amr: null },
  { amr: { 0: 'mfa' } },
  { auth_time: '1700000000' },
  { auth_time: -1 },
  { auth_time: null },
])('an answer with %j is not that of a gateway, so nobody passes', async (fields) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL2, ...fields });
  expect((await answerOf(gateway.guard(), {})).status).toBe(503);
  expect(gateway.errors).toMatchObject([{ code: 'INVALID_RESPONSE' }]);
});

test.each<[Requirements, string]>([
  [{ acr: 'aal2' }, challenge('acr_values="aal2"')],
  [{ maxAge: 900 }, challenge('max_age="900"')],
  [{ acr: 'aal2', maxAge: 900 }, challenge('acr_values="aal2"', 'max_age="900"')],
  [{ role: 'doctor', maxAge: 900, acr: 'aal2' }, challenge('acr_values="aal2"', 'max_age="900"')],
])('under %j the refusal says what is required, and is no plain 401', async (requirements, header) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL1 });
  clock.millis = 900_001;
  const http = await answerOf(gateway.guard({}, clock), requirements);
  expect([http.status, http.headers['www-authenticate'], http.body]).toEqual([
    401,
    header,
    { message: MESSAGE },
  ]);
});

test('the hook for Fastify answers the same', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL1 });
  const sent: unknown[] = [];
  const record = (value: unknown) => void sent.push(value);
  const reply = { code: record, headers: record, send: record };
  const request = { ...REQUEST, raw: REQUEST } as FastifyRequest;
  const hook = gateway.guard({}, clock).fastify({ acr: 'aal2', maxAge: 900 });
  expect(await hook(request, reply)).toBe(reply);
  expect(sent).toEqual([
    401,
    { 'WWW-Authenticate': challenge('acr_values="aal2"', 'max_age="900"') },
    { message: MESSAGE },
  ]);
});

test.each([{ role: 'patient' }, { ability: 'delete' }, { verified: true }, { emailVerified: true }] as const)(
  'whoever does not meet %j gets 403, and is not asked for a useless proof',
  async (requirements) => {
    gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL1, scope: 'create' });
    const http = await answerOf(gateway.guard(), { ...requirements, acr: 'aal2', maxAge: 1 });
    expect([http.status, http.headers['www-authenticate']]).toEqual([403, undefined]);
  },
);

test('a token that is not valid gets the plain 401', async () => {
  gateway.answer = FakeGateway.says({ active: false });
  const http = await answerOf(gateway.guard(), { acr: 'aal2', maxAge: 900 });
  expect([http.status, http.headers['www-authenticate']]).toEqual([401, 'Bearer']);
});

test.each([
  [-60_000, 401],
  [-59_999, 200],
  [0, 200],
  [900_000, 200],
  [900_001, 401],
])('a proof of %i ms ago under a limit of 900 s gets %i', async (millis, status) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL2 });
  clock.millis = millis;
  expect((await answerOf(gateway.guard({}, clock), { maxAge: 900 })).status).toBe(status);
});

test('a proof ages in the cache: a kept session is compared at each use', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL2 });
  // Its time does not pass on `elapsed`, so the answer stays in the cache.
  const guard = gateway.guard({ cacheMillis: 3_600_000 }, clock);
  const statuses = [];
  for (const millis of [0, 900_000, 900_001, 1_800_000]) {
    clock.millis = millis;
    const required = { acr: 'aal2', maxAge: 900 } as const;
    statuses.push([
      (await answerOf(guard, required)).status,
      (await answerOf(guard, { acr: 'aal2' })).status,
    ]);
  }
  expect(statuses).toEqual([
    [200, 200],
    [200, 200],
    [401, 200],
    [401, 200],
  ]);
  expect(gateway.questions.length).toBe(1);
});

test('a second guard of a request compares again, and a refused request has no session', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL1 });
  const guard = gateway.guard({}, clock);
  expect((await answerOf(guard, {}, { acr: 'aal2' })).status).toBe(401);
  expect(gateway.questions.length).toBe(1);
  const request = { ...REQUEST, raw: REQUEST } as FastifyRequest;
  await guard.fastify({ acr: 'aal2' })(request, { code() {}, headers() {}, send() {} });
  expect(() => guard.session(request)).toThrow('This request has passed no guard.');
});

describe('the context of a GraphQL operation', () => {
  test('refuses with a code of its own, and says what is required', async () => {
    gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL1 });
    const { session, requireSession } = await gateway.guard({}, clock).context(REQUEST);
    expect(requireSession({ acr: 'aal1', maxAge: 900 })).toBe(session);
    const code = 'INSUFFICIENT_USER_AUTHENTICATION';
    for (const required of [{ acr: 'aal2' }, { acr: 'aal2', maxAge: 900 }] as const) {
      expect(() => requireSession(required)).toThrow(
        expect.objectContaining({ message: MESSAGE, extensions: { code, ...required } }),
      );
    }
    expect(() => requireSession({ role: 'patient', acr: 'aal2' })).toThrow(
      expect.objectContaining({ extensions: { code: 'FORBIDDEN', reason: 'role' } }),
    );
  });

  // A subscription has its context for hours.
  test('compares at each call', async () => {
    gateway.answer = FakeGateway.says({ ...ACTIVE, ...AAL2 });
    const { requireSession } = await gateway.guard({}, clock).context(REQUEST);
    expect(requireSession({ maxAge: 900 }).acr).toBe('aal2');
    clock.millis = 900_001;
    expect(() => requireSession({ maxAge: 900 })).toThrow(
      expect.objectContaining({ extensions: { code: 'INSUFFICIENT_USER_AUTHENTICATION', maxAge: 900 } }),
    );
  });

  test.each([{ acr: 'aal3' }, { maxAge: 0 }, { maxAge: undefined }])(
    'throws for the requirements %p, which do not exist',
    async (required) => {
      const { requireSession } = await gateway.guard().context(REQUEST);
      expect(() => requireSession(required as Requirements)).toThrow(TypeError);
    },
  );
});
