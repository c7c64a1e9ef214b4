import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { openStorage } from '../../../src/app/storage.ts';
import type { Swept } from '../../../src/auth/sweep/sweep.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { LONG_LIMITS, type TestDatabase } from '../../support/database.ts';
import { inventoryOf, type TestApp } from '../../support/test-app.ts';

/** Where an app keeps things; a {@link TestApp} is one. */
export type Storage = Pick<TestApp, 'database' | 'storageDir'>;

const TWO_HOURS_MILLIS = 7_200_000;

/** The settings that make another process work on the same storage. */
export const settingsOf = ({ database, storageDir }: Storage): Record<string, string> => ({
  NODE_ENV: 'test',
  MONGODB_URI: database.uri,
  STORAGE_DIR: storageDir,
  BCRYPT_COST: '4',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'silent',
  PORT: '0',
});

/** The configuration of another app on the same storage. */
export const configOn = (storage: Storage, settings: Record<string, string> = {}): Config => ({
  ...readConfig({ ...settingsOf(storage), ...settings }),
  databaseLimits: LONG_LIMITS,
});

/** The files of a folder, relative to it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => path.relative(folder, path.join(file.parentPath, file.name))).sort();
}

const OWN_FILES = /(?:^|\/)\.(?:store-id$|trash\/)/;

/** Every file in the storage folder but its id and those in the trash. Those in quarantine are included. */
export const allFiles = async (storageDir: string): Promise<string[]> =>
  (await filesBelow(storageDir)).filter((file) => !OWN_FILES.test(file));

/** Lets everything that is stored now be two hours old. What is just being cleared away may go meanwhile. */
export async function letTwoHoursPass({ database, storageDir }: Storage): Promise<void> {
  const past = new Date(Date.now() - TWO_HOURS_MILLIS);
  for (const file of await allFiles(storageDir)) {
    await utimes(path.join(storageDir, file), past, past).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') {
        throw error;
      }
    });
  }
  await database.profiles.updateMany({}, { $set: { createdAt: past } });
  await database.tokens.updateMany({}, { $set: { createdAt: past } });
}

/** What the gateway does by itself at its start and every hour. */
export async function sweep(
  storage: Storage,
  options: { dryRun?: boolean; force?: boolean } = {},
): Promise<Swept[]> {
  const opened = await openStorage(configOn(storage), systemClock);
  const { removed } = await opened.sweep.run(options).finally(opened.close);
  return removed;
}

/** Everything there is, quarantine included. */
export const everythingIn = async (storage: Storage) => ({
  ...(await inventoryOf(storage as TestApp)),
  files: await allFiles(storage.storageDir),
});

/**
 * Checks that a registration which failed left nothing that a caller can see, and after the sweep nothing at all.
 * @param email the one that it was to have
 * @param before what there was before it
 */
export async function expectNothingAfterSweep(
  storage: Storage,
  email: string,
  before: Awaited<ReturnType<typeof everythingIn>>,
): Promise<void> {
  expect(await accountWith(storage.database, email)).toBeNull();
  await letTwoHoursPass(storage);
  await sweep(storage);
  expect(await everythingIn(storage)).toEqual(before);
}

export const accountWith = ({ accounts }: TestDatabase, email: string) =>
  accounts.findOne({ emailKey: email.toLowerCase() });
