import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { sendWebhook, type WebhookOutcome } from '../../src/auth/events/webhook.ts';
import { WebhookDelivery } from '../../src/auth/events/webhook-delivery.ts';
import type { EventType } from '../../src/stores/events.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { openStores, type Stores } from '../../src/stores/stores.ts';
import type { WebhookState } from '../../src/stores/webhooks.ts';
import { createLog } from '../../src/system/log.ts';
import { useDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { ManualClock } from '../support/manual-clock.ts';

// The rules about time. tests/contract/events/webhooks.test.ts has real receivers.
const opened = useDatabase();
const clock = new ManualClock(new Date());
const log = createLog('silent', { write: () => {} });
const DAY_MILLIS = 86_400_000;
const HOUR_MILLIS = 3_600_000;

let stores: Stores;
beforeAll(async () => {
  await createIndexes(opened.connection);
  stores = openStores({ connection: opened.connection, limit: undefined });
});

const endpoint = (name: string) => ({
  ...{ name, url: 'http://127.0.0.1:1/', types: ['account.updated'] as const, keys: [Buffer.alloc(32)] },
});

let published = 0;
/** @returns the id of the last event */
async function publish(type: EventType = 'account.updated', count = 1): Promise<string> {
  const common = { type, at: new Date(), cause: 'correction', account: null, token: null };
  const rows = Array.from({ length: count }, (_, index) => {
    const position = published + 1 + index;
    return { ...common, _id: position, event: `event ${position}`, publishedAt: new Date() };
  });
  await stores.events.append(rows);
  published += count;
  return `event ${published}`;
}

/** An endpoint that gets what is published from now on, and its answers. */
async function openEndpoint(name: string, answer: (event: string) => WebhookOutcome) {
  await stores.webhooks.open(name, await stores.events.lastPlace(), new Date(clock.now()));
  const sent: string[] = [];
  const delivery = new WebhookDelivery({
    ...{ ...stores, webhookEndpoints: [endpoint(name)], clock, log },
    send: async (_, { id }) => {
      sent.push(id);
      return answer(id);
    },
  });
  /** Lets the pause pass, or a longer time, and waits for the next attempt. */
  const attempt = async (millis = 0): Promise<WebhookState> => {
    const { nextAttemptAt, failures, position } = await stateOf(name);
    await clock.advance(Math.max(millis, nextAttemptAt.getTime() - clock.now()));
    let state = await stateOf(name);
    await eventually(async () => {
      await delivery.look();
      state = await stateOf(name);
      expect([state.claim, state.failures === failures && state.position === position]).toEqual([
        null,
        false,
      ]);
    });
    return state;
  };
  return { delivery, sent, attempt };
}

async function stateOf(name: string): Promise<WebhookState> {
  const [state] = await stores.webhooks.states([name]);
  if (!state) {
    throw new Error('the endpoint was never open');
  }
  return state;
}

test('the pauses are 5 s, 30 s, 2 min, 10 min, then an hour, for three days', async () => {
  const { delivery, sent, attempt } = await openEndpoint('failing', () => ({ status: 503 }));
  await publish();
  const began = clock.now();
  const pauses: number[] = [];
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    const { nextAttemptAt } = await attempt();
    pauses.push((nextAttemptAt.getTime() - clock.now()) / 1_000);
  }
  expect(pauses).toEqual([5, 30, 120, 600, 3_600, 3_600]);
  expect((await attempt(began + 3 * DAY_MILLIS - 1 - clock.now())).disabledAt).toBeNull();
  expect((await attempt()).disabledAt).toBeInstanceOf(Date);
  // Nothing is sent to it any more, until an operator says so.
  const count = sent.length;
  await clock.advance(DAY_MILLIS);
  await delivery.look();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toHaveLength(count);
  expect(await stores.webhooks.resume('failing')).toBe(true);
  await attempt();
  expect(sent).toHaveLength(count + 1);
});

describe('a receiver that refuses', () => {
  test('all rows loses none, and is not disabled', async () => {
    let status = 401;
    const { sent, attempt } = await openEndpoint('wrong secret', () => ({ status }));
    const first = await publish();
    for (const failures of [1, 2, 3, 4, 5, 6]) {
      expect(await attempt()).toMatchObject({ failures });
    }
    expect(sent).toEqual(Array(6).fill(first));
    const others = [await publish(), await publish()];
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await attempt(DAY_MILLIS);
    }
    expect(sent.slice(6, 10)).toEqual([first, others[0], first, others[0]]);
    status = 503;
    expect(await attempt()).toMatchObject({ setAside: 0, disabledAt: null });
    [status, sent.length] = [204, 0];
    expect(await attempt()).toMatchObject({ setAside: 0, failures: 0, refusals: 0 });
    expect(sent).toEqual([first, ...others]);
  });

  test('between other failures is disabled after three days of these', async () => {
    let status = 503;
    const { attempt } = await openEndpoint('failing and refusing', () => ({ status }));
    await publish('account.updated', 2);
    await attempt();
    status = 404;
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      expect((await attempt(DAY_MILLIS)).disabledAt).toBeNull();
    }
    status = 503;
    expect((await attempt()).disabledAt).toBeInstanceOf(Date);
  });

  test('some rows loses these once a later one is taken, each after five refusals', async () => {
    const [first, second] = [`event ${published + 1}`, `event ${published + 2}`];
    const isBad = (event: string) => event === first || event === second;
    const { sent, attempt } = await openEndpoint('some rows', (event) => ({
      status: isBad(event) ? 400 : 204,
    }));
    await publish('account.updated', 4);
    let state = await attempt();
    while (state.failures > 0) {
      expect(state).toMatchObject({ setAside: 0, position: published - 4 });
      state = await attempt();
    }
    expect(state).toMatchObject({ setAside: 2, refusals: 0, failingSince: null, position: published });
    const counts = [first, second, `event ${published - 1}`, `event ${published}`].map(
      (event) => sent.filter((one) => one === event).length,
    );
    expect(counts).toEqual([10, 6, 1, 1]);
  });

  test('a row gets the next one of its types, however many others are between', async () => {
    const refused = `event ${published + 1}`;
    const { sent, attempt } = await openEndpoint('few types', (event) => ({
      status: event === refused ? 400 : 204,
    }));
    await publish();
    await publish('account.closed', 150);
    const last = await publish();
    for (const _ of [1, 2, 3, 4, 5]) {
      await attempt();
    }
    expect(sent).toEqual([...Array(5).fill(refused), last]);
    expect(await stateOf('few types')).toMatchObject({ setAside: 1, position: published });
  });
});

test('a send that throws is a failure like others', async () => {
  const { attempt } = await openEndpoint('throwing', () => {
    throw new Error('no such header');
  });
  await publish();
  const state = await attempt();
  expect(state).toMatchObject({ failures: 1, lastOutcome: 'no such header' });
  expect(state.nextAttemptAt.getTime() - clock.now()).toBe(5_000);
});

describe('after a clock that was ahead', () => {
  const states = () => opened.database.db.collection<WebhookState>('webhooks');
  const ahead = (millis: number) => new Date(clock.now() + millis);

  test('neither an attempt nor a claim waits until the clocks have caught up', async () => {
    const name = 'ahead';
    const { delivery, sent } = await openEndpoint(name, () => ({ status: 204 }));
    const day = {
      nextAttemptAt: ahead(DAY_MILLIS),
      claim: 'a killed instance',
      claimedUntil: ahead(DAY_MILLIS),
    };
    await states().updateOne({ _id: name }, { $set: day });
    await publish();
    await eventually(async () => {
      await delivery.look();
      expect(await stateOf(name)).toMatchObject({ position: published, claim: null });
    });
    // Nor does a later one, at the time that was stored.
    await clock.advance(DAY_MILLIS - HOUR_MILLIS);
    await publish();
    await eventually(async () => {
      await delivery.look();
      expect(sent).toHaveLength(2);
    });
  });

  test.each([
    ['an attempt', { nextAttemptAt: HOUR_MILLIS + 60_000 }],
    ['a claim', { claimedUntil: 120_000 }],
  ])('%s waits that a right clock may have stored', async (_, fields) => {
    const [[field, millis] = ['', 0]] = Object.entries(fields);
    await stores.webhooks.open(field, await stores.events.lastPlace(), new Date(clock.now()));
    await states().updateOne({ _id: field }, { $set: { [field]: ahead(millis) } });
    expect(await stores.webhooks.claim(field, 'mine', new Date(clock.now()))).toBeUndefined();
    await states().updateOne({ _id: field }, { $set: { [field]: ahead(millis + 1) } });
    expect(await stores.webhooks.claim(field, 'mine', new Date(clock.now()))).toMatchObject({
      claim: 'mine',
    });
  });
});

test('a stop ends what is being sent, which counts as no failure', async () => {
  const receiver = createServer((socket) => void socket.on('error', () => {}));
  const port = await listenOnFreePort(receiver);
  const connected = once(receiver, 'connection');
  const url = `http://127.0.0.1:${port}/`;
  const parts = { ...stores, webhookEndpoints: [{ ...endpoint('stopped'), url }], clock, log };
  const delivery = new WebhookDelivery(parts);
  const running = delivery.start();
  await eventually(() => stateOf('stopped'));
  await publish();
  await clock.advance(1_000);
  await connected;
  await running.stop();
  expect(await stateOf('stopped')).toMatchObject({ claim: null, failures: 0, position: published - 1 });
  receiver.close();
});

const HEADER = 'HTTP/1.1 200 OK\r\nX: ';
const ACCEPTED = 'HTTP/1.1 202 OK\r\n\r\n';
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';

test.each<[string, string, ((socket: Socket) => void) | undefined, WebhookOutcome]>([
  ['switches to another protocol', UPGRADE, undefined, { problem: 'closed without an answer' }],
  ['sends nothing, and ends', '', (socket) => socket.end(), { problem: 'ECONNRESET' }],
  ['resets the connection', '', (socket) => socket.resetAndDestroy(), { problem: 'ECONNRESET' }],
  ['ends in its headers', HEADER, (socket) => socket.end(), { problem: 'ECONNRESET' }],
  ['does not end its headers', HEADER.padEnd(100_000, 'x'), undefined, { problem: 'HPE_HEADER_OVERFLOW' }],
  ['speaks another protocol', 'SSH-2.0-server\r\n', undefined, { problem: 'HPE_INVALID_CONSTANT' }],
  ['never sends its body', 'HTTP/1.1 204 OK\r\nContent-Length: 9\r\n\r\n', undefined, { status: 204 }],
  ['resets after its headers', ACCEPTED, (socket) => socket.resetAndDestroy(), { status: 202 }],
])('a receiver that %s does not hold up the delivery', async (_, answer, then, outcome) => {
  const receiver = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(answer, () => then?.(socket)));
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(receiver)}/`;
  const message = { id: 'x', body: '{}' };
  const noLimit = { timeoutMillis: 2_000_000_000 };
  expect(await sendWebhook({ url, keys: [] }, message, 0, noLimit)).toEqual(outcome);
  receiver.close();
});

test.each([
  ['never ends its headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
  ['sends interim answers alone', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)],
])('an endpoint that %s has a limit', async (_, answer) => {
  const silent = createServer((socket) => void socket.on('error', () => {}).write(answer));
  const port = await listenOnFreePort(silent);
  const keys = [Buffer.alloc(32)];
  const message = { id: 'x', body: '{}' };
  const limit = { timeoutMillis: 200 };
  const outcome = await sendWebhook({ url: `http://127.0.0.1:${port}/`, keys }, message, 0, limit);
  expect(outcome).toEqual({ problem: 'no answer within 0.2 s' });
  silent.close();
});

test('the proxies of the environment are not used', async () => {
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:9/';
  const server = createHttpServer((_request, response) => void response.writeHead(204).end());
  const port = await listenOnFreePort(server);
  const keys = [Buffer.alloc(32)];
  const outcome = await sendWebhook({ url: `http://127.0.0.1:${port}/`, keys }, { id: 'x', body: '{}' }, 0);
  expect(outcome).toEqual({ status: 204 });
  delete process.env.HTTP_PROXY;
  delete process.env.http_proxy;
  server.close();
});

test('an instance whose claim was taken over changes nothing any more', async () => {
  const sending = { resolve: () => {} };
  const asleep = new Promise<void>((resolve) => {
    sending.resolve = resolve;
  });
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const parts = { ...stores, webhookEndpoints: [endpoint('shared')], clock, log };
  const sleeper = new WebhookDelivery({
    ...parts,
    send: async () => {
      sending.resolve();
      await woken;
      return { status: 204 };
    },
  });
  await sleeper.look();
  await eventually(() => stateOf('shared'));
  await publish();
  await publish();
  await eventually(async () => {
    await sleeper.look();
    expect((await stateOf('shared')).claim).not.toBeNull();
  });
  await asleep;
  await clock.advance(61_000);
  const sent: string[] = [];
  const other = new WebhookDelivery({
    ...parts,
    send: async (_, { id }) => {
      sent.push(id);
      return { status: 204 };
    },
  });
  await eventually(async () => {
    await other.look();
    expect(await stateOf('shared')).toMatchObject({ position: published, claim: null });
  });
  wake();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await stateOf('shared')).toMatchObject({ position: published, event: `event ${published}` });
  expect(sent).toEqual([`event ${published - 1}`, `event ${published}`]);
});
