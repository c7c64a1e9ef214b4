import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { S3DocumentStore } from '../../src/documents/s3/s3-document-store.ts';
import { CONTENT } from '../support/documents.ts';

const STORED_PATH = `doctor_profiles/licenses/${'n'.repeat(40)}.pdf`;
const BAD_DIGEST = '<Error><Code>BadDigest</Code><Message>The Content-MD5 did not match.</Message></Error>';

/** What a network does to the bytes of a request. */
let transmit: (bytes: Buffer) => Buffer;
/** The content of the bucket. */
let stored: Buffer | undefined;

// A network that changes bytes, and a server that only looks at the checksum.
let server: Server;
let folder: string;
beforeEach(async () => {
  transmit = (bytes) => bytes;
  stored = undefined;
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-s3-'));
  server = createServer(async (req, res) => {
    const bytes = transmit(await buffer(req));
    const md5 = createHash('md5').update(bytes).digest('base64');
    if (req.headers['content-md5'] !== md5) {
      res.writeHead(400, { 'Content-Type': 'application/xml' }).end(BAD_DIGEST);
      return;
    }
    stored = bytes;
    res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

async function place() {
  const source = path.join(folder, 'document');
  await writeFile(source, CONTENT.pdf);
  const store = new S3DocumentStore({
    bucket: 'documents',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    pathStyle: true,
    delivery: 'stream',
  });
  return store.place(STORED_PATH, source).finally(() => store.close());
}

test('a document is placed in a bucket that checks its content', async () => {
  expect(await place()).toMatchObject({ sizeBytes: CONTENT.pdf.length });
  expect(stored?.equals(CONTENT.pdf)).toBe(true);
});

test('a document that the network has changed is not placed', async () => {
  transmit = (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('?')]);
  await expect(place()).rejects.toMatchObject({ name: 'BadDigest' });
  expect(stored).toBeUndefined();
});
