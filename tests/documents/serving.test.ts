import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { aPdf, CONTENT } from '../support/documents.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { jsonOf, send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { LOCAL, s3Store, useAppWith } from './support/stores.ts';

const execute = promisify(execFile);

type Range = [header: string, start: number, end: number | undefined];

const YEAR = 'public, max-age=31536000, immutable';

describe.each([LOCAL, s3Store('an S3 server')])('documents on $name', (store) => {
  const running = useAppWith(store);
  let url: string;
  const license = aPdf();

  beforeAll(async () => {
    const { app } = running;
    const doctor = aDoctor({ licenseFile: license });
    url = registeredDoctor(await restApi(app.url).registerDoctor(doctor)).profile.licenseFileUrl;
  });
  // Not by fetch, which adds Cache-Control: no-cache to conditional requests.
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    sendRaw(running.app.url, { path: new URL(url).pathname, headers, method });

  test('the gateway serves a document inline, unchanged and cacheable, with a policy that forbids scripts', async () => {
    const { status, bytes, headers } = await get();
    expect(status).toBe(200);
    expect(bytes.equals(license.bytes)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(license.bytes.length),
      'content-disposition': 'inline; filename="license.pdf"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': YEAR,
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^(W\/)?".+"$/),
      'last-modified': expect.stringMatching(/ GMT$/),
    });
  });

  test('HEAD returns the headers of a document without its content', async () => {
    const { status, bytes, headers } = await get({}, 'HEAD');
    expect([status, bytes.length, headers.get('content-length')]).toEqual([
      200,
      0,
      String(license.bytes.length),
    ]);
  });

  test.each<Range>([
    ['bytes=0-3', 0, 4],
    ['bytes=5-', 5, undefined],
    ['bytes=-6', -6, undefined],
  ])('the gateway serves the range %s of a document', async (Range, start, end) => {
    const { status, bytes, headers } = await get({ Range });
    expect(status).toBe(206);
    expect(bytes).toEqual(license.bytes.subarray(start, end));
    expect(headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${license.bytes.length}$`));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('the gateway answers a range behind the end with the size, as JSON', async () => {
    const http = await get({ Range: 'bytes=100000-' });
    expect(http.status).toBe(416);
    expect(http.headers.get('content-range')).toBe(`bytes */${license.bytes.length}`);
    expect(jsonOf(http)).toEqual({ message: 'Range Not Satisfiable' });
  });

  test('the gateway answers 304 to a client that has the document', async () => {
    const { headers } = await get();
    const etag = headers.get('etag') ?? '';
    const lastModified = headers.get('last-modified') ?? '';
    for (const condition of [{ 'If-None-Match': etag }, { 'If-Modified-Since': lastModified }]) {
      const { status, bytes } = await get(condition as Record<string, string>);
      expect([status, bytes.length]).toEqual([304, 0]);
    }
    expect((await get({ 'If-None-Match': '"another"' })).status).toBe(200);
    const other = await get({ 'If-Match': '"another"' });
    expect([other.status, jsonOf(other)]).toEqual([412, { message: 'Precondition Failed' }]);
  });

  test('the gateway answers a range of another version with the whole document', async () => {
    const { status, bytes } = await get({ Range: 'bytes=0-3', 'If-Range': '"another"' });
    expect([status, bytes.length]).toEqual([200, license.bytes.length]);
  });

  // tests/contract/documents/documents.test.ts and named-documents.test.ts have many more.
  test.each(['/storage/licenses/', '/storage/licenses/%', `/storage/licenses/${'n'.repeat(40)}.pdf`])(
    'the gateway answers 404 as JSON for %s',
    async (where) => {
      const http = await sendRaw(running.app.url, { path: where });
      expect(http.status).toBe(404);
      expect(jsonOf(http)).toEqual({ message: expect.stringContaining('could not be found.') });
    },
  );

  test.each(['POST', 'PUT', 'DELETE'])('the gateway refuses %s for a document', async (method) => {
    expect((await get({}, method)).status).toBe(405);
    expect((await get()).status).toBe(200);
  });
});

describe('an entry of the storage folder that is not a regular file', () => {
  const running = useAppWith(LOCAL);
  const name = `${'n'.repeat(40)}.pdf`;
  const otherOf = (target: string) => path.join(path.dirname(target), `${'o'.repeat(40)}.pdf`);

  const closing: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  /** The path of a socket may have only a hundred characters, so it is linked to its longer path. */
  async function makeSocket(target: string) {
    const folder = await mkdtemp(path.join(tmpdir(), 's-'));
    const server = createServer().listen(path.join(folder, 's')).unref();
    await once(server, 'listening');
    await link(path.join(folder, 's'), target);
    closing.push(
      async () => void server.close(),
      () => rm(folder, { recursive: true, force: true }),
    );
  }

  test.each<[what: string, make: (target: string) => Promise<unknown>]>([
    ['a pipe', (target) => execute('mkfifo', [target])],
    ['a folder', (target) => mkdir(target)],
    ['a link to a file', (target) => symlink('/etc/hostname', target)],
    ['a link to nothing', (target) => symlink('/nowhere', target)],
    ['a link to itself', (target) => symlink(target, target)],
    ['a link to a device', (target) => symlink('/dev/zero', target)],
    [
      'a link to a pipe',
      (target) => execute('mkfifo', [`${target}.pipe`]).then(() => symlink(`${target}.pipe`, target)),
    ],
    [
      'a link to another document',
      (target) => writeFile(otherOf(target), CONTENT.pdf).then(() => symlink(otherOf(target), target)),
    ],
    ['a socket', makeSocket],
  ])('the gateway answers 404 at once for %s', async (_what, make) => {
    const { storageDir, url } = running.app;
    const target = path.join(storageDir, 'licenses', name);
    await make(target);
    try {
      for (const method of ['GET', 'HEAD']) {
        expect((await send(`${url}/storage/licenses/${name}`, { method })).status).toBe(404);
      }
    } finally {
      await rm(target, { recursive: true });
    }
  });

  test('the gateway serves no document from a folder that is a link', async () => {
    const { storageDir, url } = running.app;
    await rename(path.join(storageDir, 'diplomas'), path.join(storageDir, 'moved'));
    await mkdir(path.join(storageDir, 'outside'));
    await writeFile(path.join(storageDir, 'outside', name), 'secret');
    await symlink(path.join(storageDir, 'outside'), path.join(storageDir, 'diplomas'));
    expect((await send(`${url}/storage/diplomas/${name}`)).status).toBe(404);
  });
});
