import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStorage } from '../../src/app/storage.ts';
import { scheduleSweep } from '../../src/auth/sweep/sweep.ts';
import { run as runStorageSweep } from '../../src/cli/sweep.ts';
import { systemClock } from '../../src/system/clock.ts';
import { createLog } from '../../src/system/log.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { closeErasers, openEraser } from '../support/privacy.ts';
import { collectOutputs } from '../support/program.ts';
import { restApi } from '../support/rest-api.ts';
import { createTestApp, type TestApp, testClock } from '../support/test-app.ts';
import { configOn, filesBelow, settingsOf } from './support/aftermath.ts';
import { LOCAL, s3Store } from './support/stores.ts';

// src/auth/sweep/pairing.ts: to another database all documents look like orphans.

const DAY_MILLIS = 86_400_000;

afterEach(closeErasers);

describe.each([LOCAL, s3Store('an S3 server')])('with documents on $name', (kind) => {
  let settings: Record<string, string>;
  let app: TestApp;
  /** Without accounts, such as that of an empty DATA_DIR. */
  let empty: TestDatabase;
  /** The id of the store, which belongs to the database of the app. */
  let storeId: string;
  beforeAll(async () => {
    settings = await kind.start();
    [app, empty] = await Promise.all([createTestApp(settings), openTestDatabase()]);
    storeId = await readFile(idFile(), 'utf8');
  });
  // The next test begins with nothing.
  afterEach(async () => {
    for (const file of await filesBelow(root())) {
      await rm(path.join(root(), file));
    }
    await writeFile(idFile(), storeId);
    const { accounts, profiles, db } = app.database;
    await Promise.all([accounts, profiles, empty.accounts].map((each) => each.deleteMany({})));
    await db.collection('swept_profiles').deleteMany({});
  });
  afterAll(async () => {
    await empty.drop();
    await app.stop();
    await kind.stop();
  });

  const root = () => {
    const folder = kind.folder();
    return folder === undefined ? app.storageDir : path.join(folder, 'documents');
  };
  const idFile = () => path.join(root(), '.store-id');
  const storedDocuments = async () => (await filesBelow(root())).filter((file) => /^[a-z]/.test(file));
  const trashed = async () => (await filesBelow(root())).filter((file) => file.startsWith('.trash/'));

  const profileOf = (_id: string) => app.database.profiles.findOne({ _id });

  const register = async () => registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));

  /** Makes all files of the store as old as this. */
  async function setAge(millis: number): Promise<void> {
    const then = new Date(Date.now() - millis);
    for (const file of await filesBelow(root())) {
      await utimes(path.join(root(), file), then, then);
    }
  }

  /** Registers doctors, whose documents were stored two days ago. */
  async function registerAll() {
    const doctors = await Promise.all([register(), register(), register()]);
    await setAge(2 * DAY_MILLIS);
    return doctors;
  }

  /** The sweep of a gateway at its start. @returns its log */
  async function startOn(database: TestDatabase): Promise<string> {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const { sweep, close } = await openStorage(configOn({ ...app, database }, settings), testClock);
    const { first, stop } = scheduleSweep(sweep, testClock, log);
    await first;
    await stop();
    await close();
    return lines.join('');
  }

  /** Runs `auth-gateway sweep …` in this process. */
  const command = (words: string[], database: TestDatabase = app.database) =>
    collectOutputs((outputs) =>
      runStorageSweep(words, () => ({ ...settingsOf({ ...app, database }), ...settings }), outputs),
    );

  /** Removes a doctor from the database, as an older state of it does not have them. @returns a function that brings it back */
  async function forget(_id: string): Promise<() => Promise<unknown>> {
    const rememberAccount = await forgetAccount(_id);
    const profiles = await app.database.profiles.find({ _id }).toArray();
    await app.database.profiles.deleteOne({ _id });
    return () => Promise.all([rememberAccount(), app.database.profiles.insertMany(profiles)]);
  }

  /** Removes only the account, as if the restore of a dump were half done. */
  async function forgetAccount(_id: string): Promise<() => Promise<unknown>> {
    const { accounts, profiles } = app.database;
    const stored = await accounts.find({ _id }).toArray();
    await accounts.deleteOne({ _id });
    await profiles.updateOne({ _id }, { $set: { createdAt: new Date(Date.now() - 2 * DAY_MILLIS) } });
    return () => accounts.insertMany(stored);
  }

  /** As a release without ids leaves the store. */
  const removeId = () => rm(idFile());

  test('documents that an older database does not have go to the trash and come back with the newer one', async () => {
    const [{ account, profile }] = await registerAll();
    const before = await storedDocuments();
    const remember = await forget(account.id);
    await startOn(app.database);
    expect(await storedDocuments()).toHaveLength(before.length - 3);
    expect(await trashed()).toHaveLength(3);
    expect((await send(profile.licenseFileUrl)).status).toBe(404);
    const [name = ''] = await trashed();
    expect((await send(`${app.url}/storage/${name}`)).status).toBe(404);

    await remember();
    expect(await startOn(app.database)).toContain('"restored":{"document":3}');
    expect(await storedDocuments()).toEqual(before);
    expect(await trashed()).toEqual([]);
    expect((await send(profile.licenseFileUrl)).status).toBe(200);
  });

  test('the trash keeps documents for 30 days', async () => {
    const [{ account }] = await registerAll();
    await forget(account.id);
    await startOn(app.database);
    await setAge(30 * DAY_MILLIS - 600_000);
    await startOn(app.database);
    expect(await trashed()).toHaveLength(3);
    await setAge(30 * DAY_MILLIS + 600_000);
    await startOn(app.database);
    expect(await trashed()).toEqual([]);
    expect(await storedDocuments()).toHaveLength(6);
  });

  test('an erasure leaves nothing of the account in the trash', async () => {
    const [{ account }] = await registerAll();
    const remember = await forgetAccount(account.id);
    await startOn(app.database);
    await remember();
    expect(await trashed()).toHaveLength(3);
    const { erasure } = await openEraser(app, testClock, settings);
    const actor = { channel: 'admin', ip: '', requestId: 'r', userAgent: undefined } as const;
    expect(await erasure.eraseNow(account.id, actor)).toBe(true);
    expect(await trashed()).toEqual([]);
    expect(await app.database.db.collection('swept_profiles').countDocuments()).toBe(0);
    expect(await profileOf(account.id)).toBeNull();
    expect(await storedDocuments()).toHaveLength(6);
  });

  test('instances that start at the same time on an empty store give it one id', async () => {
    await removeId();
    const opened = await Promise.all([1, 2, 3].map(() => openStorage(configOn(app, settings), systemClock)));
    expect((await readFile(idFile(), 'utf8')).trim()).toBe(opened[0]?.databaseId);
    for (const { sweep } of opened) {
      expect(await sweep.pairing.obstacle()).toBeUndefined();
    }
    await Promise.all(opened.map(({ close }) => close()));
  });

  // What follows asks no more of a store than the tests above and those of stores.test.ts.
  if (kind !== LOCAL) {
    return;
  }

  test('a start with an empty database removes no document and says why in one sentence', async () => {
    await registerAll();
    const before = await filesBelow(root());
    const log = await startOn(empty);
    expect(log.split('\n').filter((line) => line.includes('the sweep'))).toEqual([
      expect.stringContaining('removes nothing, because the document store belongs to another database'),
    ]);
    expect(await filesBelow(root())).toEqual(before);
    expect(await startOn(app.database)).not.toContain('the sweep');
  });

  test('a start with another database that has documents of its own removes no document', async () => {
    await registerAll();
    const other = await createTestApp({}, () => empty.uri);
    registeredDoctor(await restApi(other.url).registerDoctor(aDoctor()));
    const before = await filesBelow(root());
    const log = await startOn(empty).finally(other.stop);
    expect(log).toContain('the document store belongs to another database');
    expect(await filesBelow(root())).toEqual(before);
  });

  test('auth-gateway sweep --restore brings back what the store does not have, and overwrites nothing', async () => {
    const [{ account }] = await registerAll();
    const before = await storedDocuments();
    await forget(account.id);
    expect((await command([])).stdout).toContain('3 documents');
    const [first = ''] = await trashed();
    const inPlace = path.join(root(), first.slice('.trash/'.length));
    await writeFile(inPlace, 'another content');
    const { code, stdout } = await command(['--restore']);
    expect(code).toBe(0);
    expect(stdout).toContain('Back from the trash: 2 documents');
    expect(await storedDocuments()).toEqual(before);
    expect(await readFile(inPlace, 'utf8')).toBe('another content');
    // They count as new, so that an operator has the time to act.
    expect((await command([])).stdout).toContain('Removed: nothing');
  });

  test('a profile whose account is missing comes back with it, and so do its documents', async () => {
    const [{ account, profile }] = await registerAll();
    const remember = await forgetAccount(account.id);
    const stored = await profileOf(account.id);
    await startOn(app.database);
    expect(await profileOf(account.id)).toBeNull();
    expect((await command(['--restore'])).stdout).toContain('Back from the trash: 3 documents');
    await setAge(2 * DAY_MILLIS);
    await startOn(app.database);

    await remember();
    expect(await startOn(app.database)).toContain('"restored":{"profile":1,"document":3}');
    expect(await profileOf(account.id)).toEqual(stored);
    expect(await app.database.db.collection('swept_profiles').countDocuments()).toBe(0);
    expect((await send(profile.licenseFileUrl)).status).toBe(200);
  });

  test('a store of a release without ids gets that of the database whose accounts own the documents', async () => {
    await registerAll();
    await removeId();
    const before = await storedDocuments();
    expect(await startOn(empty)).toContain('9 of 9 documents belong to no account of this database');
    expect(await storedDocuments()).toEqual(before);
    expect(await startOn(app.database)).not.toContain('the sweep');
    expect(await readFile(idFile(), 'utf8')).toBe(storeId);
    expect(await startOn(empty)).toContain('the document store belongs to another database');
    expect(await storedDocuments()).toEqual(before);
  });

  test('a store without an id keeps its documents if many of them belong to no account, until it is adopted', async () => {
    const [{ account }] = await registerAll();
    await removeId();
    await forget(account.id);
    const dryRun = await command(['--dry-run']);
    expect(dryRun.stdout).toContain('But the sweep removes nothing, because the document store has no id');
    expect(await command([])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('3 of 9 documents belong to no account of this database'),
    });
    const adopted = await command(['--adopt']);
    expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining('Of 9 documents, 3 belong') });
    expect((await command([])).stdout).toContain('3 documents');
    expect(await trashed()).toHaveLength(3);
  });

  test('a database without any of the documents adopts the store only with --force', async () => {
    await registerAll();
    expect(await command(['--adopt'], empty)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('none of the 9 documents'),
    });
    expect(await startOn(app.database)).not.toContain('the sweep');
    expect(await command(['--adopt', '--force'], empty)).toMatchObject({ code: 0 });
    expect(await startOn(app.database)).toContain('the document store belongs to another database');
  });
});

const noSettings = () => {
  throw new Error('The settings were read.');
};

test.each([
  [
    '--restore and --adopt exclude',
    ['--restore', '--adopt'],
    '--dry-run, --restore and --adopt exclude each other.',
  ],
  ['a misspelt option', ['--dryrun'], 'There is no option --dryrun. Did you mean --dry-run?'],
  ['a word', ['restore'], 'There are only options.'],
])('auth-gateway sweep refuses a wrong command line: %s', async (_, words, problem) => {
  const result = await collectOutputs((outputs) => runStorageSweep(words, noSettings, outputs));
  const stderr = `auth-gateway sweep: ${problem}\nSee auth-gateway sweep --help\n`;
  expect(result).toEqual({ code: 2, stdout: '', stderr });
});

test('the help of auth-gateway sweep has every option, and needs no settings', async () => {
  const { code, stdout, stderr } = await collectOutputs((outputs) =>
    runStorageSweep(['--help'], noSettings, outputs),
  );
  expect([code, stderr]).toEqual([0, '']);
  for (const option of ['--dry-run', '--restore', '--adopt', '--force']) {
    expect(stdout).toContain(`  ${option} `);
  }
});
