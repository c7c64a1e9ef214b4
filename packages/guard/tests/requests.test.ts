import type { RequestHandler } from 'express';
import type { Guard, GuardedRequest, Requirements, Role } from '../src/types.ts';
import { answerOf, ok } from './support/express-service.ts';
import { ACTIVE, BEARER, FakeGateway, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();
const raise = () => {
  throw new Error('the log is full');
};

test('a request with a valid token passes, and its handler has the session', async () => {
  const guard = gateway.guard();
  const handler: RequestHandler = (req, res) => void res.json(guard.session(req));
  const { status, body } = await answerOf([guard.express(), handler]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ accountId: '6720aa', role: 'doctor', name: 'Dr. Ada Example' });
});

test('a request with a token that is not valid gets 401', async () => {
  gateway.answer = FakeGateway.says({ active: false });
  expect(await answerOf([gateway.guard().express(), ok])).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/json' },
    body: { message: 'Unauthenticated.' },
  });
});

test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN}  `])(
  'the header "%s" has a token',
  async (header) => {
    expect((await answerOf([gateway.guard().express(), ok], { Authorization: header })).status).toBe(200);
  },
);

test.each<[string, Record<string, string | string[]>]>([
  ['no header', {}],
  ['another scheme', { Authorization: `Basic ${TOKEN}` }],
  ['no scheme', { Authorization: TOKEN }],
  ['a scheme without a token', { Authorization: 'Bearer ' }],
  ['a token of two words', { Authorization: `Bearer ${TOKEN} x` }],
  ['two headers', { Authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] }],
  ['a token in another header', { 'X-Authorization': `Bearer ${TOKEN}` }],
])('a request with %s gets 401, and costs no question', async (_what, headers) => {
  const { status } = await answerOf([gateway.guard().express(), ok], headers);
  expect([status, gateway.questions]).toEqual([401, []]);
});

test.each([
  [{ role: 'doctor' }, 200, 'passed'],
  [{ role: 'patient' }, 403, { message: 'This action is unauthorized.', reason: 'role' }],
  [{ role: ['patient', 'doctor'] }, 200, 'passed'],
  [{ role: ['patient', 'reviewer'] }, 403, { message: 'This action is unauthorized.', reason: 'role' }],
  [{ verified: true }, 403, { message: 'This action is unauthorized.', reason: 'verification' }],
  [{ emailVerified: true }, 403, { message: 'This action is unauthorized.', reason: 'email' }],
  [{ ability: 'update' }, 200, 'passed'],
  [{ ability: 'delete' }, 403, { message: 'Invalid ability provided.', reason: 'ability' }],
  [{ ability: ['update', 'create'] }, 200, 'passed'],
  [{ ability: ['update', 'delete'] }, 403, { message: 'Invalid ability provided.', reason: 'ability' }],
  [{ role: 'doctor', ability: 'delete' }, 403, { message: 'Invalid ability provided.', reason: 'ability' }],
  [{ role: 'doctor', ability: 'create' }, 200, 'passed'],
] as const)(
  'a doctor with the abilities create and update under %j gets %i',
  async (requirements, status, body) => {
    gateway.answer = FakeGateway.says({ ...ACTIVE, scope: 'create update' });
    expect(await answerOf([gateway.guard().express(requirements), ok])).toMatchObject({ status, body });
  },
);

test.each([
  [{ verification: 'verified' }, { verified: true }, 200],
  [{ verification: 'verified' }, { role: 'patient', verified: true }, 403],
  [{ verification: 'verified', scope: '' }, { ability: 'update', verified: true }, 403],
  [{ verification: 'pending' }, { verified: true }, 403],
  [{ verification: 'rejected' }, { verified: true }, 403],
  [{ verification: 'suspended' }, { verified: true }, 403],
  [{ verification: 'suspended' }, {}, 200],
  // An older gateway, and a patient.
  [{ verification: undefined }, { verified: true }, 403],
  [{ role: 'patient', verification: undefined }, { verified: true }, 403],
  [{ email_verified: true }, { emailVerified: true }, 200],
  [{ email_verified: false }, { emailVerified: true }, 403],
  [{ email_verified: undefined }, { emailVerified: true }, 403],
  [{ email_verified: true, verification: 'pending' }, { emailVerified: true, verified: true }, 403],
] as const)('with %j, the requirements %j get %i', async (fields, requirements, status) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, ...fields });
  expect((await answerOf([gateway.guard().express(requirements), ok])).status).toBe(status);
});

describe('where a token is optional', () => {
  const reader: (guard: Guard) => RequestHandler = (guard) => (req, res) =>
    void res.json(guard.findSession(req)?.name ?? 'stranger');
  const optional = { optional: true, role: 'doctor' } as const;

  test('a request without one passes, and one with a token has its session', async () => {
    const guard = gateway.guard();
    expect(await answerOf([guard.express(optional), reader(guard)], {})).toMatchObject({
      status: 200,
      body: 'stranger',
    });
    expect(gateway.questions).toEqual([]);
    expect((await answerOf([guard.express(optional), reader(guard)])).body).toBe('Dr. Ada Example');
  });

  test('a token that is presented must be valid, and meet the other requirements', async () => {
    const guard = gateway.guard();
    const twice = { Authorization: [BEARER.Authorization, BEARER.Authorization] };
    for (const headers of [{ Authorization: 'Bearer' }, { Authorization: 'Basic eDp4' }, twice]) {
      expect((await answerOf([guard.express(optional), ok], headers)).status).toBe(401);
    }
    gateway.answer = FakeGateway.says({ ...ACTIVE, role: 'patient' });
    expect((await answerOf([guard.express(optional), ok])).status).toBe(403);
    gateway.answer = FakeGateway.says({ active: false });
    expect((await answerOf([guard.express(optional), ok])).status).toBe(401);
    gateway.answer = FakeGateway.says('', 503);
    expect((await answerOf([guard.express(optional), ok])).status).toBe(503);
  });

  test('a guard after it demands one', async () => {
    const guard = gateway.guard();
    expect((await answerOf([guard.express(optional), guard.express(), ok], {})).status).toBe(401);
  });
});

describe('a decision for frameworks without a function of their own', () => {
  const asked = (headers: Record<string, string>) => new Request('http://service', { headers });

  test('has the session, or the answer', async () => {
    const guard = gateway.guard();
    const request = asked(BEARER);
    expect(await guard.decide(request, { role: 'doctor' })).toEqual({ session: guard.session(request) });
    expect(await guard.decide(asked(BEARER), { role: 'patient' })).toMatchObject({
      refusal: { status: 403, body: { message: 'This action is unauthorized.', reason: 'role' } },
    });
    expect(await guard.decide(asked({}))).toMatchObject({
      refusal: {
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer' },
        body: { message: 'Unauthenticated.' },
      },
    });
    expect(await guard.decide(asked({}), { optional: true })).toEqual({});
    gateway.answer = FakeGateway.says('', 503, { 'Retry-After': '7' });
    expect(await guard.decide(asked(BEARER))).toMatchObject({
      refusal: { status: 503, headers: { 'Retry-After': '7' } },
    });
  });

  test('throws for requirements that do not exist', () => {
    expect(() => gateway.guard().decide(asked({}), { roles: 'doctor' } as object)).toThrow(TypeError);
  });
});

test('two guards of one request ask once, and each has its own requirements', async () => {
  const guard = gateway.guard();
  const { status } = await answerOf([guard.express(), guard.express({ role: 'patient' }), ok]);
  expect([status, gateway.questions.length]).toEqual([403, 1]);
});

test('each request is a question of its own, so that a revoked token is refused by the next one', async () => {
  const guard = gateway.guard();
  expect((await answerOf([guard.express(), ok])).status).toBe(200);
  gateway.answer = FakeGateway.says({ active: false });
  expect((await answerOf([guard.express(), ok])).status).toBe(401);
});

test.each([
  [FakeGateway.says('', 503, { 'Retry-After': '7' }), '7'],
  [FakeGateway.says('', 401), '1'],
  [FakeGateway.says('<html>'), '1'],
])('a request gets 503 if the gateway gives no answer (%#)', async (answer, retryAfter) => {
  gateway.answer = answer;
  expect(await answerOf([gateway.guard().express(), ok])).toMatchObject({
    status: 503,
    headers: { 'retry-after': retryAfter },
    body: { message: 'Service Unavailable' },
  });
  expect(gateway.errors.length).toBe(1);
});

test.each<[string, () => void]>([
  ['throws', raise],
  ['rejects', () => Promise.reject(new Error('the log is full'))],
])('a request gets 503 if the gateway gives no answer and onError %s', async (_what, onError) => {
  gateway.answer = FakeGateway.says('', 503);
  expect((await answerOf([gateway.guard({ onError }).express(), ok])).status).toBe(503);
});

test('the session of a request that has passed no guard is an error', () => {
  expect(() => gateway.guard().session({})).toThrow(
    'This request has passed no guard. Put guard.express() or guard.fastify() before its handler.',
  );
});

describe('the context of a GraphQL operation', () => {
  const withHeader = (authorization: string): [string, GuardedRequest][] => [
    ['Node.js', { headers: { authorization }, rawHeaders: ['Authorization', authorization] }],
    ['a test', { headers: { authorization } }],
    ['Fastify', { headers: { authorization }, raw: { headers: { authorization } } }],
    ['the Fetch API', new Request('http://service', { headers: { authorization } })],
  ];

  test.each(withHeader(BEARER.Authorization))(
    'has the session of a request of %s',
    async (_what, request) => {
      const { session, requireSession } = await gateway.guard().context(request);
      expect(session?.accountId).toBe('6720aa');
      expect(requireSession({ role: 'doctor' })).toBe(session);
    },
  );

  test.each(withHeader('Bearer'))(
    'has no session without a token in a request of %s',
    async (_what, request) => {
      const { session, requireSession } = await gateway.guard().context(request);
      expect(session).toBeUndefined();
      expect(() => requireSession()).toThrow(
        expect.objectContaining({ message: 'Unauthenticated.', extensions: { code: 'UNAUTHENTICATED' } }),
      );
    },
  );

  test('has no session for two headers of HTTP/2, which has no headersDistinct', async () => {
    const authorization = BEARER.Authorization;
    const rawHeaders = [':method', 'GET', 'authorization', authorization, 'authorization', authorization];
    const { session } = await gateway.guard().context({ headers: { authorization }, rawHeaders });
    expect(session).toBeUndefined();
  });

  test('has no session for two headers of the Fetch API', async () => {
    const headers = new Headers([
      ['Authorization', BEARER.Authorization],
      ['Authorization', BEARER.Authorization],
    ]);
    const { session } = await gateway.guard().context(new Request('http://service', { headers }));
    expect(session).toBeUndefined();
  });

  test('refuses a session that does not meet the requirements', async () => {
    const { requireSession } = await gateway
      .guard()
      .context({ headers: { authorization: BEARER.Authorization } });
    expect(() => requireSession({ role: 'patient' })).toThrow(
      expect.objectContaining({
        message: 'This action is unauthorized.',
        extensions: { code: 'FORBIDDEN', reason: 'role' },
      }),
    );
  });

  test('is an error that tells callers nothing of the gateway if it gives no answer', async () => {
    gateway.answer = FakeGateway.says('', 503, { 'Retry-After': '7' });
    const context = gateway.guard().context({ headers: { authorization: BEARER.Authorization } });
    const error: unknown = await context.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: 'Service Unavailable',
      extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 7, http: { status: 503 } },
    });
  });
});

describe('a polluted Object.prototype', () => {
  /**
   * Runs something while all objects inherit these properties: those of the package, and those of this file. They are not
   * enumerable: a `for…in` of another library, such as the metrics of the garbage collector, would meet them at any time.
   */
  async function polluted<T>(properties: Record<string, unknown>, run: () => Promise<T>): Promise<T> {
    const prototypes = [Object.prototype, Object.getPrototypeOf(gateway.guard())];
    for (const prototype of prototypes) {
      for (const [name, value] of Object.entries(properties)) {
        Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
      }
    }
    try {
      return await run();
    } finally {
      for (const [prototype, name] of prototypes.flatMap((each) =>
        Object.keys(properties).map((name) => [each, name]),
      )) {
        delete prototype[name];
      }
    }
  }

  const { iat, verification: _, ...patient } = ACTIVE;
  const anonymous = { headers: {} };
  const bearing = { headers: { authorization: BEARER.Authorization } };
  test.each<[Record<string, unknown>, GuardedRequest, Requirements, number]>([
    [{ optional: true }, anonymous, { role: 'doctor' }, 401],
    [{ optional: true }, anonymous, {}, 401],
    [{ session: { accountId: '1' } }, anonymous, {}, 401],
    [{ authorization: `Bearer ${TOKEN}` }, anonymous, {}, 401],
    [{ verification: 'verified' }, bearing, { verified: true }, 403],
    [{ email_verified: true }, bearing, { emailVerified: true }, 403],
    [{ acr: 'aal2', auth_time: iat }, bearing, { acr: 'aal2', maxAge: 60 }, 401],
  ])('with %j opens no guard', async (properties, request, requirements, status) => {
    gateway.answer = FakeGateway.says({ ...patient, iat });
    const { session, refusal } = await polluted(properties, async () => {
      const decision = await gateway.guard().decide(request, requirements);
      return { session: decision.session, refusal: decision.refusal };
    });
    expect([session, refusal?.status]).toEqual([undefined, status]);
  });

  test('is no option: nothing is kept', async () => {
    const guard = await polluted({ cacheMillis: 60_000 }, async () => gateway.guard());
    await guard.check(TOKEN);
    await guard.check(TOKEN);
    expect(gateway.questions).toHaveLength(2);
  });
});

test('requirements are copied: a later change of theirs has no effect', async () => {
  const requirements: { role: Role[]; optional?: true } = { role: ['patient'] };
  const middleware = gateway.guard().express(requirements);
  requirements.role.push('doctor');
  requirements.optional = true;
  expect((await answerOf([middleware, ok])).status).toBe(403);
  expect((await answerOf([middleware, ok], {})).status).toBe(401);
});
