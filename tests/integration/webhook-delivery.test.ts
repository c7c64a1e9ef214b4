import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { sendWebhook } from '../../src/auth/events/webhook.ts';
import { WebhookDelivery } from '../../src/auth/events/webhook-delivery.ts';
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

let stores: Stores;
beforeAll(async () => {
  await createIndexes(opened.connection);
  stores = openStores({ connection: opened.connection, limit: undefined });
});

const endpoint = (name: string) => ({
  ...{ name, url: 'http://127.0.0.1:1/', types: ['account.updated'] as const, keys: [Buffer.alloc(32)] },
});

async function publish(position: number): Promise<void> {
  await stores.events.append([
    {
      ...{
        _id: position,
        event: `event ${position}`,
        type: 'account.updated',
        at: new Date(),
        cause: 'correction',
      },
      ...{ account: null, token: null, publishedAt: new Date() },
    },
  ]);
}

async function stateOf(name: string): Promise<WebhookState> {
  const [state] = await stores.webhooks.states([name]);
  if (!state) {
    throw new Error('the endpoint was never open');
  }
  return state;
}

test('the pauses are 5 s, 30 s, 2 min, 10 min, then an hour, for three days', async () => {
  let tries = 0;
  const delivery = new WebhookDelivery({
    ...{ ...stores, endpoints: [endpoint('failing')], clock, log },
    send: async () => {
      tries += 1;
      return { status: 503 };
    },
  });
  await delivery.look();
  await eventually(() => stateOf('failing'));
  await publish(1);
  const began = clock.now();
  const pauses: number[] = [];
  let state = await stateOf('failing');
  while (!state.disabledAt) {
    await clock.advance(Math.max(0, state.nextAttemptAt.getTime() - clock.now()));
    const { failures } = state;
    await eventually(async () => {
      await delivery.look();
      state = await stateOf('failing');
      expect([state.failures, state.claim]).toEqual([failures + 1, null]);
    });
    pauses.push((state.nextAttemptAt.getTime() - clock.now()) / 1_000);
  }
  expect(pauses.slice(0, 5)).toEqual([5, 30, 120, 600, 3_600]);
  expect(new Set(pauses.slice(4))).toEqual(new Set([3_600]));
  const days = (clock.now() - began) / DAY_MILLIS;
  expect([days >= 3, days < 3.1]).toEqual([true, true]);
  // Nothing is sent to it any more, until an operator says so.
  const count = tries;
  await clock.advance(DAY_MILLIS);
  await delivery.look();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(tries).toBe(count);
  expect(await stores.webhooks.resume('failing', new Date(clock.now()))).toBe(true);
  await eventually(async () => {
    await delivery.look();
    expect(tries).toBe(count + 1);
  });
});

test('an endpoint that does not answer, or never ends its headers, has a limit', async () => {
  const silent = createServer(
    (socket) => void socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\nX-Slow: '),
  );
  const port = await listenOnFreePort(silent);
  const keys = [Buffer.alloc(32)];
  const message = { id: 'x', body: '{}' };
  const outcome = await sendWebhook({ url: `http://127.0.0.1:${port}/`, keys }, message, 0, 200);
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
  const parts = { ...stores, endpoints: [endpoint('shared')], clock, log };
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
  await publish(2);
  await publish(3);
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
    expect(await stateOf('shared')).toMatchObject({ position: 3, claim: null });
  });
  wake();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await stateOf('shared')).toMatchObject({ position: 3, event: 'event 3' });
  expect(sent).toEqual(['event 2', 'event 3']);
});
