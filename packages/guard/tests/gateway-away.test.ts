import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { freePort } from '../../../tests/support/listen.ts';
import { type Guard, GuardError } from '../src/index.ts';
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

/** A hundred questions about different tokens. */
const hundredQuestions = (guard: Guard) =>
  Promise.allSettled(Array.from({ length: 100 }, (_, index) => guard.check(`${index}|abc`)));
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'rejected' ? result.reason.code : 'answered'));

test('the gateway hangs, and questions wait for a connection', async () => {
  gateway.answer = () => {};
  const codes = codesOf(await hundredQuestions(gateway.guard({ timeoutMillis: 50 })));
  expect(codes).toEqual(Array(100).fill('TIMEOUT'));
});

test('after the connections have broken, the waiting questions get answers', async () => {
  const hanging: Socket[] = [];
  gateway.answer = (request) => {
    if (hanging.push(request.socket) === 16) {
      gateway.answer = FakeGateway.says(ACTIVE);
      for (const socket of hanging) {
        socket.resetAndDestroy();
      }
    }
  };
  const codes = codesOf(await hundredQuestions(gateway.guard()));
  expect(codes).toEqual([...Array(16).fill('NETWORK_ERROR'), ...Array(84).fill('answered')]);
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

const { active: _, ...WITHOUT_ACTIVE } = ACTIVE;
/** Answers in which one field is missing or of another type. */
const FLAWED = ['sub', 'jti', 'role', 'name', 'scope'].flatMap((field) =>
  [undefined, null, true, 1, {}, ['doctor']].map((value) => ({ ...ACTIVE, [field]: value })),
);
const FLAWED_TIMES = ['iat', 'exp'].flatMap((field) =>
  [null, true, '1', {}, -1].map((value) => ({ ...ACTIVE, [field]: value })),
);

test.each<[number, unknown]>([
  ...['<html>please log in</html>', '', 'null', 'true', '"active"', '[]', '{}', '{"active":true'].map(
    (text): [number, unknown] => [200, text],
  ),
  ...['true', 1, 'false', 0, null].map((active): [number, unknown] => [200, { ...ACTIVE, active }]),
  ...[WITHOUT_ACTIVE, { active: true }, { ...ACTIVE, sub: '' }].map((body): [number, unknown] => [200, body]),
  ...[...FLAWED, ...FLAWED_TIMES].map((body): [number, unknown] => [200, body]),
  [201, ACTIVE],
  [204, ''],
  [400, { error: 'invalid_request' }],
  [403, ACTIVE],
  [404, { message: 'Not Found' }],
  [413, '<html>'],
  [500, ACTIVE],
  [502, '<html><h1>502 Bad Gateway</h1></html>'],
])("an answer that is not the gateway's lets nobody through: %i (%#)", async (status, body) => {
  gateway.answer = FakeGateway.says(body, status);
  expect(await errorOf()).toMatchObject({
    code: 'INVALID_RESPONSE',
    message: `The answer (HTTP ${status}) is not that of a gateway's introspection. Is the address right, and is INTROSPECTION_CLIENTS set there?`,
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
