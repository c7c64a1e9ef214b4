import { SessionCache } from '../src/session-cache.ts';
import type { Session } from '../src/types.ts';
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

test('a page of events looks at no session but those of its accounts', async () => {
  const session = await gateway.guard().check(TOKEN);
  const cache = new SessionCache(() => 5_000, clock);
  let looks = 0;
  for (let number = 0; number < 100; number += 1) {
    const counted = {
      ...session,
      get accountId() {
        looks += 1;
        return `account ${number % 50}`;
      },
    } as Session;
    cache.set(`${number}|x`, counted, clock.millis);
  }
  looks = 0;
  clock.millis = 1;
  cache.drop(['account 7', ...Array.from({ length: 499 }, (_, number) => `unknown ${number}`)], clock.millis);
  expect(looks).toBe(2);
  const isKept = (number: number) => cache.get(`${number}|x`) !== undefined;
  expect([6, 7, 8, 57].map(isKept)).toEqual([true, false, true, false]);
  cache.drop([undefined], clock.millis);
  expect([6, 8, 99].map(isKept)).toEqual([false, false, false]);
});

test('an answer that was asked for before an event of its account is kept no more, others are', async () => {
  const session = await gateway.guard().check(TOKEN);
  const cache = new SessionCache(() => Number.POSITIVE_INFINITY, clock);
  const isKept = (accountId: string, askedAt: number) => {
    cache.clear();
    cache.set(TOKEN, { ...session, accountId } as Session, askedAt);
    return cache.get(TOKEN) !== undefined;
  };
  cache.drop(['a', 'b'], 1_000);
  cache.drop(['a'], 2_000);
  expect([isKept('a', 1_500), isKept('b', 1_500), isKept('b', 1_000)]).toEqual([false, true, false]);
  // The time of b is forgotten after a minute, that of a is not: it is newer.
  cache.drop([], 61_500);
  expect([isKept('a', 1_500), isKept('b', 1_000)]).toEqual([false, true]);
});
