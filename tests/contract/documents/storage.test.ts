import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CONTENT } from '../../support/documents.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { storedDocuments, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

/** Where a document of some type is served. */
async function urlOf(extension: string, content: Buffer): Promise<string> {
  const licenseFile = { name: `license.${extension}`, bytes: content };
  return registeredDoctor(await restApi(app.url).registerDoctor(aDoctor({ licenseFile }))).profile
    .licenseFileUrl;
}

const SERVED: [extension: string, content: Buffer, contentType: string, disposition: string][] = [
  ['pdf', CONTENT.pdf, 'application/pdf', 'inline'],
  ['jpg', CONTENT.jpeg, 'image/jpeg', 'inline'],
  ['jpeg', CONTENT.jpeg, 'image/jpeg', 'inline'],
  ['png', CONTENT.png, 'image/png', 'inline'],
  ['webp', CONTENT.webp, 'image/webp', 'inline'],
  ['heic', CONTENT.heic, 'image/heic', 'inline'],
  ['tif', CONTENT.tiff, 'image/tiff', 'inline'],
  ['tiff', CONTENT.tiff, 'image/tiff', 'inline'],
  ['doc', CONTENT.doc, 'application/msword', 'attachment'],
  [
    'docx',
    CONTENT.docx,
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'attachment',
  ],
];

test.each(SERVED)(
  'the gateway serves a %s document with its own type and forbids it to run',
  async (extension, content, type, disposition) => {
    const response = await send(await urlOf(extension, content));
    expect(response.status).toBe(200);
    expect(response.bytes.equals(content)).toBe(true);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition}\\b`));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toMatch(/(^|;\s*)sandbox(;|$)/);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  },
);

test('a document may be cached for a year, because it never changes', async () => {
  const cacheControl = (await send(await urlOf('pdf', CONTENT.pdf))).headers.get('cache-control') ?? '';
  expect(cacheControl).toContain('public');
  expect(cacheControl).toContain('immutable');
  expect(Number(/max-age=(\d+)/.exec(cacheControl)?.[1])).toBeGreaterThanOrEqual(31_536_000);
});

test('HEAD of a document returns only the headers', async () => {
  const response = await send(await urlOf('pdf', CONTENT.pdf), { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe(String(CONTENT.pdf.length));
});

test('a public document needs no token', async () => {
  const response = await send(await urlOf('pdf', CONTENT.pdf), {
    headers: { Authorization: 'Bearer wrong' },
  });
  expect(response.status).toBe(200);
});

describe('paths below /storage that are no documents', () => {
  const SECRET = 'this is nobody’s business';

  /** Checks that a path, sent as it is written, gives no document, but an answer in JSON. */
  async function expectNothing(requestPath: string) {
    const response = await sendRaw(app.url, { path: requestPath });
    expect([400, 403, 404]).toContain(response.status);
    expect(response.text).not.toContain(SECRET);
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
  }

  beforeAll(async () => {
    await urlOf('pdf', CONTENT.pdf);
    const files = ['.env', 'secret.txt', 'licenses/.hidden', 'licenses/.htaccess.pdf', '.quarantine/upload'];
    for (const file of files) {
      await writeFile(path.join(app.storageDir, file), SECRET);
    }
    await mkdir(path.join(app.storageDir, 'licenses/.folder'));
    await writeFile(path.join(app.storageDir, 'licenses/.folder/a.pdf'), SECRET);
    await mkdir(path.join(app.storageDir, 'other'));
    await writeFile(path.join(app.storageDir, 'other/a.pdf'), SECRET);
  });
  // The app's own check at the end of the file is for what the app has left there.
  afterAll(async () => {
    await rm(path.join(app.storageDir, '.quarantine/upload'));
  });

  test('the gateway does not list a folder of documents', async () => {
    for (const folder of [
      '',
      '/',
      '/licenses',
      '/licenses/',
      '/diplomas/',
      '/certifications/',
      '/licenses//',
    ]) {
      await expectNothing(`/storage${folder}`);
    }
  });

  test('the gateway serves no dot file and no file in quarantine', async () => {
    for (const file of [
      '.env',
      'licenses/.hidden',
      'licenses/.htaccess.pdf',
      'licenses/.folder/a.pdf',
      'licenses/%2ehidden',
      '.quarantine/upload',
      '%2equarantine/upload',
    ]) {
      await expectNothing(`/storage/${file}`);
    }
  });

  test('the gateway serves no file outside the three groups', async () => {
    for (const file of ['secret.txt', 'other/a.pdf', 'licenses2/a.pdf']) {
      await expectNothing(`/storage/${file}`);
    }
  });

  test('no path leads out of a group of documents', async () => {
    for (const outside of [
      '../secret.txt',
      '..%2fsecret.txt',
      '%2e%2e/secret.txt',
      '%2e%2e%2fsecret.txt',
      '..%5csecret.txt',
      '..\\secret.txt',
      '%252e%252e%252fsecret.txt',
      '....//secret.txt',
      './../secret.txt',
      '../../../../../etc/passwd',
      '/etc/passwd',
      '%00',
      'a.pdf%00',
      '..%c0%afsecret.txt',
    ]) {
      await expectNothing(`/storage/licenses/${outside}`);
    }
  });

  test('the gateway answers 404 in JSON for a document that does not exist', async () => {
    const response = await send(`${app.url}/storage/licenses/${'x'.repeat(40)}.pdf`);
    expect(response.status).toBe(404);
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
  });

  test('the gateway does not serve a document under another group', async () => {
    for (const stored of await storedDocuments(app)) {
      if (!stored.startsWith('licenses/') || stored.includes('/.')) {
        continue;
      }
      await expectNothing(`/storage/${stored.replace('licenses', 'diplomas')}`);
    }
  });
});
