import { rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run as runStorageSweep } from '../../src/cli/sweep.ts';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient, EMPTY_PROFILE } from '../support/people.ts';
import { collectOutputs, runProgram } from '../support/program.ts';
import { restApi } from '../support/rest-api.ts';
import { inventoryOf, testClock, useTestApp } from '../support/test-app.ts';
import { allFiles, everythingIn, letTwoHoursPass, settingsOf, sweep } from './support/aftermath.ts';

// src/auth/registration.ts: what no account owns and is over an hour old goes;
// everything else stays.
const app = useTestApp();

// The next test begins with nothing.
afterEach(async () => {
  const { accounts, profiles, tokens } = app.database;
  for (const file of await allFiles(app.storageDir)) {
    await rm(path.join(app.storageDir, file));
  }
  await Promise.all([accounts, profiles, tokens].map((collection) => collection.deleteMany({})));
});

const NAME = 'n'.repeat(40);
const NOTHING = { documents: [], accounts: 0, profiles: 0, tokens: 0, files: [] };

/** One of everything that a crash may leave behind. */
async function leaveOrphans(id: string, createdAt = new Date()) {
  const { database, storageDir } = app;
  const documents = ['licenses', 'diplomas', 'certifications'].map(
    (group) => `${group}/${id}${NAME.slice(id.length)}.pdf`,
  );
  const [licenseFilePath = '', diplomaFilePath = '', certificationFilePath = ''] = documents;
  const files = [`.quarantine/${id}`, ...documents];
  for (const file of files) {
    await writeFile(path.join(storageDir, file), 'orphan');
    await utimes(path.join(storageDir, file), createdAt, createdAt);
  }
  await database.profiles.insertOne({
    ...{ _id: id, specialization: '', licenseNumber: '', ...EMPTY_PROFILE, createdAt },
    ...{ licenseFilePath, diplomaFilePath, certificationFilePath },
  });
  await database.tokens.insertOne({
    ...{ _id: `token-of-${id}`, accountId: id, name: 'doctor-token', secretHash: '', abilities: null },
    ...{ createdAt, lastUsedAt: null, expiresAt: null, idleExpiresAt: null },
  });
  return [
    { kind: 'upload', id: path.join(storageDir, `.quarantine/${id}`) },
    { kind: 'access token', id: `token-of-${id}` },
    { kind: 'profile', id },
    ...documents.map((document) => ({ kind: 'document', id: document })),
  ];
}

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);

test('the sweep removes everything that no account owns and nothing else', async () => {
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  expect((await restApi(app.url).registerPatient(aPatient())).ok).toBe(true);
  const owned = await everythingIn(app);
  const orphans = await leaveOrphans('a');
  await letTwoHoursPass(app);
  expect((await sweep(app)).sort(byId)).toEqual(orphans.sort(byId));
  expect(await everythingIn(app)).toEqual(owned);
  expect((await send(profile.licenseFileUrl)).status).toBe(200);
  expect(await sweep(app)).toEqual([]);
});

test('the sweep keeps everything that is less than an hour old', async () => {
  await leaveOrphans('a', new Date(Date.now() - 3_500_000));
  const before = await everythingIn(app);
  expect(await sweep(app)).toEqual([]);
  expect(await everythingIn(app)).toEqual(before);
});

test('a dry run lists the orphans and removes nothing', async () => {
  const orphans = await leaveOrphans('a');
  await letTwoHoursPass(app);
  const before = await everythingIn(app);
  expect((await sweep(app, { dryRun: true })).sort(byId)).toEqual(orphans.sort(byId));
  expect(await everythingIn(app)).toEqual(before);
});

/** So many orphans of one age. */
const leaveMany = (length: number, createdAt = new Date(Date.now() - 7_200_000)) =>
  Promise.all(Array.from({ length }, (_, i) => leaveOrphans(`a${i}`, createdAt)));

test('simultaneous sweeps of several instances remove everything once, and none fails', async () => {
  await leaveMany(20);
  await Promise.all([sweep(app), sweep(app), sweep(app)]);
  expect(await everythingIn(app)).toEqual(NOTHING);
});

test('the sweep finds more orphans than fit into one batch, also those of one age or account', async () => {
  const orphans = await leaveMany(230);
  expect((await sweep(app, { dryRun: true })).sort(byId)).toEqual(orphans.flat().sort(byId));
});

test('the sweep removes nothing if most of the storage would go', async () => {
  await leaveMany(101);
  const before = await inventoryOf(app);
  await expect(sweep(app)).rejects.toThrow('101 of 101 access tokens belong to no account');
  expect(await inventoryOf(app)).toEqual(before);
  await sweep(app, { force: true });
  expect(await everythingIn(app)).toEqual(NOTHING);
});

test('the sweep keeps foreign files, folders and links', async () => {
  for (const name of ['.gitkeep', 'notes.txt', `${NAME}.pdf.bak`]) {
    await writeFile(path.join(app.storageDir, 'licenses', name), 'not ours');
  }
  const link = path.join(app.storageDir, 'licenses', `${NAME}.pdf`);
  await symlink('/etc/hostname', link);
  await letTwoHoursPass(app);
  const before = await everythingIn(app);
  expect(await sweep(app)).toEqual([]);
  expect(await everythingIn(app)).toEqual(before);
  await rm(link);
});

test('the hourly sweep removes nothing that is new, even if the clock was set ahead', async () => {
  const hourMillis = 3_600_000;
  await leaveOrphans('a', new Date(testClock.now() + 1));
  const before = await everythingIn(app);
  const sweepsOver = (count: number) =>
    eventually(() => expect(app.log.join('').split('the sweep ')).toHaveLength(count + 1));

  testClock.move(2 * hourMillis);
  await testClock.advance(hourMillis);
  await sweepsOver(2);
  expect(await everythingIn(app)).toEqual(before);
  await testClock.advance(hourMillis);
  await sweepsOver(3);
  expect((await everythingIn(app)).files).toEqual([]);
});

/** Runs `auth-gateway sweep …` in this process. */
const sweepCommand = (words: string[], settings = settingsOf(app)) =>
  collectOutputs((outputs) => runStorageSweep(words, () => settings, outputs));

test('auth-gateway sweep lists orphans with --dry-run and removes them without it', async () => {
  await leaveOrphans('a');
  await letTwoHoursPass(app);
  const dryRun = await sweepCommand(['--dry-run']);
  expect(dryRun).toMatchObject({ code: 0, stderr: '' });
  expect(dryRun.stdout).toMatch(/^document licenses\/an{39}\.pdf$/m);
  expect(dryRun.stdout).toMatch(/^Would remove: 1 uploads, 1 access tokens, 1 profiles, 3 documents\n$/m);
  const swept = await runProgram('auth-gateway.js', ['sweep'], settingsOf(app));
  expect(swept.stdout).toMatch(/^Removed: 1 uploads, 1 access tokens, 1 profiles, 3 documents\n$/m);
  expect(await sweepCommand([])).toMatchObject({ code: 0, stdout: 'Removed: nothing\n' });
});

test('auth-gateway sweep reports wrong settings', async () => {
  const { code, stderr } = await sweepCommand([], { ...settingsOf(app), PORT: 'x' });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('PORT') });
});
