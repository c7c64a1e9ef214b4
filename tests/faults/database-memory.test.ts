import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { useProxiedApp } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import {
  aMember,
  COUNTING,
  expectUnavailable,
  type Member,
  PROMISED_MILLIS,
  recoveryMillis,
  timed,
} from '../support/outages.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { withRetries } from '../support/retries.ts';
import { REAL_TIME } from '../support/test-app.ts';

const AT_A_TIME = 100;
const WAVES = 20;
/** Twenty waves of requests that leave nothing behind take far less; some kilobytes of each would be more. */
const MOST_BYTES = 16_000_000;
/** The driver's pool, and its monitor. */
const MOST_CONNECTIONS = 101;
/** Whatever backs off has done so by then. */
const AWAY_MILLIS = 30_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

// What is logged stays in this process, which measures itself.
const behind = useProxiedApp({ ...COUNTING, LOG_LEVEL: 'silent' }, ...REAL_TIME);
let observer: Member;
beforeAll(async () => {
  observer = await aMember(behind.app.url);
});

/** Asks a hundred things at once, checks that all are refused, and takes the middle of how long that took. */
async function wave(): Promise<number> {
  const { url } = behind.app;
  const asked = Array.from({ length: AT_A_TIME }, (_, index) => {
    const api = (index % 2 === 0 ? restApi : graphqlApi)(url);
    return timed(() => (index % 4 < 2 ? api.login(observer.patient) : api.registerPatient(aPatient())));
  });
  const answers = await Promise.all(asked);
  for (const { answer } of answers) {
    expectUnavailable(answer.http);
  }
  expect(behind.proxy.connections).toBeLessThanOrEqual(MOST_CONNECTIONS);
  return answers.map(({ millis }) => millis).sort((a, b) => a - b)[AT_A_TIME / 2] ?? Number.NaN;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('thousands of requests to a silent database leave no memory and no connections behind', async () => {
  let beginning = Date.now();
  behind.proxy.swallow();
  // The first ones fill caches, and break the connections that there were.
  await wave();
  const before = heapBytes();
  const durations: number[] = [];
  for (let count = 0; count < WAVES; count += 1) {
    durations.push(await wave());
  }
  expect(heapBytes() - before).toBeLessThan(MOST_BYTES);
  expect(Math.min(...durations)).toBeLessThan(PROMISED_MILLIS);

  await withRetries(async () => {
    behind.proxy.swallow();
    await wait(Math.max(0, AWAY_MILLIS - (Date.now() - beginning)));
    await eventually(() => expect(behind.proxy.connections).toBeLessThanOrEqual(2));
    await behind.proxy.restore();
    const millis = await recoveryMillis(behind.app.url, observer);
    beginning = Date.now();
    expect(millis).toBeLessThan(PROMISED_MILLIS);
  });
}, 300_000);
