import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { throughEachApi } from '../support/apis.ts';
import { CONTENT } from '../support/documents.ts';
import { authenticated } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty } from '../support/test-app.ts';
import { allFiles } from './support/aftermath.ts';
import { importDoctor } from './support/imported-doctors.ts';
import { LOCAL, s3Store, useStorageWith } from './support/stores.ts';

// An import copies the documents of the legacy service. Callers and other tables hold their URLs.
const NAME = 'aB3'.repeat(13).concat('z');
const LICENSE = `doctor_profiles/licenses/${NAME}.pdf`;
const DIPLOMA = `doctor_profiles/diplomas/${NAME}.jpg`;

const digestOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

describe('legacy documents', () => {
  const running = useStorageWith(LOCAL);

  throughEachApi((apiOf) => {
    test('an imported doctor has the URLs that callers know, and null for a missing certification', async () => {
      const { app } = running;
      await running.place(LICENSE, CONTENT.pdf);
      await running.place(DIPLOMA, CONTENT.jpeg);
      const imported = await importDoctor(app.database, '17', [LICENSE, DIPLOMA]);
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
    ['.docx', expect.stringMatching(/^application\/vnd\./), 'attachment; filename="license.docx"'],
    ['.txt', 'application/octet-stream', 'attachment; filename="license.txt"'],
    ['', 'application/octet-stream', 'attachment; filename="license"'],
  ])(
    'the gateway serves a legacy document that ends in "%s" and lets no browser run it',
    async (end, type, disposition) => {
      const storedPath = `doctor_profiles/licenses/${NAME}${end}`;
      await running.place(storedPath, CONTENT.pdf);
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
});

describe.each([LOCAL, s3Store('an S3 server')])('legacy documents on $name', (kind) => {
  const running = useStorageWith(kind);
  const storageFiles = () => allFiles(kind.folder() ?? running.app.storageDir);

  test('a placed document comes back unchanged, with the digest of what was stored', async () => {
    const large = Buffer.alloc(3_000_000, 'document');
    expect(await running.place(LICENSE, large)).toEqual(digestOf(large));
    const stream = await running.storage.documents.open(LICENSE);
    expect(stream && (await buffer(stream)).equals(large)).toBe(true);
    await expectQuarantineEmpty(running.app.storageDir);
  });

  test('a document that is placed again replaces the earlier copy', async () => {
    await running.place(LICENSE, CONTENT.jpeg);
    expect(await running.place(LICENSE, CONTENT.pdf)).toEqual(digestOf(CONTENT.pdf));
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).bytes.equals(CONTENT.pdf)).toBe(true);
  });

  test('a document is not placed beside those that were uploaded here', async () => {
    const placed = running.place(LICENSE.replace('doctor_profiles/', ''), CONTENT.pdf);
    await expect(placed).rejects.toThrow('not the path of a legacy document');
  });

  test('an empty document is placed like any other', async () => {
    expect(await running.place(LICENSE, Buffer.alloc(0))).toEqual(digestOf(Buffer.alloc(0)));
    const stream = await running.storage.documents.open(LICENSE);
    expect(stream && (await buffer(stream)).length).toBe(0);
  });

  test('a removed document may be removed again, cannot be opened, and is served as 404', async () => {
    await running.place(LICENSE, CONTENT.pdf);
    await running.storage.documents.remove(LICENSE);
    await running.storage.documents.remove(LICENSE);
    expect(await running.storage.documents.open(LICENSE)).toBeUndefined();
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).status).toBe(404);
  });

  test('a document whose source is missing or a folder is not placed, and an earlier copy stays', async () => {
    await running.place(LICENSE, CONTENT.pdf);
    const before = await storageFiles();
    const { storageDir } = running.app;
    for (const source of [path.join(storageDir, 'nothing-here'), storageDir]) {
      await expect(running.storage.documents.place(LICENSE, source)).rejects.toThrow();
    }
    expect(await storageFiles()).toEqual(before);
    expect((await send(`${running.app.url}/storage/${LICENSE}`)).bytes.equals(CONTENT.pdf)).toBe(true);
    await expectQuarantineEmpty(running.app.storageDir);
  });

  test('the sweep leaves old legacy documents alone, also those that no account owns yet', async () => {
    await running.place(LICENSE, CONTENT.pdf);
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
