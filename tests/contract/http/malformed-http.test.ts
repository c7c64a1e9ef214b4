import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { aPdfOf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { refused, registeredDoctor } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { exchange, openSocket, readToEnd } from '../../support/raw-socket.ts';
import { restApi } from '../../support/rest-api.ts';
import { nextServerSocket } from '../../support/server-socket.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const HOST = 'Host: gateway.example';
const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

// Whatever a test has sent, the next caller is answered as ever.
afterEach(async () => {
  refused(await restApi(app.url).logout(undefined), 'unauthenticated');
});

describe('bytes that never become a request', () => {
  test.each([
    ['a request line of another protocol', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', 400, request('BREW /graphql HTTP/1.1', HOST)],
    ['an unknown version', 400, request('GET / HTTP/9.9', HOST)],
    ['no Host', 400, request('GET / HTTP/1.1', 'Accept: */*')],
    ['two Hosts', 400, request('GET / HTTP/1.1', HOST, 'Host: evil.example')],
    ['a header without a name', 400, request('GET / HTTP/1.1', HOST, ': value')],
    ['a NUL in a header', 400, request('GET / HTTP/1.1', HOST, 'X-A: a\0b')],
    ['a blank before the colon', 400, request('GET / HTTP/1.1', HOST, 'X-A : b')],
    ['a folded header', 400, request('GET / HTTP/1.1', HOST, 'X-A: b', ' c')],
    ['lines that end in a bare LF', 400, `GET / HTTP/1.1\n${HOST}\n\n`],
    [
      'a chunk of no size',
      400,
      `${request(
        'POST /api/v1/auth/login HTTP/1.1',
        HOST,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      )}zz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['headers of more than 16 KiB', 431, request('GET / HTTP/1.1', HOST, `X-A: ${'a'.repeat(20_000)}`)],
    ['a path of more than 16 KiB', 431, request(`GET /${'a'.repeat(20_000)} HTTP/1.1`, HOST)],
  ])('the gateway answers %s in JSON and closes the connection', async (_case, status, bytes) => {
    const answer = await exchange(app.url, bytes);
    expect(answer?.status).toBe(status);
    expect(answer?.headers.get('connection')).toBe('close');
    const message = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request';
    expect(answer && jsonOf(answer)).toEqual({ message });
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      'content-length': String(answer?.text.length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
    });
  });

  test('bytes that are no request do not change the answer to the request before them', async () => {
    const first = request('GET /nothing HTTP/1.1', HOST);
    const answers = await exchange(app.url, `${first}nonsense\r\n\r\n`);
    // The first is answered whole, or not at all.
    expect(answers?.text ?? '').not.toMatch(/^HTTP/m);
    expect([404, 400]).toContain(answers?.status);
  });
});

test.each(['nonsense', 'GET /nothing HTTP/1.1\r\nHost: gateway.example'])(
  'the gateway does not answer %j behind a request that closes the connection',
  async (bytes) => {
    const login = '{"email":"nobody@example.org","password":"x"}';
    const type = 'Content-Type: application/json';
    const length = `Content-Length: ${login.length}`;
    const post = request('POST /api/v1/auth/login HTTP/1.1', HOST, 'Connection: close', type, length);
    const socket = openSocket(app.url);
    socket.write(`${post}${login}${bytes}\r\n\r\n`);
    expect((await readToEnd(socket)).match(/^HTTP.*/gm)).toEqual(['HTTP/1.1 401 Unauthorized']);
  },
);

test('nonsense behind a request does not change the answer that is being sent', async () => {
  const large = { licenseFile: aPdfOf(9 * 1024 * 1024) };
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor(large)));
  const accepted = nextServerSocket(app.url);
  const socket = openSocket(app.url);
  const document = request(`GET ${new URL(profile.licenseFileUrl).pathname} HTTP/1.1`, HOST);
  const nonsense = 'nonsense\r\n\r\n';
  socket.write(document);
  // The document is larger than the buffers of a connection, so the gateway is still sending it.
  await once(socket, 'readable');
  socket.write(nonsense);
  const server = await accepted;
  await eventually(() => expect(server.bytesRead).toBe(document.length + nonsense.length));
  const answer = await readToEnd(socket);
  expect(answer.match(/^HTTP.*/gm)).toEqual(['HTTP/1.1 200 OK']);
  expect(answer).not.toContain('Bad Request');
});

describe('odd requests', () => {
  test('the gateway closes the connection of CONNECT', async () => {
    expect(
      await exchange(app.url, request('CONNECT example.org:443 HTTP/1.1', 'Host: example.org:443')),
    ).toBe(undefined);
  });

  test('the gateway ignores Upgrade', async () => {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
    const answer = await sendRaw(app.url, { path: '/graphql/nothing', headers });
    expect([answer.status, jsonOf(answer)]).toEqual([404, { message: expect.any(String) }]);
  });

  test.each(['100-continue', 'miracles'])('Expect: %s does not change the answer', async (Expect) => {
    const headers = { Expect, 'Content-Type': 'application/json' };
    const answer = await sendRaw(
      app.url,
      { path: '/api/v1/auth/login', method: 'POST', headers },
      '{"email":1}',
    );
    expect(answer.status).toBe(422);
    jsonOf(answer);
  });

  test.each(['TRACE', 'PROPFIND', 'SEARCH', 'LINK', 'M-SEARCH', 'PURGE', 'SOURCE'])(
    'the gateway answers 405 to %s at a path with another method',
    async (method) => {
      for (const path of ['/api/v1/auth/login', '/graphql', '/storage/licenses/x']) {
        const headers = { 'X-Secret': 'not-to-be-echoed', 'Content-Type': 'application/json' };
        const answer = await sendRaw(app.url, { path, method, headers });
        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toMatch(/POST|GET/);
        expect(answer.text).not.toContain('not-to-be-echoed');
        jsonOf(answer);
      }
    },
  );

  test('HEAD of a path for POST returns 405 and Allow, without a body', async () => {
    const answer = await sendRaw(app.url, { path: '/api/v1/auth/login', method: 'HEAD' });
    expect([answer.status, answer.headers.get('allow'), answer.text]).toEqual([405, 'POST', '']);
  });

  test('a target with scheme and host is the same as its path (RFC 9112 section 3.2.2)', async () => {
    const path = 'http://evil.example/api/v1/auth/logout';
    const answer = await sendRaw(app.url, { path, method: 'POST' });
    expect([answer.status, jsonOf(answer)]).toEqual([401, { message: 'Unauthenticated.' }]);
    const unknown = await sendRaw(app.url, { path: 'http://evil.example/nothing' });
    expect(unknown.status).toBe(404);
    expect(unknown.text).not.toContain('evil.example');
  });

  test('the gateway answers 404 to a long path within the limit', async () => {
    expect((await send(`${app.url}/${'a'.repeat(12_000)}`)).status).toBe(404);
  });
});

describe.each(['/api/v1/auth/login', '/graphql'])('a JSON body for %s', (path) => {
  const post = (headers: Record<string, string>, body: string | Buffer) =>
    sendRaw(
      app.url,
      { path, method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } },
      body,
    );

  test.each(['gzip', 'deflate', 'br'])(
    'the gateway answers 415 to JSON compressed by %s',
    async (encoding) => {
      const answer = await post({ 'Content-Encoding': encoding }, gzipSync('{"email":"a@b.c"}'));
      expect(answer.status).toBe(415);
      expect(JSON.stringify(jsonOf(answer))).toContain('must not be compressed');
      expect(answer.text).not.toContain(encoding);
    },
  );

  test('the gateway answers 415 to JSON with two Content-Type headers', async () => {
    const type = 'Content-Type: application/json';
    const head = [`POST ${path} HTTP/1.1`, HOST, type, `${type}; charset=utf-7`, 'Content-Length: 2'];
    const answer = await exchange(app.url, `${request(...head, 'Connection: close')}{}`);
    expect(answer?.status).toBe(415);
  });
});
