import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { S3DocumentStore } from '../../src/documents/s3/s3-document-store.ts';
import { listenOnFreePort } from '../support/listen.ts';

/** The server is given up after 10 s of silence. */
const LIMIT_MILLIS = 10_000;
/** More than the connection and both ends of it buffer. */
const LARGE = Buffer.alloc(30_000_000, 1);

/** Uses the documents of a server that answers in its own way. */
async function withStore<T>(
  answer: RequestListener,
  act: (store: S3DocumentStore) => Promise<T>,
): Promise<T> {
  const server = createServer(answer);
  const store = new S3DocumentStore({
    bucket: 'documents',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${await listenOnFreePort(server)}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    pathStyle: true,
    delivery: 'stream',
  });
  try {
    return await act(store);
  } finally {
    await store.close();
    server.closeAllConnections();
    server.close();
  }
}

const STORED_PATH = `licenses/${'n'.repeat(40)}.pdf`;

/** Reads a document; waits before it reads on, if it should. */
const read = (answer: RequestListener, waitMillis = 0): Promise<Buffer | undefined> =>
  withStore(answer, async (store) => {
    const body = await store.open(STORED_PATH);
    if (body && waitMillis > 0) {
      await once(body, 'readable');
      await pause(waitMillis);
    }
    return body && (await buffer(body));
  });

test.each<[when: string, answer: RequestListener]>([
  ['before its answer', () => {}],
  ['in its answer', (_req, res) => res.writeHead(200, { 'Content-Length': 100 }).write('x')],
])('a server that falls silent %s is given up, and not asked again', async (_when, answer) => {
  let asked = 0;
  const startedAt = performance.now();
  const counted: RequestListener = (req, res) => {
    asked += 1;
    answer(req, res);
  };
  await expect(read(counted)).rejects.toThrow('silent');
  expect(asked).toBe(1);
  expect(performance.now() - startedAt).toBeGreaterThan(LIMIT_MILLIS - 500);
});

test('a reader that pauses for longer than that gets the whole document', async () => {
  const content = await read((_req, res) => res.end(LARGE), LIMIT_MILLIS + 3_000);
  expect(content?.length).toBe(LARGE.length);
});

test('an answer without an end to a request that is done is not waited for', async () => {
  const endless: RequestListener = (_req, res) => {
    const timer = setInterval(() => res.write('x'), 100);
    res.once('close', () => clearInterval(timer));
  };
  await withStore(endless, (store) => store.remove(STORED_PATH));
});
