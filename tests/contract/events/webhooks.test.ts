import type { ServerResponse } from 'node:http';
import type { WebhookState } from '../../../src/stores/webhooks.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { FEED, readAll, readFeed } from '../../support/feed.ts';
import { aPatient } from '../../support/people.ts';
import { closeErasers, openEraser } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';
import { newWebhookSecret, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let receiver: WebhookReceiver;
let other: WebhookReceiver;
let app: TestApp;
beforeEach(async () => {
  receiver = await startReceiver();
  other = await startReceiver();
  const endpoints = [
    {
      name: 'records',
      url: receiver.url,
      types: ['account.*', 'sessions.revoked'],
      secrets: [receiver.secret],
    },
    { name: 'audit', url: other.url, types: ['*'], secrets: [newWebhookSecret(), other.secret] },
  ];
  app = await createTestApp({ ...FEED, WEBHOOKS: JSON.stringify(endpoints) });
  await eventually(async () => expect(await states()).toHaveLength(2));
});
afterEach(async () => {
  await closeErasers();
  await app.stop();
  await Promise.all([receiver.stop(), other.stop()]);
});

const states = () =>
  app.database.db.collection<WebhookState>('webhooks').find().sort({ _id: -1 }).toArray() as Promise<
    WebhookState[]
  >;
const stateOf = async (name: string) => (await states()).find(({ _id }) => _id === name);

const register = async () => authenticated(await restApi(app.url).registerPatient(aPatient()));

/** Lets time pass until a check passes. */
async function passing(millis: number, check: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await testClock.advance(millis);
    await check();
  });
}

test('an endpoint gets the events of its types, in their order, once, with a signature', async () => {
  const { account, token } = await register();
  succeeded(await restApi(app.url).logout(`Bearer ${token}`));
  await passing(SECOND, () => expect(receiver.received).toHaveLength(2));
  expect(receiver.received.map(({ event }) => [event.type, event.account?.id])).toEqual([
    ['account.registered', account.id],
    ['sessions.revoked', account.id],
  ]);
  const [first] = receiver.received;
  expect(first?.headers).toMatchObject({
    'webhook-id': first?.event.id,
    connection: 'close',
    'content-type': 'application/json',
  });
  await passing(SECOND, () => expect(other.received).toHaveLength(2));
  // One for each of its secrets.
  expect(other.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  await passing(MINUTE, async () => {
    const state = await stateOf('records');
    expect(state).toMatchObject({ position: 2, failures: 0, lastOutcome: '204', claim: null });
  });
  expect(receiver.received).toHaveLength(2);
});

test.each<[string, number | ((res: ServerResponse) => void), string]>([
  ['an error of its own', 500, '500'],
  ['too many requests', 429, '429'],
  ['a redirect', (res) => res.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(), '302'],
  ['a reset', (res) => res.destroy(), 'ECONNRESET'],
])('after %s the row comes again with the same id, and the others wait', async (_, how, outcome) => {
  receiver.answer(how);
  await register();
  await passing(100, () => expect(receiver.received).toHaveLength(1));
  await register();
  await eventually(async () => expect((await stateOf('records'))?.lastOutcome).toBe(outcome));
  receiver.answer(204);
  expect(receiver.received).toHaveLength(1);
  await passing(SECOND, () => expect(receiver.received).toHaveLength(3));
  const ids = receiver.received.map(({ event }) => event.id);
  expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect((stamps[1] ?? 0) - (stamps[0] ?? 0)).toBeGreaterThanOrEqual(5);
  // The other endpoint is not concerned.
  await passing(SECOND, () => expect(other.received).toHaveLength(2));
});

test('410 disables the endpoint at once', async () => {
  receiver.answer(410);
  await register();
  await passing(SECOND, async () => expect((await stateOf('records'))?.disabledAt).toBeInstanceOf(Date));
  receiver.answer(204);
  await testClock.advance(10 * MINUTE);
  expect(receiver.received).toHaveLength(1);
});

test('a row that is refused five times is set aside, and the next one is sent', async () => {
  receiver.answer(400);
  const { account } = await register();
  const next = await register();
  receiver.answer((res) => {
    const { event } = receiver.received.at(-1) ?? {};
    res.writeHead(event?.account?.id === account.id ? 400 : 204).end();
  });
  await passing(SECOND, async () => {
    // The pauses are those of tests/integration/webhook-delivery.test.ts.
    const webhooks = app.database.db.collection<WebhookState>('webhooks');
    await webhooks.updateOne({ _id: 'records' }, { $set: { nextAttemptAt: new Date(0) } });
    expect(receiver.received.map(({ event }) => event.account?.id)).toEqual([
      ...Array<string>(5).fill(String(account.id)),
      String(next.account.id),
    ]);
  });
  await passing(SECOND, async () =>
    expect(await stateOf('records')).toMatchObject({ setAside: 1, refusals: 0 }),
  );
});

test('an answer that never ends is not read', async () => {
  let isClosed = false;
  receiver.answer((res) => {
    res.writeHead(200);
    const megabyte = Buffer.alloc(1_048_576);
    const write = () => {
      while (!res.destroyed && res.write(megabyte)) {}
    };
    res.on('drain', write).on('close', () => {
      isClosed = true;
    });
    write();
  });
  await register();
  await passing(SECOND, async () => expect((await stateOf('records'))?.position).toBe(1));
  await eventually(() => expect(isClosed).toBe(true));
});

test('a claim that its instance has left is taken over', async () => {
  const webhooks = app.database.db.collection<WebhookState>('webhooks');
  const claimedUntil = new Date(testClock.now() + 60 * SECOND);
  await webhooks.updateOne(
    { _id: 'records' },
    { $set: { claim: 'an instance that was killed', claimedUntil } },
  );
  await register();
  await eventually(() => expect(other.received).toHaveLength(1));
  expect(receiver.received).toHaveLength(0);
  await passing(20 * SECOND, () => expect(receiver.received).toHaveLength(1));
});

test.each([
  ['a line break, an accent and a blank at its end', 'no\n50% É ', 'erasure no%0A50%25 %C3%89%20'],
  ['as many characters as an id may have', '语'.repeat(128), `erasure ${'%E8%AF%AD'.repeat(128)}`],
])(
  'the erasure of an account whose id has %s is sent, and has the same id in the feed',
  async (_, _id, id) => {
    const { next } = await readFeed(app.url, {});
    const { account } = await register();
    const { accounts } = app.database;
    const closed = { email: 'odd@example.org', emailKey: 'odd@example.org', erasureDueAt: new Date(0) };
    const stored = await accounts.findOne({ _id: account.id });
    await accounts.insertOne({ ...stored, ...closed, _id, disabledAt: new Date(0) } as never);
    await (await openEraser(app, testClock)).erasure.run();
    await passing(SECOND, () => expect(receiver.received).toHaveLength(2));
    const [, erased] = receiver.received;
    expect(erased).toMatchObject({ event: { id, account: { id: _id } }, headers: { 'webhook-id': id } });
    const { events, next: last } = await readAll(app.url, next);
    expect(events.at(-1)).toMatchObject({ id, type: 'account.erased', account: { id: _id } });
    expect(await readAll(app.url, last)).toEqual({ events: [], next: last });
  },
);

test('after a restore the endpoint gets what happens from then on, and the log says so', async () => {
  await register();
  await passing(SECOND, () => expect(receiver.received).toHaveLength(1));
  await app.database.db
    .collection<{ _id: number }>('events')
    .updateOne({ _id: 1 }, { $set: { event: 'an older one' } });
  await register();
  await passing(SECOND, () => expect(app.log.join('')).toContain('events for a webhook are gone'));
  await register();
  await passing(SECOND, () => expect(receiver.received).toHaveLength(2));
});
