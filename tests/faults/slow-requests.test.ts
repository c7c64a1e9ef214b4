import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { REQUEST_DEADLINES, type RequestDeadlines } from '../../src/api/http/request-limits.ts';
import { listen } from '../../src/api/http/server.ts';
import { systemClock } from '../../src/system/clock.ts';
import { throughEachApi } from '../support/apis.ts';
import { storePdf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { jsonOf, sendJson } from '../support/http.ts';
import { aPatient } from '../support/people.ts';
import { answerTo, openRequest } from '../support/raw-http.ts';
import { openSocket, parseAnswer, readToEnd } from '../support/raw-socket.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';

const JSON_MILLIS = 600;
const HEADERS_MILLIS = 500;
const IDLE_MILLIS = 1_000;
const STALL_SECONDS = 3;
/** A hash takes longer than a JSON body may. */
const SLOW_COST = '14';
/** Of a document: more than the system keeps for a connection at both of its ends. */
const SIZE_BYTES = 24 * 1024 * 1024;

/** As in production, but that nobody has to wait so long. */
const withDeadlines = (deadlines: Partial<RequestDeadlines>) =>
  useTestApp(
    { UPLOAD_STALL_SECONDS: String(STALL_SECONDS), BCRYPT_COST: SLOW_COST },
    undefined,
    { deadlines: { ...REQUEST_DEADLINES, checkIntervalMillis: 50, ...deadlines } },
    systemClock,
  );
const app = withDeadlines({ jsonBodyMillis: JSON_MILLIS, idleMillis: IDLE_MILLIS });
/** Of its own, since Node takes headers for late that have come while this process stood still. */
const headersApp = withDeadlines({ headersMillis: HEADERS_MILLIS });

const DRIP_MILLIS = 50;

/** Sends a byte now and then, for as long as the connection is there. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), DRIP_MILLIS);
  socket.once('close', () => clearInterval(timer));
}

describe('headers that do not come to an end', () => {
  test.each([
    ['nothing at all', '', ''],
    ['half a request line', 'POST /api/v1/auth/login', ''],
    ['a header byte by byte', 'POST /graphql HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'a'],
  ])(
    'the gateway answers 408 to endless headers and closes the connection (%s)',
    async (_case, start, more) => {
      const socket = openSocket(headersApp.url);
      if (start) {
        socket.write(start);
      }
      if (more) {
        drip(socket, more);
      }
      const answer = parseAnswer(await readToEnd(socket));
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([408, 'close']);
      expect(answer && jsonOf(answer)).toEqual({ message: 'Request Timeout' });
    },
  );
});

describe.each([
  '/api/v1/auth/login',
  '/api/v1/auth/register/patient',
  '/api/v1/auth/register/doctor',
  '/graphql',
])('a JSON body for %s', (path) => {
  test.each([
    ['of a declared length', { 'Content-Length': '1000' }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])(
    'the gateway answers 408 to a slow JSON body in %s and closes the connection',
    async (_case, framing) => {
      const headers = { 'Content-Type': 'application/json', ...framing };
      const req = openRequest(app.url, { path, method: 'POST', headers });
      const timer = setInterval(() => req.write(' '), DRIP_MILLIS);
      const closed = once(req, 'close');
      const answer = await answerTo(req).finally(() => clearInterval(timer));
      expect([answer.status, answer.headers.get('connection')]).toEqual([408, 'close']);
      expect(JSON.stringify(jsonOf(answer))).toContain('"message":"Request Timeout"');
      await closed;
    },
  );
});

throughEachApi((apiOf) => {
  test('the deadline of a body does not end a longer answer', async () => {
    // A sender who stands still, as this process may, is late himself: then another one asks.
    await eventually(async () => authenticated(await apiOf(app.url).registerPatient(aPatient())));
  });
});

test('a request that waits for its answer for longer than a connection may be silent gets it', async () => {
  const SILENCE_MILLIS = 100;
  const listener = await listen(
    // Like a login in a long line.
    (_req, res) => void wait(5 * SILENCE_MILLIS).then(() => res.end('answer')),
    {
      host: '127.0.0.1',
      port: 0,
      uploadTimeoutMillis: 1,
      uploadStallMillis: 1,
      keepAliveMillis: 5_000,
      deadlines: { ...REQUEST_DEADLINES, jsonBodyMillis: 1, idleMillis: SILENCE_MILLIS },
    },
  );
  const answer = await sendJson(listener.url, {}).finally(() => listener.stop(0));
  expect(answer.text).toBe('answer');
});

test('KEEP_ALIVE_SECONDS holds an idle connection beyond the other deadlines, and then ends it', async () => {
  const LONGEST_MILLIS = 100;
  const listener = await listen((_req, res) => void res.end('answer'), {
    ...{ host: '127.0.0.1', port: 0, uploadTimeoutMillis: 1, uploadStallMillis: 1, keepAliveMillis: 1_000 },
    deadlines: {
      ...{
        headersMillis: LONGEST_MILLIS,
        jsonBodyMillis: 1,
        idleMillis: LONGEST_MILLIS,
        checkIntervalMillis: 20,
      },
    },
  });
  try {
    const socket = openSocket(listener.url);
    for (let requests = 0; requests < 2; requests += 1) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const [bytes] = await once(socket, 'data');
      expect(String(bytes)).toMatch(/^HTTP\/1\.1 200 /);
      await wait(4 * LONGEST_MILLIS);
      expect(socket.readableEnded).toBe(false);
    }
    await once(socket, 'end');
    socket.destroy();
  } finally {
    await listener.stop(0);
  }
});

test('the gateway soon closes the connection of a sender that continues after its answer', async () => {
  const socket = openSocket(app.url);
  socket.write('POST /api/v1/auth/logout HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
  drip(socket, ' ');
  const answer = parseAnswer(await readToEnd(socket));
  expect(answer?.status).toBe(401);
  // It is the sender who keeps the connection from being of further use.
  expect(answer?.headers.get('connection')).toBe('keep-alive');
});

describe('a document', () => {
  async function ask(): Promise<Socket> {
    const target = await storePdf(app, SIZE_BYTES);
    const socket = openSocket(app.url);
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }

  test('the gateway closes a document that nobody reads', async () => {
    const socket = await ask();
    // Node looks twice before it takes a connection for idle that something is being written to.
    await eventually(() => expect(app.log.join('')).toMatch(/"channel":"storage".*"aborted":true/), 40_000);
    expect((await readToEnd(socket)).length).toBeLessThan(SIZE_BYTES);
  }, 60_000);

  test('the gateway sends a document to its end to a slow reader', async () => {
    const socket = await ask();
    const received: Buffer[] = [];
    for (let pauses = 0; pauses < 6; pauses += 1) {
      await wait(IDLE_MILLIS / 2);
      const chunk: unknown = socket.read();
      if (chunk instanceof Buffer) {
        received.push(chunk);
      }
    }
    const rest = await readToEnd(socket);
    expect(Buffer.concat(received).length + rest.length).toBeGreaterThan(SIZE_BYTES);
  });
});

test('the gateway serves others beside many silent connections and closes all of these', async () => {
  const sockets = Array.from({ length: 300 }, () => openSocket(headersApp.url));
  const ends = Promise.all(sockets.map(readToEnd));
  await eventually(async () => refused(await restApi(headersApp.url).logout(undefined), 'unauthenticated'));
  await ends;
});
