import { access, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ORDINARY_NAMES } from '../support/document-names.ts';
import { aPdf, CONTENT } from '../support/documents.ts';
import { authenticated } from '../support/expectations.ts';
import { jsonOf, send } from '../support/http.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { importDoctor } from './support/imported-doctors.ts';
import { LOCAL, type StoreKind, s3Store, useStorageWith } from './support/stores.ts';

const DOCTOR = '17';

/** A gateway with an imported doctor, whose license may have any path. */
function useDoctorWith(kind: StoreKind, settings: Record<string, string> = {}) {
  const running = useStorageWith(kind, settings);
  let token: string;
  beforeAll(async () => {
    const { url, database } = running.app;
    const imported = await importDoctor(database, DOCTOR, ['doctor_profiles/', 'doctor_profiles/']);
    token = authenticated(await restApi(url).login(imported)).token;
  });
  return {
    get app() {
      return running.app;
    },
    get documents() {
      return running.storage.documents;
    },
    place: running.place,
    /** The URL that the API answers for the license. */
    async urlOf(storedPath: string): Promise<string> {
      const { profiles } = running.app.database;
      await profiles.updateOne({ _id: DOCTOR }, { $set: { licenseFilePath: storedPath } });
      return (await accountOf(running.app.url, token))?.profile?.licenseFileUrl ?? '';
    },
  };
}

describe.each([LOCAL, s3Store('an S3 server')])('documents with ordinary names on $name', (kind) => {
  const doctor = useDoctorWith(kind);

  test.each(ORDINARY_NAMES)(
    'the URL of %j leads to the document, and is not kept for a year',
    async (name) => {
      const storedPath = `doctor_profiles/licenses/${name}`;
      await doctor.place(storedPath, CONTENT.pdf);
      const url = await doctor.urlOf(storedPath);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/storage\/doctor_profiles\/licenses\/[\w.~%-]+$/);

      const { status, bytes, headers } = await send(url);
      expect([status, bytes.equals(CONTENT.pdf)]).toEqual([200, true]);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'public, no-cache',
        'content-disposition': expect.stringMatching(/^(?:inline|attachment); filename="license[.\w]*"$/),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        etag: expect.any(String),
      });
      await doctor.documents.remove(storedPath);
      expect((await send(url)).status).toBe(404);
    },
  );

  test('a reader who has a document asks again, and gets what took its place', async () => {
    const storedPath = 'doctor_profiles/licenses/changed here.pdf';
    await doctor.place(storedPath, CONTENT.pdf);
    const url = await doctor.urlOf(storedPath);
    const where = new URL(url).pathname;
    const ask = (etag: string) =>
      sendRaw(doctor.app.url, { path: where, headers: { 'If-None-Match': etag } });
    const former = (await send(url)).headers.get('etag') ?? '';
    expect((await ask(former)).status).toBe(304);
    const { bytes } = aPdf();
    await doctor.place(storedPath, bytes);
    const changed = await ask(former);
    expect([changed.status, changed.bytes.equals(bytes)]).toEqual([200, true]);
  });

  test.each([
    ['doctor_profiles/scan.pdf', 'document.pdf'],
    ['doctor_profiles/17/scan.pdf', 'document.pdf'],
    ['doctor_profiles/17/licenses/scan.pdf', 'license.pdf'],
    ['doctor_profiles/diplomas/Dr. Müller/2024/scan.pdf', 'diploma.pdf'],
    [`doctor_profiles${'/f'.repeat(400)}/scan.pdf`, 'document.pdf'],
  ])('a document may be in any folder below doctor_profiles: %s', async (storedPath, fileName) => {
    await doctor.place(storedPath, CONTENT.pdf);
    const { status, headers } = await send(await doctor.urlOf(storedPath));
    expect([status, headers.get('content-disposition')]).toEqual([200, `inline; filename="${fileName}"`]);
    await doctor.documents.remove(storedPath);
  });

  test('a random name is as good in another folder', async () => {
    const storedPath = `doctor_profiles/17/${'aB3x'.repeat(10)}.pdf`;
    await doctor.place(storedPath, CONTENT.pdf);
    const { headers } = await send(await doctor.urlOf(storedPath));
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('composed and decomposed letters are different names', async () => {
    await doctor.place('doctor_profiles/licenses/Tür.pdf', CONTENT.pdf);
    expect((await send(await doctor.urlOf('doctor_profiles/licenses/Tür.pdf'))).status).toBe(200);
    expect((await send(await doctor.urlOf('doctor_profiles/licenses/Tu\u0308r.pdf'))).status).toBe(404);
  });

  test.each([
    ...['../../etc/passwd', '/etc/passwd', 'uploads/x.pdf', '', '.store-id', 'licenses/x.pdf'],
    ...['doctor_profiles', 'doctor_profiles/', 'doctor_profiles/..', 'doctor_profiles/\ud800.pdf'],
    ...['doctor_profiles//a.pdf', 'doctor_profiles/.a/b.pdf', 'doctor_profiles/a\\b.pdf'],
    ...['doctor_profiles/\u0085', `doctor_profiles/${'x'.repeat(256)}`, `doctor_profiles/${'ü'.repeat(128)}`],
    `doctor_profiles${'/folder'.repeat(150)}`,
  ])('the store touches nothing at %j', async (storedPath) => {
    const { documents } = doctor;
    const acts = [
      () => documents.open(storedPath),
      () => documents.remove(storedPath),
      () => documents.read(storedPath, {} as never),
      () => doctor.place(storedPath, CONTENT.pdf),
    ];
    for (const act of acts) {
      await expect(act()).rejects.toThrow(/^not the path of a (?:legacy )?document$/);
    }
  });
});

describe('requests for documents', () => {
  const doctor = useDoctorWith(LOCAL);
  beforeAll(() => doctor.place('doctor_profiles/licenses/scan.pdf', CONTENT.pdf));

  const RUN_BY_BROWSERS = ['.html', '.xhtml', '.svg', '.xml', '.xsl', '.js', '.css', '.wasm', '.php'];

  test.each([...RUN_BY_BROWSERS, '.pdf.html', '.html ', '.html.', '.HTML', '.hтml', ''])(
    'no browser runs a document that ends in "%s"',
    async (end) => {
      const storedPath = `doctor_profiles/licenses/page${end}`;
      await doctor.place(storedPath, Buffer.from('<script>alert(1)</script>'));
      const { status, headers } = await send(await doctor.urlOf(storedPath));
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': expect.stringMatching(/^attachment; /),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    },
  );

  // What is sent is looked at after one decoding, and the document is there for each that would decode twice or not at all.
  test.each([
    '/storage/doctor_profiles/licenses%2fscan.pdf',
    '/storage/doctor_profiles/licenses%5cscan.pdf',
    '/storage/doctor_profiles/licenses\\scan.pdf',
    '/storage/doctor_profiles/licenses%252fscan.pdf',
    '/storage/doctor_profiles/licenses/%2573can.pdf',
    '/storage/doctor_profiles/x/../licenses/scan.pdf',
    '/storage/doctor_profiles/x/%2e%2e/licenses/scan.pdf',
    '/storage/doctor_profiles/x/%252e%252e/licenses/scan.pdf',
    '/storage/doctor_profiles/x/%c0%ae%c0%ae/licenses/scan.pdf',
    '/storage/doctor_profiles/./licenses/scan.pdf',
    '/storage/doctor_profiles//licenses/scan.pdf',
    '/storage/doctor_profiles/licenses/scan.pdf/',
    '/storage/doctor_profiles/licenses/scan.pdf%00.jpg',
    '/storage/doctor_profiles/licenses/scan.pdf%0a',
    '/storage/doctor_profiles/licenses/scan.pdf%c2%85',
    '/storage/doctor_profiles/licenses/scan.pdf%20',
    '/storage/doctor_profiles/licenses/scan.pdf.',
    '/storage/doctor_profiles/licenses/scan.pdf::$DATA',
    '/storage/doctor_profiles/licenses/SCAN.pdf',
    '/storage/doctor_profiles/Licenses/scan.pdf',
    '/storage/Doctor_Profiles/licenses/scan.pdf',
    '/storage/doctor_profiles/licenses/scan%cc%83.pdf',
    '/storage/doctor_profiles/licenses/%ed%a0%80.pdf',
    '/storage/doctor_profiles/licenses/%',
    '/storage/doctor_profiles/licenses/%u0073can.pdf',
    '/storage/doctor_profiles',
    '/storage/doctor_profiles/',
    '/storage/doctor_profiles/licenses/',
    `/storage/doctor_profiles/licenses/${'n'.repeat(40)}.pdf`,
    '/storage/doctor_profiles/.quarantine/x',
    '/storage/doctor_profiles/..%2f.store-id',
    '/storage/.store-id',
    '/storage/doctor_profiles/%2e%2e/.store-id',
    '/storage/.trash/licenses/scan.pdf',
    '/storage/%2fetc%2fpasswd',
    `/storage/doctor_profiles/${'x'.repeat(256)}`,
    `/storage/doctor_profiles/${'%c3%bc'.repeat(128)}`,
    `/storage/doctor_profiles${'/x'.repeat(500)}`,
  ])('%s is not found', async (where) => {
    const http = await sendRaw(doctor.app.url, { path: where });
    expect([http.status, http.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test.each(['%73can.pdf', 'scan%2Epdf', '%73%63%61%6e%2e%70%64%66'])(
    'the same name in another encoding, %s, is the same document',
    async (name) => {
      const http = await sendRaw(doctor.app.url, { path: `/storage/doctor_profiles/licenses/${name}` });
      expect([http.status, http.bytes.equals(CONTENT.pdf)]).toEqual([200, true]);
    },
  );

  test.each(['POST', 'PUT', 'DELETE'])('%s does not change or answer a document', async (method) => {
    const ask = (where: string) => sendRaw(doctor.app.url, { path: where, method });
    expect((await ask('/storage/doctor_profiles/licenses/scan.pdf')).status).toBe(405);
    expect((await ask('/storage/%64octor_profiles/licenses/scan.pdf')).status).toBe(404);
    const { bytes } = await send(`${doctor.app.url}/storage/doctor_profiles/licenses/scan.pdf`);
    expect(bytes.equals(CONTENT.pdf)).toBe(true);
  });

  // What a legacy row has in place of a path. The profile keeps it.
  test.each([
    '../../etc/passwd',
    'doctor_profiles/../../../etc/passwd',
    '..',
    '.',
    './licenses',
    '%2e%2e/%2e%2e/etc/passwd',
    '/etc/passwd',
    '//evil.example/x.pdf',
    'https://evil.example/x.pdf?a=b#c',
    'uploads/licence.pdf',
    'doctor_profiles/.env',
    'doctor_profiles\\licenses\\scan.pdf',
    'doctor_profiles/licenses/a\r\nSet-Cookie: b.pdf',
    'doctor_profiles/licenses/\0.pdf',
    `/licenses/${'n'.repeat(40)}.pdf`,
    `doctor_profiles/${'ü'.repeat(200)}`,
    '0',
    'doctor_profiles/',
  ])('%j is the path of no document: its URL stays below /storage and is not found', async (storedPath) => {
    const url = await doctor.urlOf(storedPath);
    expect(new URL(url).href).toBe(url);
    expect(url.startsWith(`${doctor.app.url}/storage/`)).toBe(true);
    const http = await send(url);
    expect([http.status, jsonOf(http)]).toEqual([404, { message: expect.any(String) }]);
  });
});

/** Names that would change the meaning of an address. */
const IN_ADDRESSES = ['%41.pdf', 'a+b c.pdf', '#1.pdf', 'what?.pdf', 'a&b=c;d,e@f:g$h.pdf', '🪪.pdf'];

describe('signed URLs of documents', () => {
  const doctor = useDoctorWith(LOCAL, {
    DOCUMENT_ACCESS: 'signed',
    DOCUMENT_URL_SECRET: 'a secret of the tests, long enough',
  });

  test.each(IN_ADDRESSES)(
    'the signed URL of %j is valid as it was given, and the bare one is not',
    async (name) => {
      const storedPath = `doctor_profiles/licenses/${name}`;
      await doctor.place(storedPath, CONTENT.pdf);
      const url = await doctor.urlOf(storedPath);
      const { status, bytes, headers } = await send(url);
      expect([status, bytes.equals(CONTENT.pdf)]).toEqual([200, true]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      const { origin, pathname, search } = new URL(url);
      expect((await send(origin + pathname)).status).toBe(403);
      expect((await send(`${origin}${pathname.replace('licenses', 'diplomas')}${search}`)).status).toBe(403);
    },
  );
});

describe('a bucket that readers are sent to', () => {
  const doctor = useDoctorWith(s3Store('an S3 server', { S3_DELIVERY: 'redirect' }));

  test.each(IN_ADDRESSES)('the address of %j is signed, and leads to the document', async (name) => {
    const storedPath = `doctor_profiles/licenses/${name}`;
    await doctor.place(storedPath, CONTENT.pdf);
    // Not recorded: a signature of S3 looks like a hash.
    const answer = await fetch(await doctor.urlOf(storedPath), { redirect: 'manual' });
    expect(answer.status).toBe(302);
    const response = await fetch(answer.headers.get('location') ?? '');
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT.pdf)).toBe(true);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('content-disposition')).toMatch(/filename="license[.\w]*"$/);
  });

  test('the bucket sends no type that a browser runs', async () => {
    await doctor.place('doctor_profiles/licenses/page.html', Buffer.from('<script>alert(1)</script>'));
    const url = await doctor.urlOf('doctor_profiles/licenses/page.html');
    const { headers } = await fetch(url, { redirect: 'manual' });
    const address = new URL(headers.get('location') ?? '');
    expect(address.searchParams.get('response-content-type')).toBe('application/octet-stream');
    expect((await fetch(address)).headers.get('content-type')).toBe('application/octet-stream');
  });
});

describe('a disk', () => {
  const doctor = useDoctorWith(LOCAL);
  const at = (...names: string[]) => path.join(doctor.app.storageDir, ...names);
  const exists = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );

  test('folders whose last document was removed go, because a person may have given them the name', async () => {
    await doctor.place('doctor_profiles/licenses/Dr. Ada/2024/scan.pdf', CONTENT.pdf);
    await doctor.place('doctor_profiles/licenses/Dr. Ada/other.pdf', CONTENT.pdf);
    await doctor.documents.remove('doctor_profiles/licenses/Dr. Ada/2024/scan.pdf');
    expect(await readdir(at('doctor_profiles/licenses/Dr. Ada'))).toEqual(['other.pdf']);
    await doctor.documents.remove('doctor_profiles/licenses/Dr. Ada/other.pdf');
    expect(await exists(at('doctor_profiles/licenses/Dr. Ada'))).toBe(false);
    await doctor.place('doctor_profiles/licenses/Dr. Ada/2024/scan.pdf', CONTENT.pdf);
    expect((await send(await doctor.urlOf('doctor_profiles/licenses/Dr. Ada/2024/scan.pdf'))).status).toBe(
      200,
    );
  });

  test('a path that is a folder, or below a file, is no document, and removing it touches nothing', async () => {
    await doctor.place('doctor_profiles/diplomas/scan.pdf', CONTENT.pdf);
    for (const storedPath of ['doctor_profiles/diplomas', 'doctor_profiles/diplomas/scan.pdf/x']) {
      expect(await doctor.documents.open(storedPath)).toBeUndefined();
      await doctor.documents.remove(storedPath);
      expect((await send(await doctor.urlOf(storedPath))).status).toBe(404);
      await expect(doctor.place(storedPath, CONTENT.jpeg)).rejects.toThrow();
    }
    expect(await readdir(at('doctor_profiles/diplomas'))).toEqual(['scan.pdf']);
    expect(await readdir(at('.quarantine'))).toEqual([]);
  });

  test('no document is read or removed through a link', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-names-'));
    await mkdir(at('doctor_profiles'), { recursive: true });
    await writeFile(path.join(folder, 'secret.pdf'), 'secret');
    await symlink(folder, at('doctor_profiles/linked'));
    await symlink(path.join(folder, 'secret.pdf'), at('doctor_profiles/secret.pdf'));
    for (const storedPath of ['doctor_profiles/linked/secret.pdf', 'doctor_profiles/secret.pdf']) {
      expect((await send(await doctor.urlOf(storedPath))).status).toBe(404);
      await doctor.documents.remove(storedPath);
    }
    expect(await exists(path.join(folder, 'secret.pdf'))).toBe(true);
    await rm(folder, { recursive: true });
  });
});
