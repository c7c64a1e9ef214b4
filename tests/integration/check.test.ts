import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import path from 'node:path';
import { ALL_CHECKS } from '../../src/cli/check/all-checks.ts';
import type { NamedFinding } from '../../src/cli/check/check.ts';
import { checkerWith } from '../../src/cli/check/run-check.ts';
import { runnerOf } from '../../src/cli/command-line.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { s3Store } from '../documents/support/stores.ts';
import { selfSigned } from '../support/certificate.mjs';
import { useDatabase } from '../support/database.ts';
import { serve, servedUri } from '../support/gateway-process.ts';
import { freePort, listenOnFreePort } from '../support/listen.ts';
import { collectOutputs } from '../support/program.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { TWO_FACTOR } from '../support/second-factor.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp({ BASE_URL: 'http://127.0.0.1' });
const opened = useDatabase();
const smtp = useSmtpServer();
const guarded = useSmtpServer({
  authOptional: false,
  onAuth: (_login, _session, done) => done(new Error('no such user: ada@example.org')),
});

const inFolder = folderOfEachTest();

/**
 * What some checks of the checker find, and its exit code.
 * @param checks their names, separated by blanks
 */
async function check(checks: string, settings: Record<string, string>, ...words: string[]) {
  const only = ALL_CHECKS.filter(({ name }) => checks.split(' ').includes(name));
  const environment = {
    MONGODB_URI: opened.database.uri,
    STORAGE_DIR: inFolder('storage'),
    PORT: '0',
    ...settings,
  };
  const { code, stdout, stderr } = await collectOutputs((outputs) =>
    runnerOf(checkerWith({ checks: only }))([...words, '--json'], () => environment, outputs),
  );
  const lines = stdout.trim().split('\n');
  const findings = lines.slice(0, -1).map((line) => JSON.parse(line) as NamedFinding);
  const of = (check: string) =>
    findings.filter((one) => one.check === check).map(({ level, text }) => `${level}: ${text}`);
  return { code, stdout, stderr, findings, of };
}

const collections = async () =>
  (await opened.database.db.listCollections().toArray()).map(({ name }) => name);

test('before the first start the checker finds no error, and leaves neither folders nor collections', async () => {
  const { code, of, stderr, findings } = await check('settings disk database documents', {});
  expect([code, stderr]).toEqual([1, '']);
  expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  expect(of('indexes')).toEqual([
    'note: The database is empty: the first start creates the collections and indexes.',
  ]);
  expect(of('database')).toContainEqual(expect.stringMatching(/^ok: A document was written, read back/));
  expect(of('documents')).toEqual([expect.stringMatching(/^ok: Documents were stored in /)]);
  expect(of('clock')).toEqual(["ok: The clock of the database agrees with this machine's."]);
  expect(await readdir(inFolder())).toEqual([]);
  expect(await collections()).toEqual([]);
});

test('beside a running gateway the checker leaves everything as it was', async () => {
  const files = await readdir(app.storageDir, { recursive: true });
  const attempts = app.database.db.collection('attempt_counts');
  const settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir };
  const { of } = await check('database documents', settings);
  expect(of('indexes')).toEqual(['ok: All indexes exist, and no other index rejects or removes documents.']);
  expect(of('documents')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(await readdir(app.storageDir, { recursive: true })).toEqual(files);
  expect(await attempts.countDocuments()).toBe(0);
});

test('the store of another database is a warning, and the trash is a note with its size', async () => {
  const trash = path.join(app.storageDir, '.trash/licenses');
  await mkdir(trash, { recursive: true });
  await writeFile(path.join(trash, `${'n'.repeat(40)}.pdf`), Buffer.alloc(2_048));
  try {
    const { of } = await check('database documents', { STORAGE_DIR: app.storageDir });
    expect(of('documents')).toEqual([
      'warning: The document store belongs to another database, so the sweep removes nothing.',
      expect.stringMatching(/^ok: Documents were stored in /),
      'note: The trash of the sweep has 1 document (2.0 KiB). Each is deleted after 30 days.',
    ]);
  } finally {
    await rm(path.dirname(trash), { recursive: true });
  }
});

test('missing, changed and foreign indexes are found', async () => {
  await createIndexes(opened.connection);
  const accounts = opened.database.db.collection('accounts');
  try {
    await accounts.dropIndex('emailKey_1');
    await accounts.createIndex({ emailKey: 1 });
    await accounts.dropIndex('erasureDueAt_1');
    await accounts.createIndex({ phone: 1 }, { unique: true });
    const { code, of } = await check('database', {});
    expect(code).toBe(2);
    expect(of('indexes')).toEqual([
      expect.stringMatching(/^error: The index emailKey_1 of accounts does not have the options/),
      'warning: The index erasureDueAt_1 of accounts is missing.',
      expect.stringMatching(/^error: .* the unique index phone_1, which rejects documents of accounts/),
    ]);
  } finally {
    await opened.database.db.dropDatabase();
  }
});

test('a schema of a later release is an error, and an older one is a note', async () => {
  const schema = opened.database.db.collection<{ _id: string }>('schema');
  try {
    await schema.insertOne({ _id: 'schema', version: 99, release: '9.0.0' } as { _id: string });
    const { code, of } = await check('database', {});
    expect(code).toBe(2);
    expect(of('database')).toContainEqual(
      expect.stringMatching(/^error: The database has schema version 99, from release 9\.0\.0/),
    );
    await schema.updateOne({ _id: 'schema' }, { $set: { version: 0 } });
    const older = await check('database', {});
    expect(older.of('database')).toContainEqual(
      expect.stringMatching(/^note: The next start migrates the database from schema version 0 to /),
    );
  } finally {
    await opened.database.db.dropDatabase();
  }
});

test('a document goes through a bucket, and nothing is left there', async () => {
  const store = s3Store('a bucket');
  const { code, of } = await check('documents', await store.start());
  const left = await readdir(path.join(store.folder() ?? '', 'documents'), { recursive: true });
  await store.stop();
  expect(code).toBe(0);
  expect(of('documents')).toEqual([
    expect.stringMatching(/^ok: Documents were stored in the bucket documents, read back and removed/),
  ]);
  expect(left.filter((name) => name.includes('.pdf'))).toEqual([]);
  expect(await readdir(inFolder())).toEqual([]);
});

const NO_BUCKET = {
  ...{ DOCUMENT_STORE: 's3', S3_BUCKET: 'documents', S3_ENDPOINT: 'http://127.0.0.1:9' },
  ...{ S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'geheimnis' },
};
const NO_MAILS = mailSettings('smtp://clinic:geheimnis@127.0.0.1:9');

test.each<[what: string, checks: string, settings: Record<string, string>, error: RegExp]>([
  [
    'a folder where nothing can be stored',
    'documents',
    { STORAGE_DIR: '/proc/storage' },
    /stored in \/proc\/storage: /,
  ],
  ['a bucket that cannot be reached', 'documents', NO_BUCKET, /the bucket documents: /],
  [
    'a BASE_URL where nothing answers',
    'proxies',
    { BASE_URL: 'http://127.0.0.1:9' },
    /Nothing answers at BASE_URL.*ECONNREFUSED/,
  ],
  ['a mail server that cannot be reached', 'mail', NO_MAILS, /ECONNREFUSED/],
])('%s is an error with its reason, without a secret', async (_what, checks, settings, error) => {
  const { code, of, stdout } = await check(checks, settings);
  expect(code).toBe(2);
  expect(of(checks)).toEqual([expect.stringMatching(error)]);
  expect(of(checks)[0]).toMatch(/^error: /);
  expect(stdout).not.toContain('geheimnis');
});

test('a database that cannot be opened is an error without its password, and the other checks run', async () => {
  const uri = opened.database.uri.replace(/\/\/(?:[^@/]*@)?/, '//user:hunter2@');
  const { code, of, stdout } = await check('database documents', { MONGODB_URI: uri });
  expect(code).toBe(2);
  expect(of('database')).toEqual([expect.stringMatching(/^error: The database cannot be opened: /)]);
  expect(of('documents')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(stdout).not.toContain('hunter2');
});

test('files with secrets that others can read, and misspelt settings, are warnings', async () => {
  const file = inFolder('token');
  await writeFile(file, 'mysql://user:geheimnis@127.0.0.1/x');
  const settings = { LEGACY_DATABASE_URL_FILE: file, SMPT_URL: 'smtp://127.0.0.1', UNKNOWN_OTHER: 'x' };
  await chmod(file, 0o644);
  const { of } = await check('settings secrets', settings);
  expect(of('secrets')).toContainEqual(
    `warning: Every user of this machine can read ${file} (LEGACY_DATABASE_URL_FILE).`,
  );
  expect(of('settings')).toContainEqual('warning: SMPT_URL is set, but is not a setting.');
  expect(of('settings').join()).not.toContain('UNKNOWN_OTHER');
  await chmod(file, 0o600);
  expect((await check('secrets', settings)).of('secrets').join()).not.toContain(file);
});

/** What the settings are told about a subject. */
const toldOf = async (subject: string, settings: Record<string, string>) =>
  (await check('settings', settings)).of('settings').filter((text) => text.includes(subject));

test('passwords that are too short without a second factor are a note with the roles that need none', async () => {
  const noted = (settings: Record<string, string>) => toldOf('NIST SP 800-63B-4', settings);
  expect(await noted({})).toEqual([
    'note: A password of 8 characters is all that these roles need: doctor, patient, reviewer. NIST SP 800-63B-4 asks for 15 without a second factor.',
  ]);
  const partly = { ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'reviewer,doctor:2020-01-01,patient:2999-01-01' };
  expect(await noted({ ...partly, PASSWORD_MIN_CHARACTERS: '14' })).toEqual([
    expect.stringMatching(/^note: A password of 14 characters is all that these roles need: patient\./),
  ]);
  expect(await noted({ PASSWORD_MIN_CHARACTERS: '15' })).toEqual([]);
  expect(await noted({ ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'reviewer,doctor,patient' })).toEqual([]);
});

const STAFF = { STAFF_TOKEN_LIFETIME_MINUTES: 'off' };
const ENDLESS_STAFF = { ...STAFF, STAFF_TOKEN_IDLE_MINUTES: 'off' };
const PEOPLE = { PEOPLE_URL: 'https://login.example.org/people' };

test.each<[subject: string, settings: Record<string, string>, warnings: RegExp[]]>([
  ['STAFF_TOKEN', ENDLESS_STAFF, [/^warning: Tokens of operators and reviewers never end: /]],
  ['STAFF_TOKEN', STAFF, []],
  ['STAFF_TOKEN', { ...ENDLESS_STAFF, TOKEN_LIFETIME_MINUTES: '60' }, []],
  ['PEOPLE_URL', PEOPLE, [/^warning: PEOPLE_URL is set, and tokens /]],
  ['PEOPLE_URL', { ...PEOPLE, TOKEN_IDLE_MINUTES: '30' }, []],
  ['PEOPLE_URL', { ...PEOPLE, TOKEN_LIFETIME_MINUTES: '1440' }, []],
  ['PEOPLE_URL', {}, []],
])('tokens that never end are a warning: %s with %j', async (subject, settings, warnings) => {
  const expected = warnings.map((pattern) => expect.stringMatching(pattern));
  expect(await toldOf(subject, settings)).toEqual(expected);
});

test('a misspelt setting is named beside the one that is missing for it', async () => {
  const settings = { NODE_ENV: 'production', BASE_URI: 'https://auth.example.org' };
  const { code, findings } = await check('settings', settings);
  expect(code).toBe(2);
  expect(findings).toEqual([
    expect.objectContaining({ level: 'error', text: expect.stringMatching(/^BASE_URL must be set/) }),
    expect.objectContaining({ text: 'BASE_URI is set, but is not a setting.' }),
  ]);
});

test('the free space is named with the folder and its setting', async () => {
  const { of } = await check('disk', {});
  expect(of('disk')).toContainEqual(expect.stringMatching(/^\w+: .* are free in \/.* \(STORAGE_DIR\)/));
});

test('a file in the place of a folder is an error', async () => {
  const file = inFolder('storage');
  await writeFile(file, '');
  const { code, of } = await check('disk documents', { STORAGE_DIR: path.join(file, 'below') });
  expect(code).toBe(2);
  expect(of('disk')).toContain(`error: STORAGE_DIR cannot be used: ${file} is not a folder.`);
  expect(of('documents')).toEqual([
    `error: Documents cannot be stored in ${file}/below: ${file} is not a folder.`,
  ]);
});

test('folders of documents that others can read are one warning, whose command fixes all', async () => {
  const group = (name: string) => inFolder('storage', name);
  for (const name of ['licenses', 'diplomas']) {
    await mkdir(group(name), { recursive: true, mode: 0o755 });
  }
  const { findings } = await check('disk', {});
  expect(findings).toContainEqual({
    check: 'disk',
    level: 'warning',
    text: `Every user of this machine can read the documents in ${group('licenses')}, ${group('diplomas')}.`,
    todo: `chmod 700 ${group('licenses')} ${group('diplomas')}`,
  });
});

describe('mail', () => {
  test('the checker logs in and sends nothing, and with --mail-to one mail', async () => {
    const settings = mailSettings(smtp.url.replace('//', '//clinic:geheimnis@'));
    const asked = await check('mail', settings);
    expect(asked.of('mail')[0]).toMatch(
      /^ok: The mail server 127\.0\.0\.1:\d+ accepts the login, without TLS\.$/,
    );
    expect(smtp.mails).toEqual([]);
    const sent = await check('mail', { ...settings, MAIL_LANGUAGE: 'de' }, '--mail-to', 'ada@example.org');
    expect(sent.of('mail')[1]).toMatch(/^ok: The mail server accepted a test mail to ada@example\.org/);
    expect(await smtp.nextMail()).toMatchObject({
      recipients: ['ada@example.org'],
      user: 'clinic',
      subject: 'Testnachricht des Auth-Gateways',
    });
    expect(asked.stdout + sent.stdout).not.toContain('geheimnis');
  });

  test('a refused login is an error with codes, without the text of the server', async () => {
    const { code, of, stdout } = await check(
      'mail',
      mailSettings(guarded.url.replace('//', '//clinic:geheimnis@')),
    );
    expect(code).toBe(2);
    expect(of('mail')).toEqual([
      expect.stringMatching(/^error: The mail server .* cannot be used: 535, .*EAUTH/),
    ]);
    expect(stdout).not.toMatch(/geheimnis|ada@example/);
  });

  test('--mail-to without a server is an error', async () => {
    const without = await check('mail', {}, '--mail-to', 'ada@example.org');
    expect(without.of('mail')).toEqual(['error: No test mail can be sent: SMTP_URL is not set.']);
  });
});

describe('the way from BASE_URL', () => {
  test('without a proxy the checker answers in the place of the gateway, and a forged address does not count', async () => {
    const port = String(await freePort());
    const settings = { PORT: port, HOST: '127.0.0.1', BASE_URL: `http://127.0.0.1:${port}` };
    const { of } = await check('proxies', settings);
    expect(of('proxies')).toEqual([
      expect.stringMatching(/^ok: There is no proxy in front/),
      expect.stringMatching(/^ok: Uploads of 31 MiB, the largest size, reach the gateway/),
    ]);
    const trusting = await check('proxies', { ...settings, TRUST_PROXY: '1' });
    expect(trusting.code).toBe(2);
    expect(trusting.of('proxies')[0]).toMatch(/^error: Callers can choose the address/);
  });

  test('a running gateway is recognised, and another program on its port is an error', async () => {
    const { port, origin } = new URL(app.url);
    const beside = await check('proxies', { PORT: port, BASE_URL: origin });
    expect(beside.of('proxies')).toEqual([expect.stringMatching(/^note: A gateway runs on HOST and PORT/)]);
    const other = createHttpServer((_req, res) => void res.end());
    const taken = String(await listenOnFreePort(other));
    const { code, of } = await check('proxies', { PORT: taken, BASE_URL: `http://127.0.0.1:${taken}` });
    other.close();
    expect(code).toBe(2);
    expect(of('proxies')).toEqual([expect.stringMatching(/^error: Another program uses the port/)]);
  });

  test('through TLS the certificate, HSTS and the clock are judged, and the right address counts', async () => {
    const port = await freePort();
    const proxy = createHttpsServer(selfSigned('127.0.0.1'), (req, res) => {
      const headers = { ...req.headers, 'x-forwarded-for': '192.0.2.7' };
      const { method, url: target } = req;
      const onward = request({ port, host: '127.0.0.1', path: target, method, headers }, (answer) => {
        const { 'strict-transport-security': _, ...others } = answer.headers;
        res.writeHead(answer.statusCode ?? 0, {
          ...others,
          date: new Date(Date.now() - 90_000).toUTCString(),
        });
        answer.pipe(res);
      });
      req.pipe(onward.on('error', () => res.destroy()));
    });
    const url = `https://127.0.0.1:${await listenOnFreePort(proxy)}`;
    const settings = { PORT: String(port), HOST: '127.0.0.1', BASE_URL: url, TRUST_PROXY: '1' };
    const { code, of } = await check('proxies', settings);
    proxy.closeAllConnections();
    proxy.close();
    expect(code).toBe(2);
    expect(of('tls')).toEqual([
      'error: Callers refuse the certificate of BASE_URL: DEPTH_ZERO_SELF_SIGNED_CERT.',
      'warning: The HSTS header of the gateway does not reach callers.',
    ]);
    expect(of('clock')).toContainEqual(expect.stringMatching(/^error: .*BASE_URL is \d+ s behind/));
    expect(of('proxies')[0]).toMatch(
      /^ok: A forged X-Forwarded-For header is ignored\. The gateway sees the checker at 192\.0\.2\.7/,
    );
  });
});

test('the embedded database is examined beside the process that has it open', async () => {
  const dataDir = inFolder('data');
  const engine = serve(dataDir);
  try {
    await servedUri(engine);
    const { of } = await check('database', { MONGODB_URI: '', DATA_DIR: dataDir });
    expect(of('database')).toEqual([
      expect.stringMatching(/^ok: The embedded database is open/),
      expect.stringMatching(/^note: The database has no schema version yet/),
      expect.stringMatching(/^ok: A document was written, read back and removed/),
    ]);
    await chmod(dataDir, 0o755);
    const { of: ofDisk } = await check('disk', { MONGODB_URI: '', DATA_DIR: dataDir });
    const unkept = {
      NODE_ENV: 'production',
      BASE_URL: 'https://auth.example.org',
      EMBEDDED_DATABASE: 'allow',
    };
    const { of: ofSettings } = await check('settings', { MONGODB_URI: '', DATA_DIR: dataDir, ...unkept });
    expect(ofSettings('settings')).toContainEqual(
      expect.stringMatching(/^warning: .*not backed up: BACKUP_DIR/),
    );
    expect(ofDisk('disk')[0]).toMatch(/^warning: Other users can open .*data \(DATA_DIR\)/);
  } finally {
    engine.kill('SIGKILL');
  }
});
