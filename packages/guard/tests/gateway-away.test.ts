import type { RequestListener } from 'node:http';
import { freePort } from '../../../tests/support/listen.ts';
import { GuardError } from '../src/index.ts';
import { ACTIVE, FakeGateway, SECRET, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();

/** The error of a question, after a check that it contains no secret and was reported once. */
async function errorOf(options: Parameters<FakeGateway['guard']>[0] = {}): Promise<GuardError> {
  const error = await gateway
    .guard(options)
    .check(TOKEN)
    .then(
      () => new Error('the token was let through or refused'),
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(GuardError);
  expect(gateway.errors).toEqual([error]);
  const { message, stack } = error as GuardError;
  for (const secret of [TOKEN, SECRET, Buffer.from(`appointments:${SECRET}`).toString('base64')]) {
    expect(message + stack).not.toContain(secret);
  }
  return error as GuardError;
}

test('nobody listens', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await errorOf({ url })).toMatchObject({
    code: 'NETWORK_ERROR',
    message: `The gateway at ${url} cannot be reached, or the connection broke (ECONNREFUSED).`,
    retryAfterSeconds: 1,
  });
});

test('the name of the host does not exist', async () => {
  expect(await errorOf({ url: 'http://gateway.invalid' })).toMatchObject({ code: 'NETWORK_ERROR' });
});

test('the server does not speak TLS', async () => {
  expect(await errorOf({ url: gateway.url.replace('http:', 'https:') })).toMatchObject({
    code: 'NETWORK_ERROR',
  });
});

const HANGS: [string, RequestListener][] = [
  ['before the answer', () => {}],
  ['after the headers', (_request, response) => response.writeHead(200).flushHeaders()],
  ['in the middle of the answer', (_request, response) => void response.write('{"active":true,')],
];

test.each(HANGS)('the gateway hangs %s', async (_when, answer) => {
  gateway.answer = answer;
  expect(await errorOf({ timeoutMillis: 50 })).toMatchObject({
    code: 'TIMEOUT',
    message: `The gateway at ${gateway.url} did not answer within 50 ms.`,
  });
});

test('the gateway hangs, and more questions wait than there are connections', async () => {
  gateway.answer = () => {};
  const guard = gateway.guard({ timeoutMillis: 50 });
  const questions = Array.from({ length: 100 }, (_, index) => guard.check(`${index}|abc`));
  const results = await Promise.allSettled(questions);
  expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
    Array(100).fill('TIMEOUT'),
  );
  gateway.answer = FakeGateway.says(ACTIVE);
  expect((await guard.check(TOKEN))?.role).toBe('doctor');
});

test('the connection breaks in the middle of the answer', async () => {
  gateway.answer = (request, response) => {
    response
      .writeHead(200, { 'Content-Length': '1000' })
      .write('{"active":true,', () => request.socket.destroy());
  };
  expect(await errorOf()).toMatchObject({ code: 'NETWORK_ERROR' });
});

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  [
    'an upgrade that nobody has asked for',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ],
  ['a header that is too large', `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
])('the server answers with %s', async (_what, bytes) => {
  gateway.answer = (request) => request.socket.end(bytes);
  expect(await errorOf()).toMatchObject({ code: 'NETWORK_ERROR' });
});

test('the answer never ends', async () => {
  gateway.answer = (_request, response) => {
    const pump = () => {
      while (!response.destroyed && response.write(' '.repeat(16_384))) {}
    };
    response.on('drain', pump).writeHead(200);
    pump();
  };
  expect(await errorOf()).toMatchObject({
    code: 'INVALID_RESPONSE',
    message: "The answer has more than 65536 bytes. It is not the gateway's.",
  });
});

const { active: _active, ...WITHOUT_ACTIVE } = ACTIVE;

test.each([
  [200, '<html>please log in</html>'],
  [200, ''],
  [200, 'null'],
  [200, 'true'],
  [200, '"active"'],
  [200, '[]'],
  [200, '{}'],
  [200, '{"active":true'],
  [200, { active: true }],
  [200, WITHOUT_ACTIVE],
  ...['true', 1, 'false', 0, null].map((active) => [200, { ...ACTIVE, active }] as const),
  ...['sub', 'jti', 'role', 'name', 'scope', 'iat'].flatMap((field) =>
    [undefined, null, 5n, {}, ['doctor'], field === 'iat' ? '1' : 1].map(
      (value) => [200, { ...ACTIVE, [field]: typeof value === 'bigint' ? true : value }] as const,
    ),
  ),
  [200, { ...ACTIVE, sub: '' }],
  [200, { ...ACTIVE, exp: null }],
  [200, { ...ACTIVE, exp: 'tomorrow' }],
  [201, ACTIVE],
  [204, ''],
  [400, { error: 'invalid_request' }],
  [403, { active: true }],
  [404, { message: 'Not Found' }],
  [413, '<html>'],
  [500, ACTIVE],
  [502, '<html><h1>502 Bad Gateway</h1></html>'],
])("an answer that is not the gateway's lets nobody through: %i %j", async (status, body) => {
  gateway.answer = FakeGateway.says(body, status);
  expect(await errorOf()).toMatchObject({
    code: 'INVALID_RESPONSE',
    message: `The answer (HTTP ${status}) is not that of a gateway's introspection. Is the address right, and what is in between?`,
  });
});

test.each([301, 302, 303, 307, 308])('the guard does not follow a redirect (%i)', async (status) => {
  const other = new URL('/elsewhere', gateway.url).href;
  gateway.answer = FakeGateway.says(ACTIVE, status, { Location: other });
  expect(await errorOf()).toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(gateway.questions.length).toBe(1);
});

test.each([
  [503, 'SERVICE_UNAVAILABLE', '7', 7],
  [503, 'SERVICE_UNAVAILABLE', 'Wed, 21 Oct 2026 07:28:00 GMT', 1],
  [503, 'SERVICE_UNAVAILABLE', '-5', 1],
  [429, 'TOO_MANY_ATTEMPTS', '60', 60],
])('the gateway answers %i: %s', async (status, code, retryAfter, retryAfterSeconds) => {
  gateway.answer = FakeGateway.says({ message: 'words' }, status, { 'Retry-After': retryAfter });
  expect(await errorOf()).toMatchObject({ code, retryAfterSeconds });
});

test('the gateway does not accept the credentials of the service', async () => {
  gateway.answer = FakeGateway.says({ message: 'Unauthenticated.' }, 401, { 'WWW-Authenticate': 'Basic' });
  expect(await errorOf()).toMatchObject({
    code: 'UNKNOWN_SERVICE',
    message:
      `The gateway at ${gateway.url} does not know the service "appointments", or its secret is another one. ` +
      "Compare the guard's options with the gateway's setting INTROSPECTION_CLIENTS.",
  });
});
