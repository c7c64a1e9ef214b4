import { throughEachApi } from '../../support/apis.ts';
import { aPdf, CONTENT } from '../../support/documents.ts';
import { expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { storedDocuments, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const trustingApp = useTestApp({ DOCUMENT_CHECK: 'signature' });

type Content = keyof typeof CONTENT;

/** Every accepted extension (docs/contract.md, "Documents") with content that fits. */
const ACCEPTED: [extension: string, content: Content][] = [
  ['pdf', 'pdf'],
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['heic', 'heic'],
  ['tif', 'tiff'],
  ['tiff', 'tiff'],
  ['doc', 'doc'],
  ['docx', 'docx'],
  ['docx', 'docxOtherOrder'],
];

/** Names and contents that do not go together, or not at all. */
const REFUSED: [name: string, content: Content][] = [
  ['license.exe', 'pdf'],
  ['license.gif', 'gif'],
  ['license.html', 'html'],
  ['license', 'pdf'],
  ['license.pdf.exe', 'pdf'],
  ['license.pdf', 'png'],
  ['license.png', 'jpeg'],
  ['license.docx', 'zip'],
  ['license.docx', 'doc'],
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
];

const pdfBehind = (...bytes: (string | Buffer)[]) =>
  Buffer.concat([...bytes.map((part) => Buffer.from(part)), CONTENT.pdf]);

/** Contents that only a lenient program reads as a document of the type. */
const POLYGLOTS: [what: string, bytes: Buffer][] = [
  ['no signature', CONTENT.plain],
  ['the test file of virus scanners', CONTENT.eicar],
  ['a test file for virus scanners before a PDF', pdfBehind(CONTENT.eicar)],
  ['junk before a PDF', pdfBehind('junk')],
  ['a line break before a PDF', pdfBehind('\n')],
  ['a blank before a PDF', pdfBehind(' ')],
  ['a byte order mark before a PDF', pdfBehind('\ufeff')],
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

throughEachApi((apiOf) => {
  const register = (fields: object, url = app.url) => apiOf(url).registerDoctor(aDoctor({ ...fields }));
  const fileOf = (name: string, content: Content) => ({ name, bytes: CONTENT[content] });

  test.each(ACCEPTED)(
    'the gateway accepts a %s file and returns the same bytes',
    async (extension, content) => {
      const licenseFile = fileOf(`license.${extension}`, content);
      const { profile } = registeredDoctor(await register({ licenseFile }));
      expect(profile.licenseFileUrl).toMatch(new RegExp(`\\.${extension}$`));
      const got = await send(profile.licenseFileUrl);
      expect(got.status).toBe(200);
      expect(got.bytes.equals(licenseFile.bytes)).toBe(true);
    },
  );

  test.each(REFUSED)('the gateway refuses a file named %s that contains %s', async (name, content) => {
    expectInvalid(await register({ licenseFile: fileOf(name, content) }), {
      licenseFile: refusal('license file'),
    });
  });

  test('the gateway checks each of the three documents and reports all problems at once', async () => {
    const bad = fileOf('document.exe', 'exe');
    expectInvalid(await register({ licenseFile: bad, diplomaFile: bad, certificationFile: bad, name: '' }), {
      name: ['The name field is required.'],
      licenseFile: refusal('license file'),
      diplomaFile: refusal('diploma file'),
      certificationFile: refusal('certification file'),
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
    for (const content of ['exe', 'html', 'png'] as const) {
      expectInvalid(await register({ licenseFile: fileOf('license.pdf', content) }, trustingApp.url), {
        licenseFile: refusal('license file'),
      });
    }
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
