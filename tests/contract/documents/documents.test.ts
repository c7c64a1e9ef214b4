import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { throughEachApi } from '../../support/apis.ts';
import { aPdf, CONTENT, largeDocx } from '../../support/documents.ts';
import { expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { storedDocuments, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const trustingApp = useTestApp({ DOCUMENT_CHECK: 'signature' });

type Content = keyof typeof CONTENT;

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** Every accepted extension (docs/contract.md, "Documents") with content that fits, and how it is served. */
const ACCEPTED: [extension: string, content: Content, type: string, disposition: string][] = [
  ['pdf', 'pdf', 'application/pdf', 'inline'],
  ['jpg', 'jpeg', 'image/jpeg', 'inline'],
  ['jpeg', 'jpeg', 'image/jpeg', 'inline'],
  ['png', 'png', 'image/png', 'inline'],
  ['webp', 'webp', 'image/webp', 'inline'],
  ['heic', 'heic', 'image/heic', 'inline'],
  ['tif', 'tiff', 'image/tiff', 'inline'],
  ['tiff', 'tiff', 'image/tiff', 'inline'],
  ['doc', 'doc', 'application/msword', 'attachment'],
  ['docx', 'docx', DOCX, 'attachment'],
  ['docx', 'docxOtherOrder', DOCX, 'attachment'],
];

/** Other names, and the extension under which the content is stored. The media type of the answer follows it. */
const RENAMED: [name: string, content: Content, extension: string, type: string][] = [
  ['IMG_1.heif', 'heic', 'heic', 'image/heic'],
  ['IMG_1.hif', 'heic', 'heic', 'image/heic'],
  ['IMG_1.HEIC', 'jpeg', 'jpg', 'image/jpeg'],
  ['photo.jfif', 'jpeg', 'jpg', 'image/jpeg'],
  ['photo.jpe', 'jpeg', 'jpg', 'image/jpeg'],
  ['photo.jpg', 'webp', 'webp', 'image/webp'],
  ['photo.mpo', 'mpo', 'jpg', 'image/jpeg'],
  ['photo.png', 'apng', 'png', 'image/png'],
  ['license', 'pdf', 'pdf', 'application/pdf'],
  ['license.pdf.exe', 'pdf', 'pdf', 'application/pdf'],
  ['license.html', 'pdf', 'pdf', 'application/pdf'],
  ['license.pdf', 'png', 'png', 'image/png'],
  ['license.docx', 'doc', 'doc', 'application/msword'],
];

/** Contents that are not accepted, whatever the name says, and names that are not accepted, whatever the content is. */
const REFUSED: [name: string, content: Content][] = [
  ['license.gif', 'gif'],
  ['license.html', 'html'],
  ['license.docx', 'zip'],
  ['license.docx', 'xlsx'],
  ['license.doc', 'xls'],
  ['license.doc', 'exe'],
  ['license.pdf', 'elf'],
  ['license.pdf', 'exe'],
  ['license.pdf', 'zip'],
  ['license.pdf', 'gzip'],
  ['license.pdf', 'gif'],
  ['license.pdf', 'shellScript'],
  ['license.pdf', 'phpScript'],
  ['license.pdf', 'html'],
  ['license.pdf', 'svg'],
  ...['php', 'PHP', 'php3', 'php4', 'php5', 'php7', 'php8', 'phtml', 'phar', 'php '].map(
    (extension): [string, Content] => [`license.${extension}`, 'pdf'],
  ),
  ['.php', 'pdf'],
];

const pdfBehind = (...bytes: (string | Buffer)[]) =>
  Buffer.concat([...bytes.map((part) => Buffer.from(part)), CONTENT.pdf]);

/** Contents that only a lenient program reads as a document of the type. */
const POLYGLOTS: [what: string, bytes: Buffer][] = [
  ['no signature', CONTENT.plain],
  ['the test file of virus scanners', CONTENT.eicar],
  ['a test file for virus scanners before a PDF', pdfBehind(CONTENT.eicar)],
  ['junk before a PDF', pdfBehind('junk')],
  ['a line break and HTML before a PDF', pdfBehind('\n', CONTENT.html)],
  ['a byte order mark and a script before a PDF', pdfBehind('\ufeff', CONTENT.shellScript)],
  ['a printer job with a script before a PDF', pdfBehind('@PJL COMMENT <script>alert(1)</script>\n')],
  ['a byte order mark of UTF-16 before a PDF', pdfBehind(Buffer.of(0xff, 0xfe))],
  ['an HTML page before a PDF', pdfBehind('<!DOCTYPE html><script>alert(1)</script>')],
  ['a comment and HTML before a PDF', pdfBehind('<!-- -->', CONTENT.html)],
  ['text and HTML before a PDF', pdfBehind('hello <script>alert(1)</script>')],
  ['a script before a PDF', pdfBehind(CONTENT.shellScript)],
  ['an ID3 tag before a PDF', pdfBehind('ID3\u0004\0\0\0\0\0\0')],
  ['an archive before a PDF', pdfBehind(CONTENT.zip)],
  ['half a signature', Buffer.from('%PD')],
  ['a signature in lower case', Buffer.from('%pdf-1.4\n')],
  ['a signature without its hyphen', Buffer.from('%PDF\n<script>alert(1)</script>')],
  ['zeros', Buffer.alloc(1000)],
  ['one byte', Buffer.from('%')],
  ['nothing', Buffer.alloc(0)],
];

const extensions = [...new Set(ACCEPTED.map(([extension]) => extension))].join(', ');
const refusal = (label: string) => [`The ${label} field must be a file of type: ${extensions}.`];

const fileOf = (name: string, content: Content) => ({ name, bytes: CONTENT[content] });

// Both APIs check what they have received in the same way.
describe('a content', () => {
  const register = (fields: object, url = app.url) => restApi(url).registerDoctor(aDoctor({ ...fields }));

  test.each(ACCEPTED)(
    'the gateway accepts a %s file that contains %s, and serves it as %s with the disposition %s',
    async (extension, content, type, disposition) => {
      const licenseFile = fileOf(`license.${extension}`, content);
      const { profile } = registeredDoctor(await register({ licenseFile }));
      expect(profile.licenseFileUrl).toMatch(new RegExp(`\\.${extension}$`));
      const got = await send(profile.licenseFileUrl);
      expect([got.status, got.headers.get('content-type')]).toEqual([200, type]);
      expect(got.bytes.equals(licenseFile.bytes)).toBe(true);
      expect(got.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition}\\b`));
      expect(got.headers.get('x-content-type-options')).toBe('nosniff');
      expect(got.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    },
  );

  test.each(RENAMED)(
    'the gateway stores and serves a file named %s that contains %s as %s',
    async (name, content, extension, type) => {
      for (const { url } of [app, trustingApp]) {
        const { profile } = registeredDoctor(await register({ licenseFile: fileOf(name, content) }, url));
        expect(profile.licenseFileUrl).toMatch(new RegExp(`/[0-9A-Za-z]{40}\\.${extension}$`));
        const got = await send(profile.licenseFileUrl);
        expect(got.bytes.equals(CONTENT[content])).toBe(true);
        expect(got.headers.get('Content-Type')).toBe(type);
        expect(got.headers.get('X-Content-Type-Options')).toBe('nosniff');
        expect(got.headers.get('Content-Disposition')).toMatch(
          new RegExp(`filename="license\\.${extension}"$`),
        );
      }
    },
  );

  test('the gateway accepts a large DOCX as LibreOffice writes it, and a PDF behind the header of a scanner', async () => {
    const licenseFile = { name: 'license.docx', bytes: largeDocx(1_200_000) };
    const pjl = '\u001b%-12345X@PJL SET STRINGCODESET=UTF8\r\n@PJL ENTER LANGUAGE=PDF\r\n';
    const diplomaFile = { name: 'scan.pdf', bytes: pdfBehind('\ufeff \r\n', pjl) };
    const { profile } = registeredDoctor(await register({ licenseFile, diplomaFile }));
    expect((await send(profile.licenseFileUrl)).bytes.equals(licenseFile.bytes)).toBe(true);
    expect((await send(profile.diplomaFileUrl)).bytes.equals(diplomaFile.bytes)).toBe(true);
  });

  test.each(REFUSED)('the gateway refuses a file named %s that contains %s', async (name, content) => {
    expectInvalid(await register({ licenseFile: fileOf(name, content) }), {
      licenseFile: refusal('license file'),
    });
  });

  test.each(POLYGLOTS)(
    'the gateway refuses a file named license.pdf that contains %s',
    async (_what, bytes) => {
      const licenseFile = { name: 'license.pdf', bytes };
      expectInvalid(await register({ licenseFile }), { licenseFile: refusal('license file') });
    },
  );

  test.each(ACCEPTED)(
    'DOCUMENT_CHECK=strict requires the signature of a %s file, not only its name',
    async (extension) => {
      for (const content of ['plain', 'html', 'eicar'] as const) {
        expectInvalid(await register({ licenseFile: fileOf(`license.${extension}`, content) }), {
          licenseFile: refusal('license file'),
        });
      }
    },
  );

  test('DOCUMENT_CHECK=signature accepts content without a known signature', async () => {
    registeredDoctor(await register({ licenseFile: fileOf('license.pdf', 'plain') }, trustingApp.url));
    for (const content of ['exe', 'html', 'xls'] as const) {
      expectInvalid(await register({ licenseFile: fileOf('license.pdf', content) }, trustingApp.url), {
        licenseFile: refusal('license file'),
      });
    }
  });
});

throughEachApi((apiOf) => {
  const register = (fields: object) => apiOf(app.url).registerDoctor(aDoctor({ ...fields }));

  test('the gateway checks each of the three documents and reports all problems at once', async () => {
    const bad = fileOf('document.exe', 'exe');
    expectInvalid(await register({ licenseFile: bad, diplomaFile: bad, certificationFile: bad, name: '' }), {
      name: ['The name field is required.'],
      licenseFile: refusal('license file'),
      diplomaFile: refusal('diploma file'),
      certificationFile: refusal('certification file'),
    });
  });

  test('the gateway stores the three documents in their groups under random names', async () => {
    const before = await storedDocuments(app);
    const fields = aDoctor();
    const { profile } = registeredDoctor(await apiOf(app.url).registerDoctor(fields));
    const added = (await storedDocuments(app)).filter((stored) => !before.includes(stored));
    expect(added).toEqual([
      expect.stringMatching(/^certifications\/[0-9A-Za-z]{40}\.pdf$/),
      expect.stringMatching(/^diplomas\/[0-9A-Za-z]{40}\.pdf$/),
      expect.stringMatching(/^licenses\/[0-9A-Za-z]{40}\.pdf$/),
    ]);
    for (const [url, sent] of [
      [profile.certificationUrl, fields.certificationFile],
      [profile.diplomaFileUrl, fields.diplomaFile],
      [profile.licenseFileUrl, fields.licenseFile],
    ] as const) {
      expect(added.map((stored) => `${app.url}/storage/${stored}`)).toContain(url);
      expect((await send(url)).bytes.equals(sent.bytes)).toBe(true);
    }
  });

  test.each([
    '../../../etc/license.pdf',
    '..\\..\\license.pdf',
    '/etc/passwd/license.pdf',
    '.htaccess.pdf',
    'license.php.pdf',
    'Lizenz für Zoë 李.PDF',
    `${'long'.repeat(500)}.pdf`,
    'a b%2e%2e%2f;"q".pdf',
  ])('the file name "%.40s" is not part of the path of the stored document', async (name) => {
    const { profile } = registeredDoctor(await register({ licenseFile: aPdf(name) }));
    expect(profile.licenseFileUrl.slice(app.url.length)).toMatch(
      /^\/storage\/licenses\/[0-9A-Za-z]{40}\.pdf$/,
    );
  });
});

/** Where a document is served. */
const documentUrl = async () =>
  registeredDoctor(await restApi(app.url).registerDoctor(aDoctor())).profile.licenseFileUrl;

test('a public document needs no token', async () => {
  const response = await send(await documentUrl(), {
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
    await documentUrl();
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

  test.each([
    ['a folder', ['', 'licenses', 'licenses/', 'diplomas/', 'certifications/', 'licenses//']],
    ['a dot file', ['.env', 'licenses/.hidden', 'licenses/.htaccess.pdf', 'licenses/.folder/a.pdf']],
    ['a dot in disguise', ['licenses/%2ehidden', '%2equarantine/upload']],
    ['a file in quarantine', ['.quarantine/upload']],
    ['a file outside the three groups', ['secret.txt', 'other/a.pdf', 'licenses2/a.pdf']],
  ])('the gateway serves nothing of %s', async (_what, paths) => {
    for (const requestPath of ['', ...paths.map((one) => `/${one}`)]) {
      await expectNothing(`/storage${requestPath}`);
    }
  });

  test('no path leads out of a group of documents', async () => {
    for (const outside of [
      '../secret.txt',
      '..%2fsecret.txt',
      '%2e%2e%2fsecret.txt',
      '..%5csecret.txt',
      '..\\secret.txt',
      '....//secret.txt',
      '../../../../../etc/passwd',
      '/etc/passwd',
      '%00',
      '%252e%252e%252fsecret.txt',
      '..%c0%afsecret.txt',
    ]) {
      await expectNothing(`/storage/licenses/${outside}`);
    }
  });
});
