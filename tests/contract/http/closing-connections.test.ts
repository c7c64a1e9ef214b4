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
const LENGTH = { 'Content-Length': 50_000 };
const LARGE = { 'Content-Length': TOO_LARGE };
const FORM = { 'Content-Type': MULTIPART };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const UTF_16 = { 'Content-Type': 'application/json; charset=utf-16' };
const PREFLIGHT = { 'Apollo-Require-Preflight': 'x' };
const EVIL = { Origin: 'https://evil.example' };

type Headers = Record<string, string | number>;

/** Requests that are refused before their body is read. */
const REFUSED: [what: string, status: number, request: string, headers: Headers][] = [
  ['a doctor of more than the limit', 413, 'POST /api/v1/auth/register/doctor', { ...FORM, ...LARGE }],
  ['a GraphQL upload of more than the limit', 413, 'POST /graphql', { ...PREFLIGHT, ...FORM, ...LARGE }],
  ['a login of more than the limit', 413, 'POST /api/v1/auth/login', { ...JSON_TYPE, ...LARGE }],
  ['a GraphQL operation of more than the limit', 413, 'POST /graphql', { ...JSON_TYPE, ...LARGE }],
  ['a login in UTF-16', 415, 'POST /api/v1/auth/login', { ...UTF_16, ...LENGTH }],
  ['a compressed operation', 415, 'POST /graphql', { ...JSON_TYPE, ...LENGTH, 'Content-Encoding': 'gzip' }],
  ['a logout without a token', 401, 'POST /api/v1/auth/logout', LENGTH],
  ['an unknown path', 404, 'POST /nowhere', LENGTH],
  ['another method', 405, 'PUT /api/v1/auth/login', LENGTH],
  ['a form of another site', 403, 'POST /api/v1/auth/register/doctor', { ...EVIL, ...FORM, ...LENGTH }],
];

const headOf = (request: string, version: string, headers: Headers): string =>
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
    async (_what, status, request, headers) => {
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
  const headers = { ...FORM, ...LARGE, Connection: 'close' };
  socket.write(headOf('POST /api/v1/auth/register/doctor', '1.1', headers));
  expect(parseAnswer(await readAnswer(socket))?.status).toBe(413);
  socket.end();
  await once(socket, 'close');
});

describe('a sender that waits for 100 Continue', () => {
  test.each(REFUSED)(
    'a sender that waits for 100 Continue gets the refusal at once: %s',
    async (_what, status, request, headers) => {
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
      const headers = { 'Content-Type': 'multipart/form-data', ...LENGTH, Expect: '100-continue' };
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
      const headers = { ...JSON_TYPE, 'Content-Length': body.length, Expect: '100-continue' };
      socket.write(headOf(`POST ${path}`, '1.1', { ...headers, Connection: 'close' }));
      const [asked] = (await once(socket, 'data')) as [Buffer];
      expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(body);
      expect(parseAnswer(await readAnswer(socket))?.status).toBe(status);
      socket.end();
    },
  );
});
