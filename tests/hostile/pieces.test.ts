import { once } from 'node:events';
import type { Socket } from 'node:net';
import { doctorParts, encode } from '../documents/support/parts.ts';
import { aPdfOf } from '../support/documents.ts';
import { jsonOf } from '../support/http.ts';
import { OPERATOR_API } from '../support/operators.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo, openRequest } from '../support/raw-http.ts';
import { openSocket, parseAnswer, readToEnd } from '../support/raw-socket.ts';
import { restApi } from '../support/rest-api.ts';
import { APPOINTMENTS, basic, SERVICES } from '../support/services.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp({ ...SERVICES, ...OPERATOR_API, BASE_URL: 'https://auth.example.org' });

/** More pieces of one byte than a body may have: 128,000 / 63. */
const TOO_MANY = 2_100;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };
const URLENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };
const BEGIN_OF_FILE =
  '--b\r\nContent-Disposition: form-data; name="license_file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';

const head = (path: string, headers: Record<string, string>, method = 'POST') =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
/** A whole chunked body, and another request on the same connection. */
const REST = `${chunk('x').repeat(TOO_MANY)}0\r\n\r\n${head('/nothing', { 'Content-Length': '0' })}`;

async function refusedBy(socket: Socket): Promise<void> {
  const answer = parseAnswer(await readToEnd(socket));
  expect(answer && [answer.status, jsonOf(answer)]).toEqual([400, { message: 'Bad Request' }]);
  expect(answer?.headers.get('connection')).toBe('close');
}

const READ: [string, string, Record<string, string>, string?][] = [
  ['JSON', '/api/v1/auth/login', JSON_TYPE],
  ['a url-encoded form', '/api/v1/auth/login', URLENCODED],
  ['a multipart form', '/api/v1/auth/login', FORM],
  ['the form of a doctor', '/api/v1/auth/register/doctor', FORM, BEGIN_OF_FILE],
  ['GraphQL', '/graphql', JSON_TYPE],
  [
    'a GraphQL upload',
    '/graphql',
    { ...FORM, 'Apollo-Require-Preflight': 'x' },
    '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n',
  ],
  ["the operators' API", '/operators/graphql', JSON_TYPE],
  [
    'token introspection',
    '/oauth/introspect',
    { ...URLENCODED, ...basic(APPOINTMENTS.id, APPOINTMENTS.secret) },
  ],
];

test.each(READ)('%s in pieces of one byte is refused with 400', async (_, path, headers, begin = ' ') => {
  const socket = openSocket(app.url);
  socket.write(head(path, { ...headers, ...CHUNKED }) + chunk(begin) + REST);
  await refusedBy(socket);
});

test('pieces of one byte cannot be paid for by large ones before them', async () => {
  const socket = openSocket(app.url);
  const large = chunk('x'.repeat(300_000));
  socket.write(
    head('/api/v1/auth/register/doctor', { ...FORM, ...CHUNKED }) + chunk(BEGIN_OF_FILE) + large + REST,
  );
  await refusedBy(socket);
});

test('packets of one byte are counted like chunks', async () => {
  const socket = openSocket(app.url).setNoDelay();
  socket.write(head('/api/v1/auth/login', { ...JSON_TYPE, 'Content-Length': '90000' }));
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  // In this process the server reads between two of them.
  for (let sent = 0; sent < 20_000 && answer === ''; sent += 1) {
    socket.write(' ');
    await new Promise(setImmediate);
  }
  expect(answer).toContain('400 Bad Request');
  socket.destroy();
});

test.each<[string, string, Record<string, string>, number, string?]>([
  ['an unknown path', '/nothing', JSON_TYPE, 404],
  ['a wrong type', '/api/v1/auth/login', { 'Content-Type': 'text/plain' }, 415],
  ['a known path with another method', '/storage/licenses/x.pdf', JSON_TYPE, 405],
  ['a logout', '/api/v1/auth/logout', JSON_TYPE, 401],
  ['a health probe', '/healthz', JSON_TYPE, 200, 'GET'],
  ['forward authentication', '/forward-auth/envoy', JSON_TYPE, 401],
])(
  'a body that nobody reads is counted, after the answer to %s',
  async (_, path, headers, status, method = 'POST') => {
    const socket = openSocket(app.url);
    socket.write(head(path, { ...headers, ...CHUNKED }, method));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain(`HTTP/1.1 ${status} `);
    // The connection is closed, and the next request on it is not answered.
    socket.write(REST);
    expect(await readToEnd(socket)).not.toContain('HTTP/1.1');
  },
);

test('1,900 pieces of one byte are accepted', async () => {
  const socket = openSocket(app.url);
  const body = chunk(' ').repeat(1_900) + chunk('{}');
  socket.write(
    `${head('/api/v1/auth/login', { ...JSON_TYPE, ...CHUNKED, Connection: 'close' })}${body}0\r\n\r\n`,
  );
  expect(parseAnswer(await readToEnd(socket))?.status).toBe(422);
});

test.each([64, 512, 1_400])('a form with documents in pieces of %i bytes is accepted', async (size) => {
  const api = restApi(app.url);
  const document = aPdfOf(100_000);
  const fields = aDoctor({ licenseFile: document, diplomaFile: document, certificationFile: document });
  const body = encode(await doctorParts(api, fields), 'b');
  expect(body.length).toBeGreaterThan(300_000);
  const req = openRequest(app.url, { method: 'POST', path: '/api/v1/auth/register/doctor', headers: FORM });
  for (let at = 0; at < body.length; at += size) {
    req.write(body.subarray(at, at + size));
  }
  req.end();
  expect((await answerTo(req)).status).toBe(201);
});
