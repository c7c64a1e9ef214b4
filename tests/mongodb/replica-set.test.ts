import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { MAX_STALE_MILLIS } from '../../src/database/confirmed-primary.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { jsonOf, send } from '../support/http.ts';
import { aMember, everyCall, expectUnavailable } from '../support/outages.ts';
import { resetCodeOf } from '../support/reset-codes.ts';
import { newReviewer } from '../support/reviews.ts';
import { bearer, tokenIdOf } from '../support/session.ts';
import { judgeAnswers, judgeEvents, judgePeople, judgeTimes } from './support/judge.ts';
import { Load } from './support/load.ts';
import { type GatewaySide, ReplicaSet } from './support/replica-set.ts';

// Two gateways serve people on a replica set of three members, while its primary fails in every manner. It needs a mongod.

/** So many primaries are killed; `KILLS=30` takes ten minutes. */
const KILLS = Number(process.env.KILLS ?? 10);
const CALM_MILLIS = 2_000;
/** What forward authentication answers to a valid token. */
const ACCEPTED = 204;
/** Longer than `settings.electionTimeoutMillis`. */
const LONG_MILLIS = 20_000;

const workshop = useWorkshop();
let set: ReplicaSet;
let database: TestDatabase;
let sides: [GatewaySide, GatewaySide];
let urls: string[];
let load: Load;

beforeAll(async () => {
  set = await ReplicaSet.start(process.env.TEST_MONGOD_PATH ?? '');
  database = await openTestDatabase(set.uri);
  sides = [await set.openSide(), await set.openSide()];
  // Not by `new URL`, which knows no list of hosts.
  const { dbName } = new MongoClient(database.uri).options;
  const gateways = sides.map(({ uri }) =>
    workshop.start({ MONGODB_URI: uri.replace('/?', `/${dbName}?`), RATE_LIMIT: 'off' }),
  );
  urls = await Promise.all(gateways.map((gateway) => gateway.url()));
  const [url = ''] = urls;
  const reviewer = await newReviewer({ url, database });
  const makeResetCode = (email: string) => resetCodeOf({ database }, email);
  load = new Load({ urls, reviewerToken: reviewer.token, makeResetCode });
  load.start();
  await wait(CALM_MILLIS);
}, 300_000);
afterAll(async () => {
  await load?.stop();
  await database?.close();
  await set?.stop();
});

/** Expects that there is a primary again, with the events of all answers, and that both gateways are ready. */
async function expectRecovered(): Promise<void> {
  await set.primary();
  expect(await judgeEvents(load, database)).toEqual([]);
  await eventually(async () => {
    for (const url of urls) {
      expect((await send(`${url}/readyz`)).status).toBe(200);
    }
  });
  await wait(CALM_MILLIS);
}

test(`the events of all answers are stored after each of ${KILLS} killed primaries`, async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const primary = await set.primary();
    await set.kill(primary);
    await expectRecovered();
    await set.startMember(primary);
  }
}, 1_800_000);

test('the events of all answers are stored after a primary has stepped down', async () => {
  await set.stepDown(await set.primary());
  await expectRecovered();
});

test('the events of all answers are stored after a primary was paused and continued', async () => {
  const primary = await set.primary();
  set.pause(primary);
  await wait(LONG_MILLIS);
  await expectRecovered();
  set.continue(primary);
  await expectRecovered();
}, 300_000);

test('a gateway that is cut off with a former primary accepts no token that was revoked 15 s ago', async () => {
  const [cutOff = '', other = ''] = urls;
  const { token } = await aMember(other);
  const me = (url: string) => send(`${url}/forward-auth`, { headers: bearer(token) });
  expect((await me(cutOff)).status).toBe(ACCEPTED);
  const primary = await set.primary();
  await set.cutOff(primary, sides[0]);
  // The first answered logout is the revocation on the other side.
  let revokedAt = 0;
  await eventually(async () => {
    const logout = await send(`${other}/api/v1/auth/logout`, { method: 'POST', headers: bearer(token) });
    // A logout may have been lost and done.
    expect([200, 401]).toContain(logout.status);
    revokedAt = performance.now();
  }, 60_000);
  while (performance.now() - revokedAt < 2 * MAX_STALE_MILLIS) {
    const askedAt = performance.now();
    const { status } = await me(cutOff);
    if (askedAt - revokedAt > MAX_STALE_MILLIS) {
      expect(status).not.toBe(ACCEPTED);
    }
    await wait(100);
  }
  expectUnavailable(await me(cutOff));
  await set.rejoin();
  await expectRecovered();
  expect((await me(cutOff)).status).toBe(401);
  expect(await database.tokens.countDocuments({ _id: tokenIdOf(token) })).toBe(0);
}, 300_000);

test('without a majority every act gets 503, and /readyz says why', async () => {
  const primary = await set.primary();
  const [url = ''] = urls;
  const member = await aMember(url);
  const others = [0, 1, 2].filter((index) => index !== primary);
  for (const other of others) {
    await set.kill(other);
  }
  await wait(LONG_MILLIS);
  for (const call of everyCall(url, member)) {
    expectUnavailable(await call());
  }
  expect(jsonOf(await send(`${url}/readyz`))).toMatchObject({ checks: { database: 'has no primary' } });
  for (const other of others) {
    await set.startMember(other);
  }
  await expectRecovered();
}, 300_000);

test('no answer is an error or late, and nothing that was answered is lost or half done', async () => {
  await load.stop();
  expect(new Set(load.answers.filter(({ isSuccess }) => isSuccess).map(({ act }) => act)).size).toBe(8);
  expect(judgeAnswers(load.answers)).toEqual([]);
  expect(judgeTimes(load.answers)).toEqual([]);
  const [url = ''] = urls;
  const storageDir = path.join(workshop.folder, 'storage');
  expect(await judgePeople({ people: load.people, database, url, storageDir })).toEqual([]);
}, 600_000);
