import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { aPatient, freshEmail, freshPassword } from '../../../tests/support/people.ts';
import { createAuthClient } from '../src/index.ts';
import { dataOf, errorOf } from './support/results.ts';

const DONE = { data: { logout: { message: 'Logged out' } } };
const account = { id: '1', name: 'Pat', email: 'pat@example.org' };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

const refusal = (code: string, retryAfterSeconds?: number) => ({
  errors: [{ message: 'Refused.', extensions: { code, retryAfterSeconds } }],
});

/** A client of a gateway that gives these answers, the last one for ever, and the number of requests so far. */
function clientOf(...answers: object[]) {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(String(init?.body));
    return Response.json(answers[Math.min(sent.length, answers.length) - 1]);
  };
  return { client: createAuthClient({ url: 'http://gateway.example', token: '1|token', fetch }), sent };
}

/** Lets the time pass once the first answer has come. */
async function pass(seconds: number): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn();
  }
  await jest.advanceTimersByTimeAsync(seconds * 1000);
}

test.each([
  { code: 'TOO_MANY_ATTEMPTS', retryAfterSeconds: 2, waits: 2 },
  { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2, waits: 2 },
  { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: undefined, waits: 1 },
])(
  'a login that is refused with $code and Retry-After $retryAfterSeconds is sent once more after $waits s',
  async ({ code, retryAfterSeconds, waits }) => {
    const answer = { data: { login: { account, token: '2|new' } } };
    const { client, sent } = clientOf(refusal(code, retryAfterSeconds), answer);
    const login = client.login({ email: freshEmail(), password: freshPassword() });
    await pass(waits - 0.1);
    expect(sent).toHaveLength(1);
    await pass(0.1);
    expect(dataOf(await login).token).toBe('2|new');
    expect(sent[1]).toBe(sent[0]);
  },
);

test('a query is repeated after an overload, and only once', async () => {
  const { client, sent } = clientOf(refusal('SERVICE_UNAVAILABLE', 2));
  const me = client.me();
  await pass(2);
  expect(errorOf(await me)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 });
  expect(sent).toHaveLength(2);
});

test('what may have been done is not repeated after an overload, but after too many attempts', async () => {
  const overloaded = clientOf(refusal('SERVICE_UNAVAILABLE', 1));
  errorOf(await overloaded.client.logout());
  errorOf(await overloaded.client.registerPatient(aPatient()));
  expect(overloaded.sent).toHaveLength(2);

  const limited = clientOf(refusal('TOO_MANY_ATTEMPTS', 1), DONE);
  const logout = limited.client.logout();
  await pass(1);
  dataOf(await logout);
  expect(limited.sent).toHaveLength(2);
});

test('a longer wait than 3 s is left to the caller', async () => {
  const { client, sent } = clientOf(refusal('TOO_MANY_ATTEMPTS', 4));
  expect(errorOf(await client.me())).toMatchObject({ retryAfterSeconds: 4 });
  expect(sent).toHaveLength(1);
});

test('another refusal is not repeated', async () => {
  const { client, sent } = clientOf(refusal('INTERNAL_SERVER_ERROR', 1));
  errorOf(await client.me());
  expect(sent).toHaveLength(1);
});

test.each([
  ['the caller ends the call', 'ABORTED', 1],
  ['the timeout comes', 'TIMEOUT', 2],
])('nothing is sent again after %s during the wait', async (_, code, seconds) => {
  const { client, sent } = clientOf(refusal('SERVICE_UNAVAILABLE', 3), DONE);
  const controller = new AbortController();
  const me = client.me({ signal: controller.signal, timeoutMillis: 2_000 });
  await pass(seconds);
  controller.abort();
  expect(errorOf(await me).code).toBe(code);
  await pass(10);
  expect(sent).toHaveLength(1);
});
