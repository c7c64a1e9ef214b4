import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { throughEachApi } from '../../support/apis.ts';
import { storePdf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { refused } from '../../support/expectations.ts';
import { encodeForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { openSocket, readToEnd } from '../../support/raw-socket.ts';
import { restApi } from '../../support/rest-api.ts';
import { closedByServer, nextServerSocket } from '../../support/server-socket.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

// A hash takes a good tenth of a second: long enough for what is sent behind a login to arrive before its answer.
const app = useTestApp({ BCRYPT_COST: '11' });
const UNREAD_BYTES = 24 * 1024 * 1024;

const get = (path: string, ...headers: string[]) =>
  Buffer.from([`GET ${path} HTTP/1.1`, 'Host: gateway.example', ...headers, '', ''].join('\r\n'));

function post(path: string, headers: Record<string, string>, body: Buffer): Buffer {
  const lines = Object.entries({ Host: 'gateway.example', ...headers, 'Content-Length': body.length });
  const head = [`POST ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}

const login = (headers: Record<string, string> = {}) =>
  post(
    '/api/v1/auth/login',
    { 'Content-Type': 'application/json', ...headers },
    Buffer.from('{"email":"nobody@example.org","password":"not the one"}'),
  );

/** Sends requests on one connection, one right behind the other. */
function pipeline(...requests: Buffer[]) {
  const socket = openSocket(app.url);
  socket.write(Buffer.concat(requests));
  return socket;
}

/**
 * Pipelines requests behind one for a document that nobody reads, and closes the connection. The document is larger than the
 * buffers of a connection, so the requests behind it still wait for their turn.
 */
async function leaveBeforeTheirTurn(document: string, ...requests: Buffer[]): Promise<void> {
  const accepted = nextServerSocket(app.url);
  const socket = pipeline(get(document), ...requests);
  await once(socket, 'readable');
  socket.destroy();
  await closedByServer(accepted);
  await answeredAfter();
}

/** Waits for two logins, each with a hash. What the server has begun before has left its traces by then. */
async function answeredAfter(): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    refused(await restApi(app.url).login(aPatient()), 'credentials');
  }
}

/** The statuses of all answers until the connection is closed. */
const statusesOf = async (answers: Promise<string>) =>
  [...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The stored documents that this process, which is the server's as well, has open. */
async function openDocuments(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(app.storageDir));
}

test('the gateway answers pipelined requests in their order', async () => {
  const last = get('/nothing', 'Connection: close');
  expect(await statusesOf(readToEnd(pipeline(login(), get('/nothing'), login(), last)))).toEqual([
    401, 404, 401, 404,
  ]);
});

test('the gateway does not begin a request behind one whose answer closes the connection', async () => {
  const before = await inventoryOf(app);
  const withoutHost = Buffer.from('GET / HTTP/1.1\r\n\r\n');
  const body = Buffer.from(JSON.stringify(aPatient()));
  const registration = post('/api/v1/auth/register/patient', { 'Content-Type': 'application/json' }, body);
  expect(await statusesOf(readToEnd(pipeline(withoutHost, registration)))).toEqual([400]);
  await answeredAfter();
  expect(await inventoryOf(app)).toEqual(before);
});

test('the gateway closes a connection that pipelines hundreds of requests', async () => {
  expect(await statusesOf(readToEnd(pipeline(login(), ...Array(500).fill(get('/nothing')))))).toEqual([]);
});

test('the gateway leaves no document open when the caller leaves before its turn', async () => {
  const document = await storePdf(app, UNREAD_BYTES);
  await leaveBeforeTheirTurn(document, get(document), get(document), get(document));
  await eventually(async () => expect(await openDocuments()).toEqual([]));
});

throughEachApi((apiOf) => {
  test('the gateway leaves no upload in quarantine when the caller leaves before its turn', async () => {
    const { path, headers, form } = apiOf(app.url).doctorRequest(aDoctor());
    const { contentType, body } = await encodeForm(form);
    const upload = post(path, { ...headers, 'Content-Type': contentType }, body);
    const document = await storePdf(app, UNREAD_BYTES);
    const before = await inventoryOf(app);
    await leaveBeforeTheirTurn(document, upload);
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });
});
