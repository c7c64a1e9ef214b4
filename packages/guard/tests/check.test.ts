import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ACTIVE, FakeGateway, SECRET, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();

/** A clock that stands. */
const clockAt = (seconds: number) => ({ now: () => seconds * 1000, elapsed: () => 0 });

test('a valid token has a session with the fields of the answer', async () => {
  const session = await gateway.guard().check(TOKEN);
  expect(session).toEqual({
    accountId: '6720aa',
    role: 'doctor',
    name: 'Dr. Ada Example',
    verification: 'pending',
    emailVerified: false,
    acr: undefined,
    amr: [],
    authTime: undefined,
    tokenId: '6720bb',
    abilities: ['*'],
    issuedAt: new Date('2023-11-14T22:13:20Z'),
    expiresAt: undefined,
    can: expect.any(Function),
  });
  expect(Object.isFrozen(session) && Object.isFrozen(session?.abilities)).toBe(true);
});

test('a token that expires has a session with the time of its expiry', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, exp: 1_700_003_600 });
  const session = await gateway.guard({}, clockAt(1_700_000_000)).check(TOKEN);
  expect(session?.expiresAt).toEqual(new Date('2023-11-14T23:13:20Z'));
});

test.each([
  [-1, true],
  [0, true],
  [59, true],
  [60, false],
  [86_400, false],
])('an answer whose exp passed %i s ago has a session: %p', async (secondsAgo, isActive) => {
  const exp = 1_700_003_600;
  gateway.answer = FakeGateway.says({ ...ACTIVE, exp });
  for (const cacheMillis of [0, 5_000]) {
    const guard = gateway.guard({ cacheMillis }, clockAt(exp + secondsAgo));
    expect((await guard.check(TOKEN)) !== undefined).toBe(isActive);
  }
});

test('a patient has no state of verification', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, role: 'patient', verification: undefined });
  expect(await gateway.guard().check(TOKEN)).toMatchObject({ role: 'patient', verification: undefined });
});

test.each([
  [true, true],
  [false, false],
  [undefined, false],
  ['true', false],
])('email_verified %p is emailVerified %p', async (email_verified, emailVerified) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, email_verified });
  expect(await gateway.guard().check(TOKEN)).toMatchObject({ emailVerified });
});

test('a token without a time of issue, as an imported one may be, has a session', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, iat: undefined });
  const session = await gateway.guard().check(TOKEN);
  expect([session?.accountId, session?.issuedAt]).toEqual(['6720aa', undefined]);
});

test.each([
  ['*', true, true],
  ['create update', true, false],
  ['updates', false, false],
  ['', false, false],
])('a token with the scope "%s" can update: %p, and can delete: %p', async (scope, canUpdate, canDelete) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, scope });
  const session = await gateway.guard().check(TOKEN);
  expect([session?.can('update'), session?.can('delete')]).toEqual([canUpdate, canDelete]);
});

test('a token that is not active has no session', async () => {
  gateway.answer = FakeGateway.says({ active: false });
  expect(await gateway.guard().check(TOKEN)).toBeUndefined();
});

test('the question has the token in a form, and the credentials of the service by HTTP Basic', async () => {
  const headers: unknown[] = [];
  gateway.answer = (request, response) => {
    headers.push([request.method, request.url, request.headers]);
    FakeGateway.says(ACTIVE)(request, response);
  };
  await gateway.guard({ url: `${gateway.url}/auth/` }).check('1|a+b&c=%d');
  expect(gateway.questions).toEqual(['token=1%7Ca%2Bb%26c%3D%25d']);
  expect(headers).toEqual([
    [
      'POST',
      '/auth/oauth/introspect',
      expect.objectContaining({
        authorization: `Basic ${Buffer.from(`appointments:${SECRET}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ],
  ]);
});

test.each(['', ' ', 'a b', 'a\nb', 'ü', '\ud800', 'x'.repeat(1_025), 'x'.repeat(1_000_000)])(
  'a text that cannot be a token has no session, and costs no question (%#)',
  async (token) => {
    expect(await gateway.guard().check(token)).toBeUndefined();
    expect(gateway.questions).toEqual([]);
  },
);

test('questions one after the other share one connection', async () => {
  const guard = gateway.guard();
  for (let asked = 0; asked < 5; asked += 1) {
    await guard.check(TOKEN);
  }
  expect([gateway.questions.length, gateway.connections]).toEqual([5, 1]);
});

test('a hundred questions at the same time share sixteen connections', async () => {
  const guard = gateway.guard();
  await Promise.all(Array.from({ length: 100 }, (_, index) => guard.check(`${index}|abc`)));
  expect(new Set(gateway.questions).size).toBe(100);
  expect(gateway.connections).toBe(16);
});

test('equal questions at the same time become one', async () => {
  const guard = gateway.guard();
  const sessions = await Promise.all([guard.check(TOKEN), guard.check(TOKEN), guard.check('13|other')]);
  expect(sessions.map((session) => session?.role)).toEqual(['doctor', 'doctor', 'doctor']);
  expect(gateway.questions.toSorted()).toEqual([
    'token=12%7Ca-token-that-must-not-be-seen',
    'token=13%7Cother',
  ]);
});

// The gateway has looked at the token, it is revoked, and only then comes the second request.
test('a question does not share the answer to a question that the gateway has already received', async () => {
  const guard = gateway.guard();
  const received = new Promise<ServerResponse>((resolve) => {
    gateway.answer = (_request, response) => resolve(response);
  });
  const first = guard.check(TOKEN);
  const held = await received;
  gateway.answer = FakeGateway.says({ active: false });
  expect(await guard.check(TOKEN)).toBeUndefined();
  held.end(JSON.stringify(ACTIVE));
  expect((await first)?.accountId).toBe('6720aa');
});

test('a question is sent again if the gateway closes the idle connection just then', async () => {
  const guard = gateway.guard();
  await guard.check(TOKEN);
  gateway.answer = (request) => {
    gateway.answer = FakeGateway.says(ACTIVE);
    request.socket.resetAndDestroy();
  };
  expect((await guard.check(TOKEN))?.accountId).toBe('6720aa');
  expect([gateway.questions.length, gateway.errors]).toEqual([3, []]);
});

test('the guard does not ask again if a new connection breaks', async () => {
  gateway.answer = (request) => request.socket.resetAndDestroy();
  await expect(gateway.guard().check(TOKEN)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  expect(gateway.questions.length).toBe(1);
});

test('an answer in small pieces is read whole', async () => {
  gateway.answer = async (_request, response) => {
    for (const character of JSON.stringify({ ...ACTIVE, name: 'Jürgen Ö' }).match(/.{1,3}/gu) ?? []) {
      if (!response.write(character)) {
        await once(response, 'drain');
      }
    }
    response.end();
  };
  expect((await gateway.guard().check(TOKEN))?.name).toBe('Jürgen Ö');
});
