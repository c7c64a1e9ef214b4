import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';
import { clientEntry } from '../../support/services.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Never in a problem. */
const PASSWORD = 'hunter2-of-the-tests';
const URI = `mongodb://gateway:${PASSWORD}@db.example/auth`;

const SPARE = { id: 'spare', secret: 'a secret of forty characters or so, the 3rd' };

/** Writes a file, and returns its path. */
function fileWith(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** The one problem of these settings. */
function problemOf(settings: Record<string, string>): string {
  const problems = problemsOf(settings);
  expect(problems.join()).not.toContain(PASSWORD);
  expect(problems).toHaveLength(1);
  return problems[0] ?? '';
}

test('every secret can come from a file', () => {
  const one = clientEntry({ id: 'billing', secret: 'a secret of forty characters or so, the 1st' });
  const two = clientEntry({ id: 'letters', secret: 'a secret of forty characters or so, the 2nd' });
  const config = readConfig({
    MONGODB_URI_FILE: fileWith('mongodb', `${URI}\n`),
    LEGACY_DATABASE_URL_FILE: fileWith('legacy', 'mysql://root@db.example/legacy'),
    DOCUMENT_STORE: 's3',
    S3_BUCKET: 'documents',
    S3_ACCESS_KEY_ID_FILE: fileWith('key-id', 'AKIA1\r\n'),
    S3_SECRET_ACCESS_KEY_FILE: fileWith('key', '\uFEFFs3-secret'),
    SMTP_URL_FILE: fileWith('smtp', `\nsmtps://clinic:${PASSWORD}@mail.example\n\n`),
    MAIL_FROM: 'clinic@example.org',
    PASSWORD_RESET_URL: 'https://app.example.org/reset#{token}',
    DOCUMENT_ACCESS: 'signed',
    DOCUMENT_URL_SECRET_FILE: fileWith('urls', 'a secret of the tests, long enough '),
    INTROSPECTION_CLIENTS_FILE: fileWith('clients', `${one}\n\n  ${two} , ${clientEntry(SPARE)}\r\n`),
  });
  expect(config).toMatchObject({
    database: { kind: 'mongodb', uri: URI },
    legacy: { databaseUrl: 'mysql://root@db.example/legacy' },
    s3: { credentials: { accessKeyId: 'AKIA1', secretAccessKey: 's3-secret' } },
    mail: { smtp: { credentials: { user: 'clinic', pass: PASSWORD } } },
    documentSigning: { secret: 'a secret of the tests, long enough' },
  });
  expect([...config.services.keys()]).toEqual(['billing', 'letters', 'spare']);
});

test('a file may be a link, as Kubernetes makes them, and may have 64 KiB', () => {
  const link = path.join(folder, 'link');
  symlinkSync(fileWith('target', URI.padEnd(65_536, '\n')), link);
  expect(readConfig({ MONGODB_URI_FILE: link }).database).toEqual({ kind: 'mongodb', uri: URI });
});

test('a file setting that is empty counts as not set', () => {
  expect(readConfig({ MONGODB_URI_FILE: ' ', MONGODB_URI: URI }).database).toMatchObject({ uri: URI });
  expect(readConfig({ MONGODB_URI_FILE: fileWith('mongodb', URI), MONGODB_URI: '' }).database).toMatchObject({
    uri: URI,
  });
});

test('a secret that is set twice is one problem, whether or not there is a file', () => {
  const problem = 'MONGODB_URI_FILE must not be set beside MONGODB_URI.';
  expect(problemOf({ MONGODB_URI: URI, MONGODB_URI_FILE: fileWith('mongodb', URI) })).toBe(problem);
  expect(problemOf({ MONGODB_URI: URI, MONGODB_URI_FILE: path.join(folder, 'none') })).toBe(problem);
});

test.each<[what: string, problem: string, make: (file: string) => void]>([
  ['missing', 'cannot be read (ENOENT: no such file or directory)', () => {}],
  ['empty', 'is empty', (file) => writeFileSync(file, ' \r\n')],
  ['a folder', 'is not a file but a folder, pipe or device', (file) => mkdirSync(file)],
  ['a pipe', 'is not a file but a folder, pipe or device', (file) => execFileSync('mkfifo', [file])],
  ['a device', 'is not a file but a folder, pipe or device', (file) => symlinkSync('/dev/zero', file)],
  ['too long', 'is larger than 64 KiB', (file) => writeFileSync(file, PASSWORD.padEnd(65_537))],
  [
    'a link to itself',
    'cannot be read (ELOOP: too many symbolic links encountered)',
    (file) => symlinkSync(file, file),
  ],
  ['not text', 'is not UTF-8 text', (file) => writeFileSync(file, Buffer.from(`${PASSWORD}\xFF`, 'latin1'))],
  ['with NUL', 'is not UTF-8 text', (file) => writeFileSync(file, `${PASSWORD}\0`)],
])('a file that is %s is one problem, which names it', (what, problem, make) => {
  const file = path.join(folder, `unusable ${what}`);
  make(file);
  const settings = { NODE_ENV: 'production', BASE_URL: 'https://gateway.example' };
  expect(problemOf({ ...settings, MONGODB_URI_FILE: file })).toBe(
    `MONGODB_URI_FILE names the file "${file}", which ${problem}.`,
  );
});

test('one half of the key of S3 asks for the other', () => {
  const s3 = { DOCUMENT_STORE: 's3', S3_BUCKET: 'documents' };
  const problem = 'S3_ACCESS_KEY_ID must be set with S3_SECRET_ACCESS_KEY.';
  expect(problemOf({ ...s3, S3_SECRET_ACCESS_KEY: PASSWORD })).toBe(problem);
  const unusable = { S3_ACCESS_KEY_ID_FILE: path.join(folder, 'none'), S3_SECRET_ACCESS_KEY: PASSWORD };
  expect(problemOf({ ...s3, ...unusable })).toContain('ENOENT');
});

test('a secret in the place of a path is not in the problem', () => {
  for (const secret of [PASSWORD, `/${PASSWORD}`, `x/${PASSWORD}`, `smtp://user:${PASSWORD}@mail.example`]) {
    const problem = problemOf({ S3_SECRET_ACCESS_KEY_FILE: secret, S3_ACCESS_KEY_ID: 'AKIA1' });
    expect(problem).toBe(
      'S3_SECRET_ACCESS_KEY_FILE names a file, which cannot be read (ENOENT: no such file or directory).',
    );
  }
});

test('a file may have the secrets of document URLs on up to ten lines', () => {
  const secret = 'a secret of the tests, long enough';
  const settings = {
    DOCUMENT_ACCESS: 'signed',
    DOCUMENT_URL_SECRET_FILE: fileWith('urls', `${secret}\n`.repeat(10)),
  };
  const otherSecrets = new Array(9).fill(secret);
  expect(readConfig(settings).documentSigning).toMatchObject({ secret, otherSecrets });
  fileWith('urls', `${secret}\n`.repeat(11));
  expect(problemOf(settings)).toContain('DOCUMENT_URL_SECRET must have at most 10 lines');
  fileWith('urls', `${secret}\n${PASSWORD}`);
  expect(problemOf(settings)).toContain('DOCUMENT_URL_SECRET must be at least 32 characters');
});

test('a text of a file is checked like a setting, and the problem says where it is from', () => {
  expect(problemOf({ MONGODB_URI_FILE: fileWith('wrong', PASSWORD) })).toBe(
    'MONGODB_URI must be a mongodb:// or mongodb+srv:// address (it is read from the file of MONGODB_URI_FILE).',
  );
  // A URL parser would join the lines.
  expect(problemOf({ SMTP_URL_FILE: fileWith('lines', `smtps://clinic:${PASSWORD}\n@mail.example`) })).toBe(
    'SMTP_URL must be a single line (it is read from the file of SMTP_URL_FILE).',
  );
  expect(problemOf({ SMTP_URL: `smtps://clinic:${PASSWORD}\n@mail.example` })).toBe(
    'SMTP_URL must be a single line.',
  );
  expect(problemOf({ INTROSPECTION_CLIENTS_FILE: fileWith('clients', `a:b\n`) })).toContain(
    'entry 1 must be',
  );
});
