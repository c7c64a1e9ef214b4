import type { ClientRequest } from 'node:http';
import { encode, openUpload, textPart } from '../../documents/support/parts.ts';
import { eventually } from '../../support/eventually.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo, openRequest, sendRaw } from '../../support/raw-http.ts';
import { openSocket } from '../../support/raw-socket.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, basic, SERVICES } from '../../support/services.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp({
  TRUST_PROXY: 'loopback',
  ...SERVICES,
  BASE_URL: 'https://auth.example.org',
});

const JSON_MILLIS = 15_000;
const BODY_BYTES = 102_400;
/** An address has 8 MiB: some 80 of these. */
const TOO_MANY = 100;
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const URLENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };
const SERVICE = basic(APPOINTMENTS.id, APPOINTMENTS.secret);

const open: ClientRequest[] = [];
function closeAll(): void {
  for (const req of open.splice(0)) {
    req.destroy();
  }
}
afterEach(closeAll);

/** Every request has an address of its own, unless it is given one. */
let addresses = 0;
function anAddress(): string {
  addresses += 1;
  return `10.0.${addresses}.1`;
}

interface Sent {
  address: string;
  path?: string;
  headers?: Record<string, string>;
  /** How much of the body is sent: an empty object but for its end. */
  bytes?: number;
}

/** Sends a body but for its end. */
function begin({
  address,
  path = '/api/v1/auth/login',
  headers = JSON_HEADERS,
  bytes = BODY_BYTES - 1,
}: Sent) {
  const length = { 'Content-Length': String(bytes + 1), 'X-Forwarded-For': address };
  const req = openRequest(app.url, { method: 'POST', path, headers: { ...headers, ...length } });
  req.write(`{${' '.repeat(bytes - 1)}`);
  open.push(req);
  const answer = answerTo(req);
  answer.catch(() => {});
  return { req, answer };
}

/** A list of the answers that have come so far. */
function collected(answers: Promise<HttpResponse>[]): HttpResponse[] {
  const come: HttpResponse[] = [];
  for (const answer of answers) {
    answer.then(
      (one) => come.push(one),
      () => {},
    );
  }
  return come;
}

/** Begins so many bodies. */
const beginMany = (count: number, sent: Sent) =>
  collected(Array.from({ length: count }, () => begin(sent).answer));

/** Begins bodies until the address has no memory left. */
async function fill(address: string, kind: Omit<Sent, 'address'> = {}): Promise<HttpResponse[]> {
  const refused = beginMany(TOO_MANY, { ...kind, address });
  await eventually(() => expect(refused.length).toBeGreaterThan(10));
  return refused;
}

/** Sends an upload with nearly 1 MiB of texts, but for its end. */
function beginUpload(address: string): Promise<HttpResponse> {
  const texts = Array.from({ length: 10 }, (_, i) => textPart(`field${i}`, 'x'.repeat(100_000)));
  const headers = { 'X-Forwarded-For': address };
  const req = openUpload(app.url, restApi(app.url), undefined, { headers });
  req.write(encode(texts).subarray(0, -10));
  open.push(req);
  const answer = answerTo(req);
  answer.catch(() => {});
  return answer;
}

const registerDoctor = (address: string) =>
  restApi(app.url, { 'X-Forwarded-For': address }).registerDoctor(aDoctor());

const ask = (address: string) =>
  sendRaw(
    app.url,
    { method: 'POST', path: '/api/v1/auth/login', headers: { ...JSON_HEADERS, 'X-Forwarded-For': address } },
    '{}',
  );

/** Checks that 300 bodies of this size pass, of which none has ended before the others have begun. */
async function expectThatManyPass(address: string, bytes: number): Promise<void> {
  const bodies = Array.from({ length: 300 }, () => begin({ address, bytes }));
  await eventually(async () => expect((await ask(address)).status).toBe(422));
  for (const { req } of bodies) {
    req.end('}');
  }
  const statuses = await Promise.all(bodies.map(async ({ answer }) => (await answer).status));
  expect(new Set(statuses)).toEqual(new Set([422]));
}

const ENDPOINTS: [string, Omit<Sent, 'address'>][] = [
  ['JSON', {}],
  ['a form', { headers: URLENCODED }],
  ['a multipart form', { headers: { 'Content-Type': 'multipart/form-data; boundary=b' } }],
  ['GraphQL', { path: '/graphql' }],
  ['token introspection', { path: '/oauth/introspect', headers: { ...URLENCODED, ...SERVICE } }],
];

test.each(ENDPOINTS)(
  'unfinished bodies of %s are bounded for an address, and given back',
  async (_, kind) => {
    const address = anAddress();
    for (const { status, headers } of await fill(address, kind)) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // The last free bytes may be enough for a very small body.
    const another = begin({ address, path: '/graphql' });
    expect((await another.answer).status).toBe(429);
    const neighbour = address.replace(/1$/, '2');
    expect((await ask(neighbour)).status).toBe(422);

    closeAll();
    await eventually(async () => expect((await ask(address)).status).toBe(422));
    const again = begin({ address });
    again.req.end('}');
    expect((await again.answer).status).toBe(422);
  },
);

test('bodies that take too long are given back', async () => {
  const address = anAddress();
  // Those of both rounds together would be too many.
  for (let rounds = 0; rounds < 2; rounds += 1) {
    const answers = beginMany(60, { address });
    // Some may reach the server after the first step of the clock.
    await eventually(async () => {
      await testClock.advance(JSON_MILLIS);
      expect(answers).toHaveLength(60);
    });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([408]));
  }
});

test('bodies that are answered or refused are given back', async () => {
  const address = anAddress();
  // They leave an address 2 MiB.
  beginMany(60, { address });
  for (let bodies = 0; bodies < 25; bodies += 1) {
    const invalid = begin({ address });
    invalid.req.end('x');
    expect((await invalid.answer).status).toBe(400);
    const answered = begin({ address });
    answered.req.end('}');
    expect((await answered.answer).status).toBe(422);
  }
});

test('the texts of unfinished uploads are bounded for an address, and given back', async () => {
  const address = anAddress();
  const answers = Array.from({ length: 6 }, () => beginUpload(address));
  const { status, headers } = await Promise.any(answers);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  // Bodies have memory of their own.
  expect((await ask(address)).status).toBe(422);
  closeAll();
  await eventually(async () => registeredDoctor(await registerDoctor(address)));
});

/** As many bytes as all may hold, and somewhat more, sent from four /24. */
const FLOODING = [1, 2, 3, 4].flatMap((block) => [1, 2, 3].map((host) => `10.1.${block}.${host}`));

test('texts of uploads from many networks keep out neither logins nor registrations', async () => {
  const uploads = FLOODING.flatMap((address) => Array.from({ length: 4 }, () => beginUpload(address)));
  const answers = collected(uploads);
  await eventually(() => expect(answers.map(({ status }) => status)).toContain(503));
  const address = anAddress();
  const large = begin({ address });
  large.req.end('}');
  expect((await large.answer).status).toBe(422);
  expect((await ask(address)).status).toBe(422);
  expect((await beginUpload(anAddress())).status).toBe(503);
  registeredDoctor(await registerDoctor(address));
});

test('large bodies from many networks do not keep small ones out', async () => {
  const answers = FLOODING.map((address) => beginMany(80, { address }));
  await eventually(() => expect(answers.flat().map(({ status }) => status)).toContain(503));
  const address = anAddress();
  expect((await begin({ address }).answer).status).toBe(503);
  // Together they need more than what the last large body may have left.
  await expectThatManyPass(address, 400);
});

test('300 simultaneous bodies of usual size pass from one address', async () => {
  await expectThatManyPass(anAddress(), 4_000);
});

test('single bytes that come one after the other count as what they take', async () => {
  const address = anAddress();
  const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  // They leave an address 1 MiB.
  beginMany(70, { address });
  const sockets = [openSocket(app.url).setNoDelay(), openSocket(app.url).setNoDelay()];
  let answers = '';
  for (const socket of sockets) {
    socket.on('data', (text) => {
      answers += text;
    });
    socket.write(head);
  }
  for (let sent = 0; sent < 1_900 && answers === ''; sent += 1) {
    for (const socket of sockets) {
      socket.write('1\r\n \r\n');
    }
    // In this process the server reads before the next ones are sent.
    await new Promise(setImmediate);
  }
  await eventually(() => expect(answers).toContain('429 Too Many Requests'));
  for (const socket of sockets) {
    socket.destroy();
  }
});
