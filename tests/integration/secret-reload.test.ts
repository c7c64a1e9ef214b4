import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UrlSigner } from '../../src/documents/document-urls.ts';
import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { restApi } from '../support/rest-api.ts';
import { ask, basic, clientEntry } from '../support/services.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, letMailsBeSent, type TestApp, testClock } from '../support/test-app.ts';

// One gateway, whose secrets are replaced in their files and read again, as at SIGHUP.
const [firstServer, secondServer] = [useSmtpServer(), useSmtpServer()];
const BILLING = { id: 'billing', secret: 'billing-secret-of-forty-characters-or-so' };
const RENEWED = { id: 'billing', secret: 'another-secret-of-forty-characters-or-so' };
const URL_SECRET = 'a secret of the tests, long enough';
const LIFETIME_SECONDS = 3600;

let folder: string;
let app: TestApp;
const fileOf = (key: string) => path.join(folder, key);
const put = (key: string, text: string) => writeFile(fileOf(key), `${text}\n`);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-secrets-'));
  await put('SMTP_URL', firstServer.url);
  await put('DOCUMENT_URL_SECRET', URL_SECRET);
  await put('INTROSPECTION_CLIENTS', clientEntry(BILLING));
  const keys = ['SMTP_URL', 'DOCUMENT_URL_SECRET', 'INTROSPECTION_CLIENTS', 'MONGODB_URI'];
  const files = Object.fromEntries(keys.map((key) => [`${key}_FILE`, fileOf(key)]));
  app = await createTestApp(
    { ...mailSettings(''), DOCUMENT_ACCESS: 'signed', ...files },
    // The database is known only now. The setting is left empty.
    (uri) => {
      writeFileSync(fileOf('MONGODB_URI'), uri);
      return '';
    },
  );
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true });
});

/** The lines that a reload adds to the log, without their times. */
async function reload(): Promise<unknown[]> {
  const before = app.log.length;
  await app.reloadSecrets();
  const lines = app.log.slice(before).map((line) => JSON.parse(line));
  return lines.map(({ time: _time, ...line }) => line);
}

const statusFor = async ({ id, secret }: typeof BILLING) =>
  (await ask(app.url, 'token=unknown', basic(id, secret))).status;

test('unchanged files change nothing', async () => {
  expect(await reload()).toEqual([
    { level: 30, changed: [], msg: 'the files of the secrets were read again' },
  ]);
  expect(await statusFor(BILLING)).toBe(200);
});

test('a service gets a new secret without an interruption: first both are valid, then the new one', async () => {
  await put('INTROSPECTION_CLIENTS', `${clientEntry(BILLING)}\n${clientEntry(RENEWED)}`);
  expect(await reload()).toMatchObject([{ changed: ['INTROSPECTION_CLIENTS'] }]);
  expect([await statusFor(BILLING), await statusFor(RENEWED)]).toEqual([200, 200]);
  await put('INTROSPECTION_CLIENTS', clientEntry(RENEWED));
  await reload();
  expect([await statusFor(BILLING), await statusFor(RENEWED)]).toEqual([401, 200]);
});

/** The URL of a document, signed with a secret. */
function signedBy(secret: string, storedPath: string, lifetimeSeconds = LIFETIME_SECONDS): string {
  const signer = new UrlSigner({ secret, otherSecrets: [], lifetimeSeconds }, testClock);
  return `${app.url}/storage/${storedPath}?${new URLSearchParams({ ...signer.sign(storedPath) })}`;
}

test('URLs of the former secret are valid until they end, but nobody can sign longer ones with it', async () => {
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const former = profile.licenseFileUrl;
  const stored = new URL(former).pathname.replace('/storage/', '');
  await put('DOCUMENT_URL_SECRET', 'another secret of the tests, long enough');
  expect(await reload()).toMatchObject([{ changed: ['DOCUMENT_URL_SECRET'] }]);
  const forged = signedBy(URL_SECRET, stored, LIFETIME_SECONDS + 1);
  expect([(await send(former)).status, (await send(forged)).status]).toEqual([200, 403]);

  testClock.move(LIFETIME_SECONDS * 1000 - 1000);
  expect((await send(former)).status).toBe(200);
  const renewed = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor())).profile.licenseFileUrl;
  testClock.move(1000);
  expect([(await send(former)).status, (await send(renewed)).status]).toEqual([403, 200]);
});

test('further lines are secrets of other instances: they open documents, but sign nothing', async () => {
  const [own, others] = [
    'the first secret of the tests, long enough',
    'the other secret of the tests, long enough',
  ];
  await put('DOCUMENT_URL_SECRET', `${own}\n${others}`);
  expect(await reload()).toMatchObject([{ changed: ['DOCUMENT_URL_SECRET'] }]);
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const stored = new URL(profile.licenseFileUrl).pathname.replace('/storage/', '');
  expect(profile.licenseFileUrl).toBe(signedBy(own, stored));
  expect((await send(signedBy(others, stored))).status).toBe(200);

  await put('DOCUMENT_URL_SECRET', `${others}\n${own}`);
  await reload();
  expect((await send(signedBy(own, stored, LIFETIME_SECONDS + 1))).status).toBe(200);
  await put('DOCUMENT_URL_SECRET', others);
  await reload();
  expect((await send(profile.licenseFileUrl)).status).toBe(403);
});

test('the next mails go to the new mail server', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url).registerPatient(patient));
  const orderMail = async () => {
    await restApi(app.url).requestPasswordReset({ email: patient.email });
    await letMailsBeSent();
  };
  await orderMail();
  expect((await firstServer.nextMail()).recipients).toEqual([patient.email]);
  await put('SMTP_URL', secondServer.url);
  expect(await reload()).toMatchObject([{ changed: ['SMTP_URL'] }]);
  // Later, because a second mail within minutes would be dropped.
  testClock.move(LIFETIME_SECONDS * 1000);
  await orderMail();
  expect((await secondServer.nextMail()).recipients).toEqual([patient.email]);
  expect(firstServer.mails).toHaveLength(1);
});

test('one wrong file changes no secret at all, and the log names it without its content', async () => {
  await put('INTROSPECTION_CLIENTS', clientEntry(BILLING));
  await put('DOCUMENT_URL_SECRET', 'a short one');
  expect(await reload()).toEqual([
    {
      level: 50,
      problems: [
        'DOCUMENT_URL_SECRET must be at least 32 characters for DOCUMENT_ACCESS=signed (it is read from the file of DOCUMENT_URL_SECRET_FILE).',
      ],
      msg: 'the files of the secrets cannot be used: no secret has changed',
    },
  ]);
  expect([await statusFor(BILLING), await statusFor(RENEWED)]).toEqual([401, 200]);
  // The next reload compares with what is in use, not with the wrong file.
  await put('DOCUMENT_URL_SECRET', URL_SECRET);
  expect(await reload()).toMatchObject([{ changed: ['DOCUMENT_URL_SECRET', 'INTROSPECTION_CLIENTS'] }]);
  expect([await statusFor(BILLING), await statusFor(RENEWED)]).toEqual([200, 401]);
});

test('another database needs a restart, and each reload says so until then', async () => {
  await put('MONGODB_URI', 'mongodb://gateway:p%40ssword-of-another@db.example/auth');
  for (const changed of [['MONGODB_URI'], ['MONGODB_URI']]) {
    expect(await reload()).toEqual([
      { level: 30, changed: [], msg: 'the files of the secrets were read again' },
      { level: 40, changed, msg: 'the gateway must be restarted to use a changed secret' },
    ]);
  }
  authenticated(await restApi(app.url).registerPatient(aPatient()));
  expect(app.log.join()).not.toContain('ssword-of-another');
});
