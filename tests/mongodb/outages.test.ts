import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProcess, startDatabaseProcess } from '../support/database-process.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { send } from '../support/http.ts';
import { resetCodeOf } from '../support/reset-codes.ts';
import { withRetries } from '../support/retries.ts';
import { newReviewer } from '../support/reviews.ts';
import { tokenIdOf } from '../support/session.ts';
import { judgeAnswers, judgeEvents, judgePeople, judgeTimes } from './support/judge.ts';
import { Load } from './support/load.ts';

// Two gateways serve people while a lone database is killed, paused and cut off. What a replica set does beyond that is in
// replica-set.test.ts, with the same load and the same judge.

const KILLS = 3;
/** Longer than the driver needs to notice, and than a caller waits. */
const OUTAGE_MILLIS = 2_500;
const CALM_MILLIS = 1_000;

const workshop = useWorkshop();
const storageDir = () => path.join(workshop.folder, 'storage');
let server: DatabaseProcess;
let database: TestDatabase;
let proxy: DatabaseProxy;
let urls: string[];
let load: Load;

/** The gateway behind the proxy can be cut off alone. */
const startGateways = (): GatewayProcess[] =>
  [database.uri, proxy.through(database.uri)].map((uri) =>
    workshop.start({ MONGODB_URI: uri, RATE_LIMIT: 'off' }),
  );

beforeAll(async () => {
  server = await startDatabaseProcess();
  database = await openTestDatabase(server.uri);
  proxy = await startDatabaseProxy(server.uri);
  urls = await Promise.all(startGateways().map((gateway) => gateway.url()));
  const [url = ''] = urls;
  const reviewer = await newReviewer({ url, database });
  const makeResetCode = (email: string) => resetCodeOf({ database }, email);
  load = new Load({ urls, reviewerToken: reviewer.token, makeResetCode });
  load.start();
  await wait(CALM_MILLIS);
});
afterAll(async () => {
  await load?.stop();
  await proxy?.stop();
  await database?.close();
  await server?.stop();
});

const areReady = (status: number) =>
  eventually(async () => {
    for (const url of urls) {
      expect((await send(`${url}/readyz`)).status).toBe(status);
    }
  });

/**
 * Lets an outage last, and expects that no answer is late, that both gateways work again, and that the events of all answers are
 * stored.
 */
async function outage(begin: () => unknown, end: () => unknown): Promise<void> {
  await withRetries(async () => {
    const answered = load.answers.length;
    await begin();
    await wait(OUTAGE_MILLIS);
    await end();
    await database.db.command({ ping: 1 });
    expect(await judgeEvents(load, database)).toEqual([]);
    await areReady(200);
    await wait(CALM_MILLIS);
    expect(judgeTimes(load.answers.slice(answered))).toEqual([]);
  });
}

test.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
  'the events of all answers are stored after kill -9 number %i',
  async () => {
    const kill = async () => {
      server.signal('SIGKILL');
      await server.ended();
    };
    await outage(kill, () => server.start());
  },
);

test('the events of all answers are stored after a pause', async () => {
  await outage(
    () => server.signal('SIGSTOP'),
    () => server.signal('SIGCONT'),
  );
});

test('the events of all answers are stored after one gateway was cut off', async () => {
  await outage(
    () => proxy.cut(),
    () => proxy.restore(),
  );
});

test('no answer is an error, and nothing that was answered is lost or half done', async () => {
  await load.stop();
  const acts = new Set(load.answers.filter(({ isSuccess }) => isSuccess).map(({ act }) => act));
  expect([...acts].sort()).toEqual([
    'closing',
    'login',
    'logout',
    'password change',
    'registration of a doctor',
    'registration of a patient',
    'reset',
    'review',
  ]);
  // Otherwise the outages would have met nobody.
  expect(load.answers.filter(({ status }) => status === 503).length).toBeGreaterThan(5);
  expect(judgeAnswers(load.answers)).toEqual([]);
  const [url = ''] = urls;
  expect(await judgePeople({ people: load.people, database, url, storageDir: storageDir() })).toEqual([]);
});

const hashOf = (token: string) =>
  createHash('sha256')
    .update(token.slice(token.indexOf('|') + 1))
    .digest('hex');

test('the judge finds what is lost, undone and half done', async () => {
  const [url = ''] = urls;
  const judged = async (email: string) => {
    const people = load.people.filter((person) => person.email === email);
    return judgePeople({ people, database, url, storageDir: storageDir() });
  };
  const settled = load.people.filter(({ registered, closed }) => registered === 'yes' && closed === 'no');
  const some = (matches: (person: (typeof settled)[number]) => boolean) => {
    const [found] = settled.splice(settled.findIndex(matches), 1);
    if (!found) {
      throw new Error('the load was too short');
    }
    return found;
  };

  const unregistered = some(({ role }) => role === 'patient');
  await database.accounts.deleteOne({ email: unregistered.email });
  expect(await judged(unregistered.email)).toEqual([expect.stringContaining('the registration is lost')]);

  const reviewed = some(({ approved }) => approved === 'yes');
  const doctor = await database.accounts.findOne({ email: reviewed.email });
  await database.profiles.updateOne({ _id: doctor?._id ?? '' }, { $unset: { verification: true } });
  expect(await judged(reviewed.email)).toEqual([expect.stringContaining('approved is false')]);
  await database.profiles.deleteOne({ _id: doctor?._id ?? '' });
  expect(await judged(reviewed.email)).toEqual([expect.stringContaining('no profile')]);

  const out = some(({ endedTokens, heldTokens }) => endedTokens.length > 0 && heldTokens.length > 0);
  const [held = ''] = out.heldTokens;
  const token = await database.tokens.findOneAndDelete({ _id: tokenIdOf(held) });
  expect(await judged(out.email)).toEqual([expect.stringContaining('a token is lost')]);
  if (token) {
    await database.tokens.insertMany([
      { ...token },
      ...out.endedTokens.map((ended) => ({ ...token, _id: tokenIdOf(ended), secretHash: hashOf(ended) })),
    ]);
  }
  expect(await judged(out.email)).toEqual([expect.stringContaining('an ended token is still valid')]);

  const changed = some(({ formerPasswords }) => formerPasswords.length > 0);
  const [current = ''] = changed.passwords;
  Object.assign(changed, { passwords: changed.formerPasswords, formerPasswords: [current] });
  expect(await judged(changed.email)).toEqual([
    expect.stringContaining('0 of 1 passwords log in'),
    expect.stringContaining('a former password still logs in'),
  ]);

  const open = some(({ role }) => role === 'patient');
  open.closed = 'yes';
  expect(await judged(open.email)).toEqual([expect.stringContaining('closed is false')]);

  const { requestId, act } = load.answers.findLast(({ isSuccess }) => isSuccess) ?? {};
  await database.db.collection<StoredAuditEvent>('audit_events').deleteOne({ requestId: requestId ?? '' });
  expect(await judgeEvents(load, database)).toEqual([`${act}: no event of ${requestId} after 5 s`]);

  const answer = { act: 'login', isSuccess: false, millis: 1, retryAfter: null, requestId: null };
  expect(judgeAnswers([{ ...answer, status: 500 }])).toEqual(['login: answered with 500']);
  expect(judgeAnswers([{ ...answer, status: 503 }])).toEqual(['login: 503 without Retry-After']);
  expect(judgeTimes([{ ...answer, status: 503, millis: 2_001 }])).toEqual(['login: answered after 2001 ms']);
});
