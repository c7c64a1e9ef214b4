import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoredApp } from '../../../src/stores/factors.ts';
import { failedStart } from '../../support/failed-start.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import {
  anEnrolledPerson,
  aStoredPerson,
  byRest,
  codeAt,
  done,
  type EnrolledPerson,
  nextCode,
  TEXTS,
} from '../../support/second-factor.ts';
import { accountOf } from '../../support/session.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

storesWrongRecords();

const [FIRST, SECOND] = [
  'the first line of a secret of the tests',
  'the second line of a secret of the tests',
];

let folder: string;
let app: TestApp;
const write = (...lines: string[]) =>
  writeFileSync(path.join(folder, 'lines'), lines.map((line) => `${line}\n`).join(''));

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-lines-'));
  write(FIRST);
  app = await createTestApp({ TWO_FACTOR_SECRET_FILE: path.join(folder, 'lines') });
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await app.database.db.collection('factors').deleteMany({});
  await app.database.accounts.updateMany({}, { $unset: { factors: true } });
  await reload(FIRST);
});

const factors = () => app.database.db.collection<StoredApp>('factors');
const appOf = async ({ id }: Pick<EnrolledPerson, 'id'>): Promise<Partial<StoredApp>> =>
  (await factors().findOne({ accountId: id, kind: 'app' })) ?? {};
const login = ({ email, password }: Pick<EnrolledPerson, 'email' | 'password'>, proof: object = {}) =>
  byRest(app.url)('login', { email, password, ...proof });

/** Every record of every collection, as text. */
async function everyRecord(): Promise<string> {
  const collections = await app.database.db.collections();
  return JSON.stringify(await Promise.all(collections.map((one) => one.find().toArray())));
}

/** Reads the lines again. @returns what the log says then */
async function reload(...lines: string[]): Promise<string> {
  write(...lines);
  const before = app.log.length;
  await app.reloadSecrets();
  return app.log.slice(before).join('');
}

test('nothing that opens an account is in the database in plain text', async () => {
  const person = await anEnrolledPerson(app.url);
  const { challenge = '' } = await login(person);
  const [used = ''] = person.recoveryCodes;
  done(await login(person, { recoveryCode: used }));
  await byRest(app.url)('enableTwoFactor', { password: person.password, code: 'none' }, person.token);
  const everything = await everyRecord();
  expect(everything).toContain(person.id);
  const secrets = [person.secretKey, challenge, ...person.recoveryCodes];
  const spellings = [...secrets, ...person.recoveryCodes.map((code) => code.replaceAll('-', ''))];
  expect(spellings.filter((secret) => everything.includes(secret))).toEqual([]);
  expect(everything).not.toContain(Buffer.from(person.secretKey).toString('base64url'));
});

test('a new first line encrypts each secret again at its next use, and then the former line can go', async () => {
  const [one, other] = [await anEnrolledPerson(app.url), await anEnrolledPerson(app.url)];
  const before = await appOf(one);
  expect(await reload(SECOND, FIRST)).toContain('"changed":["TWO_FACTOR_SECRET"]');
  done(await login(one, { code: codeAt(one.secretKey) }));
  const after = await appOf(one);
  expect(after.keyId).not.toBe(before.keyId);
  // The former line is still needed.
  const refused = await reload(SECOND);
  expect(refused).toContain('no secret has changed');
  expect(refused).toContain('TWO_FACTOR_SECRET lacks a line');
  nextCode();
  done(await login(other, { recoveryCode: other.recoveryCodes[0] }));
  expect((await appOf(other)).keyId).toBe(after.keyId);
  expect(await reload(SECOND)).toContain('the files of the secrets were read again');
  for (const person of [one, other]) {
    done(await login(person, { code: codeAt(person.secretKey) }));
  }
});

test('a start without the line of a stored secret fails, and an app that no account names does not count', async () => {
  const person = await anEnrolledPerson(app.url);
  const environment = {
    NODE_ENV: 'test',
    PORT: '0',
    MONGODB_URI: app.database.uri,
    STORAGE_DIR: app.storageDir,
  };
  for (const settings of [{}, { TWO_FACTOR_SECRET: SECOND }]) {
    expect(await failedStart({ ...environment, ...settings })).toContain('TWO_FACTOR_SECRET lacks a line');
  }
  await app.database.accounts.updateOne({ _id: person.id }, { $unset: { factors: true } });
  const started = failedStart({ ...environment, TWO_FACTOR_SECRET: SECOND });
  await expect(started).rejects.toThrow('the app has started');
});

test('a policy without a secret is refused by the start', async () => {
  const environment = {
    NODE_ENV: 'test',
    PORT: '0',
    MONGODB_URI: app.database.uri,
    TWO_FACTOR_REQUIRED: 'doctor',
  };
  expect(await failedStart(environment)).toContain('TWO_FACTOR_REQUIRED needs TWO_FACTOR_SECRET');
});

test('a secret that cannot be decrypted is never no second factor', async () => {
  const person = await anEnrolledPerson(app.url);
  const { secret } = await appOf(person);
  for (const stored of ['', 'v1.AAAA.AAAA', String(secret).slice(0, -2), null]) {
    await factors().updateOne({ accountId: person.id, kind: 'app' }, { $set: { secret: stored as string } });
    const refused = await login(person, { code: codeAt(person.secretKey) });
    expect([refused.http.status, refused.ok]).toEqual([503, false]);
    expect(await login(person)).toMatchObject({ message: TEXTS.required });
  }
  // What could not be decided does not count as a wrong code.
  expect(await appOf(person)).toMatchObject({ wrong: 0 });
  // The secret of somebody else does not fit, either.
  const stranger = await anEnrolledPerson(app.url);
  const { secret: strange } = await appOf(stranger);
  await factors().updateOne({ accountId: person.id, kind: 'app' }, { $set: { secret: String(strange) } });
  expect((await login(person, { code: codeAt(stranger.secretKey) })).http.status).toBe(503);
  const recoveryCode = person.recoveryCodes[0];
  done(await login(person, { recoveryCode }));
});

test.each<unknown>([
  {},
  { app: null, codes: null },
  { app: 'none', codes: 'none' },
  { app: { $gt: '' }, codes: [] },
  [],
  '',
  'app',
  0,
  false,
  true,
])('an account with %j for its second factors has no login by the password alone', async (stored) => {
  const person = await aStoredPerson(app.database);
  await app.database.accounts.updateOne({ _id: person.id }, { $set: { factors: stored as never } });
  for (const proof of [{}, { code: '000000' }, { recoveryCode: 'none' }]) {
    const refused = await login(person, proof);
    expect([refused.http.status, refused.ok]).toEqual([503, false]);
  }
  const act = byRest(app.url);
  for (const name of ['stepUp', 'enableTwoFactor', 'disableTwoFactor'] as const) {
    expect((await act(name, { password: person.password }, person.token)).http.status).toBe(503);
  }
  expect(await accountOf(app.url, person.token)).toMatchObject({ id: person.id });
});
