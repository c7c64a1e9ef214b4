import { SessionCache } from '../src/session-cache.ts';
import { ACTIVE, FakeGateway, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();

/** A clock that a test sets. It stands on the time of `iat`. */
const clock = {
  millis: 0,
  now: () => ACTIVE.iat * 1000 + clock.millis,
  elapsed: () => clock.millis,
};
beforeEach(() => {
  clock.millis = 0;
});

test('with a cache, a revoked token passes for cacheMillis, and no longer', async () => {
  const guard = gateway.guard({ cacheMillis: 5_000 }, clock);
  await guard.check(TOKEN);
  gateway.answer = FakeGateway.says({ active: false });
  clock.millis = 4_999;
  expect((await guard.check(TOKEN))?.accountId).toBe('6720aa');
  clock.millis = 5_000;
  expect(await guard.check(TOKEN)).toBeUndefined();
});

test('with a cache, a suspended doctor is verified for cacheMillis, and no longer', async () => {
  const guard = gateway.guard({ cacheMillis: 5_000 }, clock);
  gateway.answer = FakeGateway.says({ ...ACTIVE, verification: 'verified' });
  await guard.check(TOKEN);
  gateway.answer = FakeGateway.says({ ...ACTIVE, verification: 'suspended' });
  clock.millis = 4_999;
  expect((await guard.check(TOKEN))?.verification).toBe('verified');
  clock.millis = 5_000;
  expect((await guard.check(TOKEN))?.verification).toBe('suspended');
});

test('the time begins with the question, not with its answer', async () => {
  const guard = gateway.guard({ cacheMillis: 5_000 }, clock);
  gateway.answer = (request, response) => {
    clock.millis = 2_000;
    FakeGateway.says(ACTIVE)(request, response);
  };
  await guard.check(TOKEN);
  clock.millis = 5_000;
  await guard.check(TOKEN);
  expect(gateway.questions.length).toBe(2);
});

test('a token that expires sooner is kept only until then', async () => {
  const guard = gateway.guard({ cacheMillis: 60_000 }, clock);
  gateway.answer = FakeGateway.says({ ...ACTIVE, exp: ACTIVE.iat + 10 });
  await guard.check(TOKEN);
  clock.millis = 9_999;
  await guard.check(TOKEN);
  expect(gateway.questions.length).toBe(1);
  clock.millis = 10_000;
  await guard.check(TOKEN);
  expect(gateway.questions.length).toBe(2);
});

test('without a cache, each check is a question', async () => {
  const guard = gateway.guard({}, clock);
  await guard.check(TOKEN);
  await guard.check(TOKEN);
  expect(gateway.questions.length).toBe(2);
});

test('that a token is not valid is not kept', async () => {
  const guard = gateway.guard({ cacheMillis: 5_000 }, clock);
  gateway.answer = FakeGateway.says({ active: false });
  await guard.check(TOKEN);
  gateway.answer = FakeGateway.says(ACTIVE);
  expect((await guard.check(TOKEN))?.accountId).toBe('6720aa');
});

test('a kept session is no answer for another token', async () => {
  const guard = gateway.guard({ cacheMillis: 5_000 }, clock);
  await guard.check(TOKEN);
  gateway.answer = FakeGateway.says({ active: false });
  expect(await guard.check(`${TOKEN}x`)).toBeUndefined();
});

test('a cache keeps a limited number of sessions, and drops the oldest one', async () => {
  const session = await gateway.guard().check(TOKEN);
  if (session === undefined) {
    throw new Error('the token is valid');
  }
  const cache = new SessionCache(() => 5_000, clock, 2);
  for (const token of ['1|a', '2|b', '1|a', '3|c']) {
    cache.set(token, session, 0);
  }
  expect(['1|a', '2|b', '3|c'].map((token) => cache.get(token) !== undefined)).toEqual([true, false, true]);
});
