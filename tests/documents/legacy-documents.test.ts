import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { throughEachApi } from '../support/apis.ts';
import { CONTENT } from '../support/documents.ts';
import { authenticated } from '../support/expectations.ts';
import { jsonOf, send } from '../support/http.ts';
import { importAccount } from '../support/legacy.ts';
import { EMPTY_PROFILE } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty, type TestApp } from '../support/test-app.ts';
import { allFiles } from './support/aftermath.ts';
import { LOCAL, s3Store, useAppWith, useStorageWith } from './support/stores.ts';

// An import copies the documents of the legacy service. Callers and other tables hold their URLs.
const NAME = 'aB3'.repeat(13).concat('z');
const LICENSE = `doctor_profiles/licenses/${NAME}.pdf`;
const DIPLOMA = `doctor_profiles/diplomas/${NAME}.jpg`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-legacy-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A file of the legacy service, as its disk has it. */
async function aFile(bytes: Buffer): Promise<string> {
  const file = path.join(folder, 'document');
  await writeFile(file, bytes);
  return file;
}

const digestOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Imports a doctor without a certification. */
async function importDoctor({ database }: TestApp, id: string) {
  const imported = await importAccount(database, id);
  await database.accounts.updateOne({ _id: id }, { $set: { role: 'doctor' } });
  await database.profiles.insertOne({
    _id: id,
    specialization: 'Surgery',
    licenseNumber: 'L-1',
    licenseFilePath: LICENSE,
    diplomaFilePath: DIPLOMA,
    certificationFilePath: null,
    ...EMPTY_PROFILE,
    createdAt: new Date('2024-02-29T12:00:00Z'),
  });
  return imported;
}

describe.each([LOCAL, s3Store('an S3 server')])('legacy documents on $name', (kind) => {
  const running = useStorageWith(kind);

  const place = async (storedPath: string, bytes: Buffer) =>
    running.storage.documents.place(storedPath, await aFile(bytes));
  const storageFiles = () => allFiles(kind.folder() ?? running.app.storageDir);

  throughEachApi((apiOf) => {
    test('an imported doctor has the URLs that callers know, and null for a missing certification', async () => {
      const { app } = running;
      await place(LICENSE, CONTENT.pdf);
      await place(DIPLOMA, CONTENT.jpeg);
      const imported = await importDoctor(app, '17');
      const { token } = authenticated(await apiOf(app.url).login(imported));
      expect((await accountOf(app.url, token))?.profile).toMatchObject({
        licenseFileUrl: `${app.url}/storage/${LICENSE}`,
        diplomaFileUrl: `${app.url}/storage/${DIPLOMA}`,
        certificationUrl: null,
      });
      expect((await send(`${app.url}/storage/${LICENSE}`)).bytes.equals(CONTENT.pdf)).toBe(true);
      expect((await send(`${app.url}/storage/${DIPLOMA}`)).bytes.equals(CONTENT.jpeg)).toBe(true);
      await app.database.accounts.deleteOne({ _id: '17' });
      await app.database.profiles.deleteOne({ _id: '17' });
    });
  });

  test.each([
    ['.pdf', 'application/pdf', 'inline; filename="license.pdf"'],
    ['.PDF', 'application/pdf', 'inline; filename="license.pdf"'],
    ['.jpg', 'image/jpeg', 'inline; filename="license.jpg"'],
    ['.png', 'image/png', 'inline; filename="license.png"'],
    ['.docx', expect.stringMatching(/^application\/vnd\./), 'attachment; filename="license.docx"'],
    ['.bin', 'application/octet-stream', 'attachment; filename="license.bin"'],
    ['.txt', 'application/octet-stream', 'attachment; filename="license.txt"'],
    ['.html', 'application/octet-stream', 'attachment; filename="license.html"'],
    ['.svg', 'application/octet-stream', 'attachment; filename="license.svg"'],
    ['', 'application/octet-stream', 'attachment; filename="license"'],
  ])(
    'the gateway serves a legacy document that ends in "%s" and lets no browser run it',
    async (end, type, disposition) => {
      const storedPath = `doctor_profiles/licenses/${NAME}${end}`;
      await place(storedPath, CONTENT.pdf);
      const { status, bytes, headers } = await send(`${running.app.url}/storage/${storedPath}`);
      expect([status, bytes.equals(CONTENT.pdf)]).toEqual([200, true]);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'content-disposition': disposition,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    },
  );

  test('a placed document comes back unchanged, with the digest of what was stored', async () => {
    const large = Buffer.alloc(3_000_000, 'document');
    expect(await place(LICENSE, large)).toEqual(digestOf(large));
    const stream = await running.storage.documents.open(LICENSE);
    expect(stream && (await buffer(stream)).equals(large)).toBe(true);
    await expectQuarantineEmpty(running.app.storageDir);
  });

  test('a document that is placed again replaces the earlier copy', async () => {
    await place(LICENSE, CONTENT.jpeg);
    expect(await place(LICENSE, CONTENT.pdf)).toEqual(digestOf(CONTENT.pdf));
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).bytes.equals(CONTENT.pdf)).toBe(true);
  });

  test('an empty document is placed like any other', async () => {
    expect(await place(LICENSE, Buffer.alloc(0))).toEqual(digestOf(Buffer.alloc(0)));
    const stream = await running.storage.documents.open(LICENSE);
    expect(stream && (await buffer(stream)).length).toBe(0);
  });

  test('a removed document cannot be opened, and is served as 404', async () => {
    await place(LICENSE, CONTENT.pdf);
    await running.storage.documents.remove(LICENSE);
    expect(await running.storage.documents.open(LICENSE)).toBeUndefined();
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).status).toBe(404);
  });

  test('a document whose source is missing or a folder is not placed, and an earlier copy stays', async () => {
    await place(LICENSE, CONTENT.pdf);
    const before = await storageFiles();
    await mkdir(path.join(folder, 'a-folder'), { recursive: true });
    for (const name of ['nothing-here', 'a-folder']) {
      await expect(running.storage.documents.place(LICENSE, path.join(folder, name))).rejects.toThrow();
    }
    expect(await storageFiles()).toEqual(before);
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).bytes.equals(CONTENT.pdf)).toBe(true);
    await expectQuarantineEmpty(running.app.storageDir);
  });

  test.each([
    '../outside',
    `/etc/${NAME}.pdf`,
    `doctor_profiles/licenses/../../${NAME}.pdf`,
    `other/licenses/${NAME}.pdf`,
    'doctor_profiles',
    'doctor_profiles/',
    'doctor_profiles/licenses/',
    'doctor_profiles//scan.pdf',
    'doctor_profiles/./scan.pdf',
    'doctor_profiles/../scan.pdf',
    'doctor_profiles/licenses/..',
    'doctor_profiles/.hidden/scan.pdf',
    'doctor_profiles/licenses\\scan.pdf',
    'doctor_profiles/\u0085.pdf',
    'doctor_profiles/\u007f.pdf',
    'doctor_profiles/\ud800.pdf',
    `doctor_profiles/${'x'.repeat(256)}`,
    `doctor_profiles/${'\u00fc'.repeat(128)}`,
    `doctor_profiles${'/folder'.repeat(150)}`,
    `doctor_profiles/licenses/.${NAME.slice(1)}.pdf`,
    `doctor_profiles/licenses/${NAME}.pdf\n`,
    `doctor_profiles/licenses/${NAME}\0.pdf`,
    `licenses/${NAME}.pdf`,
    '',
  ])('a document is not placed at %j, where a strange database may point', async (storedPath) => {
    const before = await storageFiles();
    await expect(place(storedPath, CONTENT.pdf)).rejects.toThrow('not the path of a legacy document');
    expect(await storageFiles()).toEqual(before);
  });

  test.each([
    '/storage/doctor_profiles',
    '/storage/doctor_profiles/',
    '/storage/doctor_profiles/licenses/',
    `/storage/doctor_profiles/licenses/${'n'.repeat(40)}.pdf`,
    `/storage/doctor_profiles/licenses/%2e%2e/licenses/${NAME}.pdf`,
    `/storage/doctor_profiles//licenses/${NAME}.pdf`,
    `/storage/DOCTOR_PROFILES/licenses/${NAME}.pdf`,
  ])('the gateway answers 404 as JSON for %s', async (where) => {
    const http = await sendRaw(running.app.url, { path: where });
    expect(http.status).toBe(404);
    expect(jsonOf(http)).toEqual({ message: expect.stringContaining('could not be found.') });
  });

  test('the gateway refuses to change a legacy document', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await send(`${running.app.url}/storage/${LICENSE}`, { method })).status).toBe(405);
    }
  });

  test('the sweep leaves old legacy documents alone, also those that no account owns yet', async () => {
    await place(LICENSE, CONTENT.pdf);
    const root = kind.folder() ?? running.app.storageDir;
    const past = new Date(Date.now() - 7_200_000);
    for (const file of await allFiles(root)) {
      await utimes(path.join(root, file), past, past);
    }
    const { removed } = await running.storage.sweep.run({ force: true });
    expect(removed.filter(({ id }) => id.includes(NAME))).toEqual([]);
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).status).toBe(200);
  });
});

describe('with signed URLs', () => {
  const running = useAppWith(LOCAL, {
    DOCUMENT_ACCESS: 'signed',
    DOCUMENT_URL_SECRET: 'a secret of the tests, long enough',
  });

  test('the stored URL of a legacy document is refused, and me answers a signed one', async () => {
    const { app } = running;
    const target = path.join(app.storageDir, LICENSE);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, CONTENT.pdf);
    const imported = await importDoctor(app, '17');
    const { token } = authenticated(await restApi(app.url).login(imported));

    const stored = await send(`${app.url}/storage/${LICENSE}`);
    expect([stored.status, jsonOf(stored)]).toEqual([403, { message: 'Invalid signature.' }]);
    const signed = (await accountOf(app.url, token))?.profile?.licenseFileUrl ?? '';
    expect(signed.startsWith(`${app.url}/storage/${LICENSE}?`)).toBe(true);
    expect((await send(signed)).bytes.equals(CONTENT.pdf)).toBe(true);
  });
});
