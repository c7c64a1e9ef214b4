import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { ReceivedFile } from '../../src/documents/quarantine.ts';
import { urlOf } from '../../src/documents/s3/s3-client.ts';
import { S3DocumentStore } from '../../src/documents/s3/s3-document-store.ts';
import { elementOf } from '../../src/documents/s3/xml.ts';
import { CONTENT } from '../support/documents.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

// What a healthy server never does. Each test scripts its answers.
type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

const STORED_PATH = `licenses/${'n'.repeat(40)}.pdf`;
/** The time of the clock below. */
const NOW = 'Sat, 31 Jan 2026 12:00:00 GMT';
const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (_req, res) =>
    res.writeHead(status, { Date: NOW, 'Content-Length': body.length, ...headers }).end(body);
const errorText = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

let answers: Answer[];
let seen: IncomingMessage[];
let server: Server;
let endpoint: string;
const inFolder = folderOfEachTest();
let store: S3DocumentStore;
beforeEach(async () => {
  answers = [];
  seen = [];
  server = createServer((req, res) => {
    seen.push(req);
    void (answers.shift() ?? answering(200))(req, res);
  });
  endpoint = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  store = new S3DocumentStore(
    {
      bucket: 'documents',
      region: 'us-east-1',
      endpoint,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      pathStyle: true,
      delivery: 'stream',
    },
    new ManualClock(),
  );
});
afterEach(async () => {
  await store.close();
  server.closeAllConnections();
  server.close();
});

/** A received file, ready to be kept. */
async function received(): Promise<ReceivedFile> {
  const file = inFolder('upload');
  await writeFile(file, CONTENT.pdf);
  return new ReceivedFile(file, 'license.pdf', CONTENT.pdf.length, false, '');
}

async function listed(): Promise<string[]> {
  const paths: string[] = [];
  for await (const document of store.list('licenses')) {
    paths.push(document.path);
  }
  return paths;
}

const page = (objects: string[], next?: string) =>
  `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects
    .map(
      (key) => `<Contents><Key>${key}</Key><LastModified>2026-01-31T12:00:00.000Z</LastModified></Contents>`,
    )
    .join('')}<IsTruncated>${next !== undefined}</IsTruncated>${
    next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
  }</ListBucketResult>`;

test.each([429, 500, 503])('a document that is read is asked for again after a %d', async (status) => {
  answers = [answering(status), answering(200, 'content')];
  const body = await store.open(STORED_PATH);
  expect(body && (await text(body))).toBe('content');
  expect(seen).toHaveLength(2);
});

test('a lost connection is tried once more, and only once', async () => {
  answers = [(req) => req.socket.destroy(), (req) => req.socket.destroy()];
  await expect(store.open(STORED_PATH)).rejects.toThrow();
  expect(seen).toHaveLength(2);
});

test('an upload that the server refuses is not sent again', async () => {
  answers = [answering(503, errorText('SlowDown'))];
  await expect(store.keep('licenses', await received())).rejects.toMatchObject({
    status: 503,
    cause: { name: 'SlowDown' },
  });
  expect(seen).toHaveLength(1);
});

test('an upload on a connection that the server has just closed is sent again as a whole', async () => {
  const bodies: Buffer[] = [];
  answers = [
    answering(200),
    (req) => req.socket.destroy(),
    async (req, res) => {
      bodies.push(await buffer(req));
      res.end();
    },
  ];
  await store.prepare();
  await store.keep('licenses', await received());
  expect(bodies).toEqual([CONTENT.pdf]);
  expect(seen[2]?.headers['content-length']).toBe(String(CONTENT.pdf.length));
});

test.each([
  { what: 'an unchanged document', isChanged: false },
  { what: 'no document that the network has changed', isChanged: true },
])('$what is placed in a bucket that checks its content', async ({ isChanged }) => {
  let stored: Buffer | undefined;
  answers = [
    async (req, res) => {
      const sent = await buffer(req);
      const bytes = isChanged ? Buffer.concat([sent.subarray(0, -1), Buffer.from('?')]) : sent;
      const md5 = createHash('md5').update(bytes).digest('base64');
      if (req.headers['content-md5'] !== md5) {
        return answering(400, errorText('BadDigest'))(req, res);
      }
      stored = bytes;
      return res.end();
    },
  ];
  const placed = store.place(`doctor_profiles/${STORED_PATH}`, (await received()).path);
  if (isChanged) {
    await expect(placed).rejects.toMatchObject({ name: 'BadDigest' });
    expect(stored).toBeUndefined();
  } else {
    expect(await placed).toMatchObject({ sizeBytes: CONTENT.pdf.length });
    expect(stored).toEqual(CONTENT.pdf);
  }
});

test('a redirect is an error, and nobody else gets the signed request', async () => {
  answers = [answering(307, errorText('TemporaryRedirect'), { Location: `${endpoint}/elsewhere` })];
  await expect(store.open(STORED_PATH)).rejects.toMatchObject({ status: 307, name: 'TemporaryRedirect' });
  expect(seen).toHaveLength(1);
});

test('a wrong clock of this machine is corrected by the time of the server', async () => {
  // An answer to HEAD has no body, and so no code.
  answers = [answering(403, '', { Date: 'Sun, 01 Mar 2026 00:00:00 GMT' })];
  await store.prepare();
  expect(seen.map(({ headers }) => headers['x-amz-date'])).toEqual(['20260131T120000Z', '20260301T000000Z']);
  // The next refusal has another reason.
  answers = [answering(403, '', { Date: 'Sun, 01 Mar 2026 00:00:10 GMT' })];
  await expect(store.prepare()).rejects.toMatchObject({ status: 403 });
});

test('a date that no signature can say leaves our time as it was', async () => {
  const forever = { Date: '+275760-09-13T00:00:00Z' };
  answers = [answering(403, '', forever), answering(200)];
  await expect(store.prepare()).rejects.toMatchObject({ status: 403 });
  await store.prepare();
  expect(seen.map(({ headers }) => headers['x-amz-date'])).toEqual(['20260131T120000Z', '20260131T120000Z']);
});

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

test.each([
  ['wants another protocol', SWITCHING, 'did not answer'],
  ['sends interim answers without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(30), 'interim'],
])('a server that %s is given up', async (_what, interim, text) => {
  answers = [(req) => req.socket.write(interim), (req) => req.socket.write(interim)];
  await expect(store.open(STORED_PATH)).rejects.toThrow(text);
});

test('an unsatisfiable range of a document of unknown size has no size', async () => {
  answers = [answering(416), (_req, res) => res.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end()];
  const conditions = { ifMatch: undefined, ifNoneMatch: undefined, ifModifiedSince: undefined };
  const request = { ...conditions, ifUnmodifiedSince: undefined, ifRange: undefined, range: 'bytes=9-' };
  expect(await store.read(STORED_PATH, request)).toEqual({
    kind: 'stream',
    status: 416,
    headers: {},
    body: undefined,
  });
});

test('a list is read to its last page, and has only documents', async () => {
  const [first, second] = [STORED_PATH, STORED_PATH.replaceAll('n', 'm').replace('licemses', 'licenses')];
  answers = [
    answering(200, page([first, 'licenses/x&amp;y.pdf', 'licenses/'], 'a&amp;b+c&#47;&#x3D;')),
    answering(200, page([second])),
  ];
  expect(await listed()).toEqual([first, second]);
  const queries = seen.map(({ url = '' }) => new URL(url, 'http://x').searchParams);
  expect(queries.map((query) => query.get('continuation-token'))).toEqual([null, 'a&b+c/=']);
  expect(queries[0]?.get('prefix')).toBe('licenses/');
});

test.each([
  ['a page for people', '<html>Welcome</html>'],
  ['a page without a next one', page([], '').replace(/<Next.*Token>/, '')],
  ['a page without an end', page([STORED_PATH]).slice(0, 150)],
  ['a page without limits', page([]).padEnd(5_000_000)],
  ['a page of empty objects', '<Contents></Contents>'.repeat(10_001) + page([])],
])('%s is no list of documents', async (_what, body) => {
  answers = [answering(200, body)];
  await expect(listed()).rejects.toThrow();
});

test('a text of an answer that is far too long is not decoded', () => {
  const text = '&amp;'.repeat(1000);
  expect(elementOf(`<Key>${text}</Key>`, 'Key')).toBe('&'.repeat(1000));
  expect(elementOf(`<Key>${text.repeat(14)}</Key>`, 'Key')).toBeUndefined();
});

test('a list that begins again and again ends', async () => {
  answers = [answering(200, page([], 'again')), answering(200, page([], 'again'))];
  await expect(listed()).rejects.toThrow('did not list');
});

test('an error has the code of the server and nothing else of its answer', async () => {
  answers = [
    answering(
      403,
      '<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>AKIASECRET</AWSAccessKeyId></Error>',
    ),
  ];
  await expect(store.open(STORED_PATH)).rejects.toThrow('the S3 server answered 403 (InvalidAccessKeyId)');
});

const AMAZON = { bucket: 'documents', region: 'eu-west-1', endpoint: undefined, pathStyle: false };

test.each<[where: string, address: Partial<Parameters<typeof urlOf>[0]>, url: string]>([
  ['Amazon', {}, 'https://documents.s3.eu-west-1.amazonaws.com/a/b'],
  ['China', { region: 'cn-north-1' }, 'https://documents.s3.cn-north-1.amazonaws.com.cn/a/b'],
  ['Amazon, in the path', { pathStyle: true }, 'https://s3.eu-west-1.amazonaws.com/documents/a/b'],
  ['a bucket with a dot', { bucket: 'a.b' }, 'https://s3.eu-west-1.amazonaws.com/a.b/a/b'],
  ['another server', { endpoint: 'https://s3.example.org' }, 'https://documents.s3.example.org/a/b'],
  [
    'a server with a path',
    { endpoint: 'https://x.org/s3', pathStyle: true },
    'https://x.org/s3/documents/a/b',
  ],
  ['an address', { endpoint: 'http://10.0.0.1:9000' }, 'http://10.0.0.1:9000/documents/a/b'],
  ['an IPv6 address', { endpoint: 'http://[::1]:9000' }, 'http://[::1]:9000/documents/a/b'],
])('an object has its address: %s', (_where, address, url) => {
  expect(urlOf({ ...AMAZON, ...address }, 'a/b', {}).href).toBe(url);
});
