import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { storePdf } from '../../support/documents.ts';
import { throughEachDoor } from '../../support/doors.ts';
import { eventually } from '../../support/eventually.ts';
import { encodeForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { openSocket, readToEnd } from '../../support/raw-socket.ts';
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

/** Keeps whatever is behind it waiting for its turn: nobody reads it, and it is more than the system keeps for a connection. */
const unreadDocument = async (): Promise<Buffer> => get(await storePdf(app, UNREAD_BYTES));

/** The statuses of all answers until the connection is closed. */
const statusesOf = async (answers: Promise<string>) =>
  [...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The stored documents that this process, which is the server's as well, has open. */
async function openDocuments(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(app.storageDir));
}

test('requests that are sent at once are answered in their order', async () => {
  const last = get('/nothing', 'Connection: close');
  expect(await statusesOf(readToEnd(pipeline(login(), get('/nothing'), login(), last)))).toEqual([
    401, 404, 401, 404,
  ]);
});

test('nothing is begun behind a request whose answer closes the connection', async () => {
  const before = await inventoryOf(app);
  const withoutHost = Buffer.from('GET / HTTP/1.1\r\n\r\n');
  const body = Buffer.from(JSON.stringify(aPatient()));
  const registration = post('/api/v1/auth/register/patient', { 'Content-Type': 'application/json' }, body);
  expect(await statusesOf(readToEnd(pipeline(withoutHost, registration)))).toEqual([400]);
  await wait(500);
  expect(await inventoryOf(app)).toEqual(before);
});

test('a connection with hundreds of requests at once is cut', async () => {
  expect(await statusesOf(readToEnd(pipeline(login(), ...Array(500).fill(get('/nothing')))))).toEqual([]);
});

test('documents are not left open for somebody who goes away before their turn', async () => {
  const document = await unreadDocument();
  const socket = pipeline(document, document, document, document);
  await once(socket, 'readable');
  await wait(50);
  socket.destroy();
  await wait(500);
  await eventually(async () => expect(await openDocuments()).toEqual([]));
});

throughEachDoor((openDoor) => {
  test('uploads are not left in quarantine for somebody who goes away before their turn', async () => {
    const { path, headers, form } = openDoor(app.url).doctorRequest(aDoctor());
    const { contentType, body } = await encodeForm(form);
    const upload = post(path, { ...headers, 'Content-Type': contentType }, body);
    const document = await unreadDocument();
    const before = await inventoryOf(app);
    const socket = pipeline(document, upload);
    await once(socket, 'readable');
    await wait(50);
    socket.destroy();
    await wait(500);
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });
});
