import { EventFeed } from '../../../src/auth/events/event-feed.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { askFeed, BILLING, FEED, RECORDS, readFeed } from '../../support/feed.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { scrape } from '../../support/scrape.ts';
import { onEachCommand } from '../../support/sent-commands.ts';
import { basic } from '../../support/services.ts';
import { createTestApp, REAL_TIME, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp({ ...FEED, METRICS: 'on', METRICS_PORT: '0' }, undefined, ...REAL_TIME);
const register = async () => authenticated(await restApi(app.url).registerPatient(aPatient()));
const now = async () => (await readFeed(app.url, {})).next;

test('a waiting request gets an event at once', async () => {
  const after = await now();
  const waiting = readFeed(app.url, { after, wait: '20' });
  const { account } = await register();
  expect((await waiting).events.map((event) => [event.type, event.account?.id])).toEqual([
    ['account.registered', account.id],
  ]);
});

test('an event that another program has stored is found, too', async () => {
  const after = await now();
  const waiting = readFeed(app.url, { after, wait: '20' });
  await app.database.db.collection<{ _id: string }>('audit_events').insertOne({
    ...{ _id: 'of another program', at: new Date(), act: 'revocation', accountId: null },
    unpublished: { type: 'sessions.revoked', token: null },
  } as { _id: string });
  expect((await waiting).events).toMatchObject([{ id: 'of another program', account: null, token: null }]);
});

test('a type that is not wanted wakes nobody, and the cursor still passes by it', async () => {
  const after = await now();
  const waiting = readFeed(app.url, { after, types: 'doctor.*', wait: '1' });
  await register();
  const page = await waiting;
  expect(page.events).toEqual([]);
  expect(page.next).not.toBe(after);
});

test('the wait ends, and is no part of the latency', async () => {
  const after = await now();
  const began = performance.now();
  expect(await readFeed(app.url, { after, wait: '1' })).toEqual({ events: [], next: after });
  expect(performance.now() - began).toBeGreaterThan(990);
  const samples = (await scrape(app)).filter(({ labels }) => labels.operation === 'events');
  const secondsOf = (name: string, le?: string) =>
    samples.find(
      (sample) =>
        sample.name === `auth_gateway_http_request_duration_seconds_${name}` && sample.labels.le === le,
    )?.value;
  expect(secondsOf('count')).toBeGreaterThan(0);
  expect(secondsOf('bucket', '0.5')).toBe(secondsOf('count'));
});

/** Lets a service wait as often as it may, and once more. */
async function fillWaiting(after: string) {
  const leaving = new AbortController();
  const headers = basic(RECORDS.id, RECORDS.secret);
  const url = `${app.url}/events?${new URLSearchParams({ after, wait: '30' })}`;
  const refused: Response[] = [];
  const waiting = Array.from({ length: 21 }, async () => {
    const answer = await fetch(url, { headers, signal: leaving.signal });
    if (answer.status === 429) {
      refused.push(answer);
    }
    return answer;
  });
  await eventually(() => expect(refused).toHaveLength(1));
  return { waiting, refused: refused[0], leave: () => leaving.abort() };
}

test('twenty of one service wait with one query, and the next one is refused', async () => {
  const after = await now();
  const { waiting, refused } = await fillWaiting(after);
  expect(refused?.headers.get('Retry-After')).toBe('1');
  expect(await refused?.json()).toEqual({ message: 'Too Many Attempts.' });
  // Another service is not concerned, nor is a question that does not wait.
  expect((await askFeed(app.url, { after, wait: '0' })).status).toBe(200);
  expect((await askFeed(app.url, { after, wait: '1' }, BILLING)).status).toBe(200);
  let finds = 0;
  const stop = onEachCommand((name, command) => {
    finds += name === 'find' && command.find === 'events' ? 1 : 0;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  stop();
  expect(finds).toBeLessThan(8);
  await register();
  const answers = (await Promise.all(waiting)).filter(({ status }) => status === 200);
  expect(answers).toHaveLength(20);
  for (const answer of answers) {
    expect(((await answer.json()) as { events: unknown[] }).events).toHaveLength(1);
  }
});

test('a closed request makes room for another one', async () => {
  const { waiting, leave } = await fillWaiting(await now());
  leave();
  await Promise.allSettled(waiting);
  const again = await fillWaiting(await now());
  again.leave();
  await Promise.allSettled(again.waiting);
});

test('a stop ends the wait at once, with an answer', async () => {
  const other = await createTestApp({ ...FEED, STOP_GRACE_SECONDS: '30' }, undefined, ...REAL_TIME);
  const { next: after } = await readFeed(other.url, {});
  const waiting = send(`${other.url}/events?${new URLSearchParams({ after, wait: '30' })}`, {
    headers: basic(RECORDS.id, RECORDS.secret),
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const began = performance.now();
  await other.stop();
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(jsonOf(await waiting)).toEqual({ events: [], next: after });
});

test('more than thirty seconds are thirty', async () => {
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    elapsed: () => 0,
    after: (millis: number, act: () => void) => {
      waits.push(millis);
      setImmediate(act);
      return () => {};
    },
  };
  const events = { after: async () => [], lastPlace: async () => ({ position: 0, event: '' }) };
  const stopping = new AbortController();
  const feed = new EventFeed({ events, clock }, stopping.signal);
  setTimeout(() => stopping.abort(), 50);
  await feed.read({ service: 'x', after: undefined, isWanted: () => true, waitSeconds: 999 });
  expect(Math.max(...waits)).toBe(30_000);
});
