import { setTimeout as wait } from 'node:timers/promises';
import { withChances } from '../support/chances.ts';
import { type DatabaseProxy, useProxiedApp } from '../support/database-proxy.ts';
import { throughEachDoor } from '../support/doors.ts';
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
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty, inventoryOf } from '../support/test-app.ts';

/** A busy machine gets so many chances to be as fast as promised; a wait that is too long shows in all. */
const TRIES = 3;

/** So many connections that trying one after the other would take too long. */
const MANY = 8;
const QUIET_MILLIS = 2_000;

const AWAY: [string, (proxy: DatabaseProxy) => void][] = [
  ['refuses connections', (proxy) => proxy.cut()],
  ['swallows what it is sent', (proxy) => proxy.swallow()],
  ['accepts connections and says nothing', (proxy) => proxy.leaveHalfOpen()],
  ['answers nothing but that it is there', (proxy) => proxy.stall()],
  ['takes 2 s for an answer', (proxy) => proxy.delay(1000)],
  ['answers byte by byte', (proxy) => proxy.trickle(20)],
];

const behind = useProxiedApp(COUNTING);

const isInTime = (durations: number[]) => Math.min(...durations) < PROMISED_MILLIS;

describe.each(AWAY)('a database that %s', (_name, begin) => {
  const failures: number[] = [];
  const recoveries: number[] = [];

  beforeAll(async () => {
    const { app, proxy } = behind;
    const [caller, observer] = [await aMember(app.url), await aMember(app.url)];
    const { accounts } = await inventoryOf(app);
    while (failures.length < TRIES && !(isInTime(failures) && isInTime(recoveries))) {
      begin(proxy);
      const answers = await Promise.all(everyCall(app.url, caller).map(timed));
      for (const { answer } of answers) expectUnavailable(answer);
      failures.push(Math.max(...answers.map(({ millis }) => millis)));
      proxy.restore();
      recoveries.push(await recoveryMillis(app.url, observer));
    }
    await expectQuarantineEmpty(app.storageDir);
    expect((await inventoryOf(app)).accounts).toEqual(accounts);
  });

  test('fails every call in time', () => {
    expect(Math.min(...failures)).toBeLessThan(PROMISED_MILLIS);
  });

  test('is used again as soon as it is back', () => {
    expect(Math.min(...recoveries)).toBeLessThan(PROMISED_MILLIS);
  });
});

test("connections that died while nobody asked are in nobody's way afterwards", async () => {
  const { app, proxy } = behind;
  const observer = await aMember(app.url);
  const recoveries: number[] = [];
  while (recoveries.length < TRIES && !isInTime(recoveries)) {
    const ask = () => accountOf(app.url, observer.token).catch(() => undefined);
    // Slower answers make the driver open more connections.
    proxy.delay(20);
    while (proxy.connections < MANY) await Promise.all(Array.from({ length: 2 * MANY }, ask));
    proxy.swallow();
    await wait(QUIET_MILLIS);
    proxy.restoreForNew();
    const { millis } = await timed(async () => {
      while ((await ask()) === undefined);
    });
    recoveries.push(millis);
  }
  proxy.restore();
  await recoveryMillis(app.url, observer);
  expect(Math.min(...recoveries)).toBeLessThan(PROMISED_MILLIS);
});

describe('a database that takes half a second for each answer', () => {
  let member: Member;

  beforeAll(async () => {
    member = await aMember(behind.app.url);
    behind.proxy.delay(250);
  });
  afterAll(() => behind.proxy.restore());

  test('is waited for where it takes few of them', async () => {
    await withChances(async () => expect(await accountOf(behind.app.url, member.token)).toBeDefined());
  });

  throughEachDoor((openDoor) => {
    test('is given up where all of them together take too long', async () => {
      const durations: number[] = [];
      while (durations.length < TRIES && !isInTime(durations)) {
        const { answer, millis } = await timed(() => openDoor(behind.app.url).login(member.patient));
        refused(answer, 'unavailable');
        durations.push(millis);
      }
      expect(Math.min(...durations)).toBeLessThan(PROMISED_MILLIS);
    });
  });
});
