import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { MAX_STALE_MILLIS } from '../../src/database/confirmed-primary.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { jsonOf, send } from '../support/http.ts';
import {
  aMember,
  everyCall,
  expectUnavailable,
  type Member,
  PROMISED_MILLIS,
  timed,
} from '../support/outages.ts';
import { withRetries } from '../support/retries.ts';
import { APPOINTMENTS, ask, basic, SERVICES } from '../support/services.ts';
import { accountOf, bearer } from '../support/session.ts';
import { withAddresses } from './support/replica-set.ts';
import { type MemberView, standInMember } from './support/stand-in-member.ts';

// What a gateway does with a member of a replica set that answers, but may no longer be the primary. The member is an engine
// that looks like one; replica-set.test.ts has real members.

const workshop = useWorkshop('own');
const view: MemberView = { isPrimary: true, hasMajority: true };
let proxy: DatabaseProxy;
let uri: string;
beforeAll(async () => {
  proxy = await startDatabaseProxy(workshop.database.uri);
  uri = standInMember(proxy, workshop.database.uri, view);
});
beforeEach(() => Object.assign(view, { isPrimary: true, hasMajority: true, refusal: undefined }));
afterAll(() => proxy.stop());

const start = () =>
  workshop.start({ MONGODB_URI: uri, RATE_LIMIT: 'off', START_WAIT_SECONDS: '60', ...SERVICES });

async function databaseCheck(url: string): Promise<unknown> {
  const { checks } = jsonOf<{ checks: { database: string } }>(await send(`${url}/readyz`));
  return checks.database;
}

/** Everything that shows whether a token is valid. */
const everyReader = (url: string, { token }: Member) => [
  () => send(`${url}/forward-auth`, { headers: bearer(token) }),
  () => ask(url, new URLSearchParams({ token }).toString(), basic(APPOINTMENTS.id, APPOINTMENTS.secret)),
];

test('a member that no majority confirms is believed for 15 s at most, and again as soon as it is confirmed', async () => {
  expect(MAX_STALE_MILLIS).toBe(15_000);
  const gateway = start();
  const url = await gateway.url();
  const member = await aMember(url);
  view.hasMajority = false;
  const cutOffAt = performance.now();
  // A hiccup of the network disturbs nobody.
  expect(await accountOf(url, member.token)).toBeDefined();
  await eventually(async () => expect(await databaseCheck(url)).toMatch(/majority/));
  expect(performance.now() - cutOffAt).toBeLessThan(MAX_STALE_MILLIS);
  for (const call of [...everyCall(url, member), ...everyReader(url, member)]) {
    await withRetries(async () => {
      const { answer, millis } = await timed(call);
      expectUnavailable(answer);
      expect(millis).toBeLessThan(PROMISED_MILLIS);
    });
  }
  view.hasMajority = true;
  await eventually(async () => expect(await databaseCheck(url)).toBe('ok'));
  expect(await accountOf(url, member.token)).toBeDefined();
  expect(await gateway.stop()).toBe(0);
});

test('a gateway that stood still does not believe what was confirmed before', async () => {
  const gateway = start();
  const url = await gateway.url();
  const member = await aMember(url);
  gateway.signal('SIGSTOP');
  view.hasMajority = false;
  await wait(MAX_STALE_MILLIS);
  gateway.signal('SIGCONT');
  expectUnavailable(await send(`${url}/forward-auth`, { headers: bearer(member.token) }));
  expect(await gateway.stop()).toBe(0);
});

test('a member that has stepped down gets no requests, and /readyz says why', async () => {
  const gateway = start();
  const url = await gateway.url();
  const member = await aMember(url);
  view.isPrimary = false;
  await eventually(async () => expect(await databaseCheck(url)).toBe('has no primary'));
  for (const call of everyCall(url, member)) {
    expectUnavailable(await call());
  }
  view.isPrimary = true;
  await eventually(async () => expect(await databaseCheck(url)).toBe('ok'));
  expect(await gateway.stop()).toBe(0);
});

test('a start waits for a majority', async () => {
  view.hasMajority = false;
  const gateway = start();
  await gateway.printed('waiting for the database');
  view.hasMajority = true;
  expect(await databaseCheck(await gateway.url())).toBe('ok');
  expect(await gateway.stop()).toBe(0);
});

test('a database that has no linearizable reads is used without them, and the log says so', async () => {
  view.refusal = 115;
  const gateway = start();
  const url = await gateway.url();
  expect(await accountOf(url, (await aMember(url)).token)).toBeDefined();
  expect(await databaseCheck(url)).toBe('ok');
  expect(gateway.stdout).toContain('the database confirms no primary');
  expect(await gateway.stop()).toBe(0);
});

test('a driver behind ports of its own reaches a member only through them', async () => {
  const { host } = new URL(uri);
  const own = await startDatabaseProxy(uri);
  const ownHost = new URL(own.through(uri)).host;
  own.changeReplies((reply) => withAddresses(reply, new Map([[host, ownHost]])));
  const before = proxy.connections;
  const client = await MongoClient.connect(uri.replace(host, ownHost), { serverSelectionTimeoutMS: 1_000 });
  await client.db().command({ ping: 1 });
  expect(own.connections).toBeGreaterThan(0);
  expect(proxy.connections - before).toBe(own.connections);
  await own.cut();
  await expect(client.db().command({ ping: 1 })).rejects.toThrow();
  await client.close();
  await own.stop();
});
