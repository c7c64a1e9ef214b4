import { once } from 'node:events';
import type { Socket } from 'node:net';
import { throughEachApi } from '../../support/apis.ts';
import { openSocket, parseAnswer } from '../../support/raw-socket.ts';
import { useTestApp } from '../../support/test-app.ts';

// RFC 9112 section 9.6: an answer that ends the connection says so, and reaches a sender that is still sending.
const app = useTestApp({ MAX_FILE_BYTES: '1024' });

const MULTIPART = 'multipart/form-data; boundary=x';
/** More than three documents and 1 MiB. */
const TOO_LARGE = 1_100_000;
const LENGTH = 50_000;

interface Refused {
  request: string;
  headers: Record<string, string | number>;
  status: number;
}

/** Requests that are refused before their body is read. */
const REFUSED: [string, Refused][] = [
  [
    'a doctor of more than the limit',
    {
      request: 'POST /api/v1/auth/register/doctor',
      headers: { 'Content-Type': MULTIPART, 'Content-Length': TOO_LARGE },
      status: 413,
    },
  ],
  [
    'a GraphQL upload of more than the limit',
    {
      request: 'POST /graphql',
      headers: { 'Apollo-Require-Preflight': 'x', 'Content-Type': MULTIPART, 'Content-Length': TOO_LARGE },
      status: 413,
    },
  ],
  [
    'a login of more than the limit',
    {
      request: 'POST /api/v1/auth/login',
      headers: { 'Content-Type': 'application/json', 'Content-Length': TOO_LARGE },
      status: 413,
    },
  ],
  [
    'a GraphQL operation of more than the limit',
    {
      request: 'POST /graphql',
      headers: { 'Content-Type': 'application/json', 'Content-Length': TOO_LARGE },
      status: 413,
    },
  ],
  [
    'a login in UTF-16',
    {
      request: 'POST /api/v1/auth/login',
      headers: { 'Content-Type': 'application/json; charset=utf-16', 'Content-Length': LENGTH },
      status: 415,
    },
  ],
  [
    'a compressed GraphQL operation',
    {
      request: 'POST /graphql',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'Content-Length': LENGTH },
      status: 415,
    },
  ],
  [
    'a logout without a token',
    { request: 'POST /api/v1/auth/logout', headers: { 'Content-Length': LENGTH }, status: 401 },
  ],
  ['an unknown path', { request: 'POST /nowhere', headers: { 'Content-Length': LENGTH }, status: 404 }],
  [
    'another method',
    { request: 'PUT /api/v1/auth/login', headers: { 'Content-Length': LENGTH }, status: 405 },
  ],
  [
    'a form of another site',
    {
      request: 'POST /api/v1/auth/register/doctor',
      headers: { Origin: 'https://evil.example', 'Content-Type': MULTIPART, 'Content-Length': LENGTH },
      status: 403,
    },
  ],
];

const headOf = (request: string, version: string, headers: Record<string, string | number>): string =>
  [
    `${request} HTTP/${version}`,
    ...Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

/** Reads until the other side closes; this side stays open. */
async function readAnswer(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'end');
  return Buffer.concat(chunks).toString();
}

describe.each<[string, string, Record<string, string>]>([
  ['Connection: close', '1.1', { Connection: 'close' }],
  ['HTTP/1.0', '1.0', {}],
])('with %s', (_name, version, more) => {
  test.each(REFUSED)(
    'the refusal of %s closes the connection and reaches a sender that is still sending',
    async (_case, refused) => {
      const { request, headers, status } = refused;
      const socket = openSocket(app.url);
      const errors: unknown[] = [];
      socket.on('error', (error) => errors.push(error));
      socket.write(headOf(request, version, { ...headers, ...more }) + 'x'.repeat(1000));
      const answer = parseAnswer(await readAnswer(socket));
      expect(answer?.status).toBe(status);
      expect(answer?.headers.get('connection')).toBe('close');

      // Data on its way is read, or a reset would lose the answer. A further request is not answered.
      const rest = Number(headers['Content-Length']) - 1000;
      const closed = once(socket, 'close');
      socket.end(`${'x'.repeat(rest)}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
      await closed;
      expect(errors).toEqual([]);
    },
  );

  test('the answer to a complete request closes the connection at once', async () => {
    const socket = openSocket(app.url);
    socket.write(headOf('GET /healthz', version, more));
    expect(parseAnswer(await readAnswer(socket))?.headers.get('connection')).toBe('close');
    socket.end();
    await once(socket, 'close');
  });
});

test('a sender that disconnects after such a refusal leaves no connection open', async () => {
  const socket = openSocket(app.url);
  const [, refused] = REFUSED[0] as [string, Refused];
  socket.write(headOf(refused.request, '1.1', { ...refused.headers, Connection: 'close' }));
  expect(parseAnswer(await readAnswer(socket))?.status).toBe(413);
  socket.end();
  await once(socket, 'close');
});

describe('a sender that waits for 100 Continue', () => {
  test.each(REFUSED)(
    'a sender that waits for 100 Continue gets the refusal at once: %s',
    async (_case, refused) => {
      const { request, headers, status } = refused;
      const socket = openSocket(app.url);
      socket.write(headOf(request, '1.1', { ...headers, Expect: '100-continue' }));
      const text = await readAnswer(socket);
      expect(text).not.toContain('100 Continue');
      const answer = parseAnswer(text);
      expect(answer?.status).toBe(status);
      expect(answer?.headers.get('connection')).toBe('close');
      socket.end();
      await once(socket, 'close');
    },
  );

  throughEachApi((apiOf) => {
    test('a sender that waits for 100 Continue gets the refusal of a form without a boundary or without a preflight at once', async () => {
      const { path } = apiOf(app.url).doctorRequest({});
      const socket = openSocket(app.url);
      const headers = {
        'Content-Type': 'multipart/form-data',
        'Content-Length': LENGTH,
        Expect: '100-continue',
      };
      socket.write(headOf(`POST ${path}`, '1.1', headers));
      const text = await readAnswer(socket);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      socket.end();
    });
  });

  test.each([
    ['/api/v1/auth/login', '{"email":"a@b.example","password":"x"}', 401],
    ['/graphql', '{"query":"{ __typename }"}', 200],
  ])(
    'a sender that waits for 100 Continue at %s gets it once, and then the answer',
    async (path, body, status) => {
      const socket = openSocket(app.url);
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        Expect: '100-continue',
      };
      socket.write(headOf(`POST ${path}`, '1.1', { ...headers, Connection: 'close' }));
      const [asked] = (await once(socket, 'data')) as [Buffer];
      expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(body);
      expect(parseAnswer(await readAnswer(socket))?.status).toBe(status);
      socket.end();
    },
  );
});
