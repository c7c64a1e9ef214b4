import { setTimeout as wait } from 'node:timers/promises';
import { throughEachApi } from '../support/apis.ts';
import { type DatabaseProxy, useProxiedApp } from '../support/database-proxy.ts';
import { refused } from '../support/expectations.ts';
import {
  aMember,
  COUNTING,
  everyCall,
  expectUnavailable,
  type Member,
  PROMISED_MILLIS,
  recoveryMillis,
  timed,
} from '../support/outages.ts';
import { withRetries } from '../support/retries.ts';
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty, inventoryOf, REAL_TIME } from '../support/test-app.ts';

/** So many connections that trying one after the other would take too long. */
const MANY = 8;
const QUIET_MILLIS = 2_000;

const AWAY: [string, (proxy: DatabaseProxy) => void][] = [
  ['refuses connections', (proxy) => proxy.cut()],
  ['swallows what it is sent', (proxy) => proxy.swallow()],
  ['accepts connections and says nothing', (proxy) => proxy.leaveHalfOpen()],
  ['answers nothing but that it is there', (proxy) => proxy.stall()],
  ['takes 2 s for an answer', (proxy) => proxy.delay(2000)],
  ['answers byte by byte', (proxy) => proxy.trickle(20)],
];

const behind = useProxiedApp(COUNTING, ...REAL_TIME);

test.each(AWAY)(
  'every call gets 503 within 2 s, and the gateway works within 2 s again, after a database that %s',
  async (_name, begin) => {
    const { app, proxy } = behind;
    const [caller, observer] = [await aMember(app.url), await aMember(app.url)];
    const { accounts } = await inventoryOf(app);
    await withRetries(async () => {
      begin(proxy);
      const answers = await Promise.all(everyCall(app.url, caller).map(timed));
      await proxy.restore();
      const recovery = await recoveryMillis(app.url, observer);
      for (const { answer } of answers) {
        expectUnavailable(answer);
      }
      expect(Math.max(...answers.map(({ millis }) => millis))).toBeLessThan(PROMISED_MILLIS);
      expect(recovery).toBeLessThan(PROMISED_MILLIS);
    });
    await expectQuarantineEmpty(app.storageDir);
    expect((await inventoryOf(app)).accounts).toEqual(accounts);
  },
);

test('connections that died without traffic delay no later request', async () => {
  const { app, proxy } = behind;
  const observer = await aMember(app.url);
  const ask = () => accountOf(app.url, observer.token).catch(() => undefined);
  await withRetries(async () => {
    // Slower answers make the driver open more connections.
    proxy.delay(40);
    while (proxy.connections < MANY) {
      await Promise.all(Array.from({ length: 2 * MANY }, ask));
    }
    proxy.swallow();
    await wait(QUIET_MILLIS);
    proxy.restoreForNew();
    const { millis } = await timed(async () => {
      while ((await ask()) === undefined) {}
    });
    await proxy.restore();
    await recoveryMillis(app.url, observer);
    expect(millis).toBeLessThan(PROMISED_MILLIS);
  });
});

describe('a database that takes half a second for each answer', () => {
  let member: Member;

  beforeAll(async () => {
    member = await aMember(behind.app.url);
    behind.proxy.delay(500);
  });
  afterAll(() => behind.proxy.restore());

  test('a request with few operations waits for a slow database', async () => {
    await withRetries(async () => expect(await accountOf(behind.app.url, member.token)).toBeDefined());
  });

  throughEachApi((apiOf) => {
    test('a login gets 503 within 2 s when all its operations together take too long', async () => {
      await withRetries(async () => {
        const { answer, millis } = await timed(() => apiOf(behind.app.url).login(member.patient));
        refused(answer, 'unavailable');
        expect(millis).toBeLessThan(PROMISED_MILLIS);
      });
    });
  });
});
