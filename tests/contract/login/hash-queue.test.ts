import type { ClientRequest } from 'node:http';
import { HASH_QUEUE_LIMITS } from '../../../src/auth/passwords/hash-queue.ts';
import type { Api, Outcome } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { refused } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { closeHashGate } from '../../support/hash-gate.ts';
import { hashQueueOf } from '../../support/hash-queue.ts';
import { freshEmail, freshPassword } from '../../support/people.ts';
import { openRequest } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { useTestApp } from '../../support/test-app.ts';

/** Logins that are sent at once: fewer than the database has connections. */
const WAVE = 64;
/** A shorter queue than in production is full sooner. */
const MAX_WAITING = 100;
const hashQueueLimits = { ...HASH_QUEUE_LIMITS, maxWaiting: MAX_WAITING };
const app = useTestApp({ METRICS: 'on', METRICS_PORT: '0' }, undefined, { hashQueueLimits });

const hashQueue = () => hashQueueOf(app);

/** Sends logins until as many hashes wait as may wait. */
async function fillQueue(): Promise<Promise<Outcome>[]> {
  const logins: Promise<Outcome>[] = [];
  const sendWave = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) {
      const login = loginOfStranger(restApi(app.url));
      // If the test fails, these fail with it, and nobody waits for them.
      login.catch(() => {});
      logins.push(login);
    }
    await eventually(async () => {
      const { running, waiting } = await hashQueue();
      expect(running + waiting).toBe(logins.length);
    });
  };
  await sendWave(WAVE);
  const { running } = await hashQueue();
  const all = MAX_WAITING + running;
  while (logins.length < all) {
    await sendWave(Math.min(WAVE, all - logins.length));
  }
  expect(await hashQueue()).toEqual({ running, waiting: MAX_WAITING });
  return logins;
}

const loginOfStranger = (api: Api) => api.login({ email: freshEmail(), password: freshPassword() });

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';

/** Sends a login through an API, whose answer the test does not wait for. */
function sendLogin(api: 'REST' | 'GraphQL'): ClientRequest {
  const input = { email: freshEmail(), password: freshPassword() };
  const [path, body] =
    api === 'REST' ? ['/api/v1/auth/login', input] : ['/graphql', { query: LOGIN, variables: { input } }];
  const headers = { 'Content-Type': 'application/json' };
  const req = openRequest(app.url, { method: 'POST', path, headers });
  req.end(JSON.stringify(body));
  return req;
}

test.each(['REST', 'GraphQL'] as const)(
  'the hash queue drops the logins by %s whose callers have disconnected',
  async (api) => {
    refused(await loginOfStranger(restApi(app.url)), 'credentials');
    const gate = closeHashGate();
    try {
      const logins = Array.from({ length: WAVE }, () => sendLogin(api));
      await eventually(async () => {
        const { running, waiting } = await hashQueue();
        expect(running + waiting).toBe(WAVE);
      });
      for (const login of logins) {
        login.destroy();
      }
      await eventually(async () => expect(await hashQueue()).toMatchObject({ waiting: 0 }));
    } finally {
      gate.open();
    }
    refused(await loginOfStranger(restApi(app.url)), 'credentials');
  },
);

test('returns 503 at once to a login that finds the hash queue full, and serves all others', async () => {
  const apis = [restApi(app.url), graphqlApi(app.url)];
  // Loads what only the first request needs.
  for (const api of apis) {
    refused(await loginOfStranger(api), 'credentials');
  }

  const gate = closeHashGate();
  try {
    const logins = await fillQueue();
    // No hash runs now, so these answers have not waited for a hash.
    for (const api of apis) {
      const { message, http } = refused(await loginOfStranger(api), 'unavailable');
      expect([message, http.status]).toEqual(['Service Unavailable', 503]);
      expect(Number(http.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    gate.open();
    for (const outcome of await Promise.all(logins)) {
      refused(outcome, 'credentials');
    }
  } finally {
    gate.open();
  }
  for (const api of apis) {
    refused(await loginOfStranger(api), 'credentials');
  }
});
