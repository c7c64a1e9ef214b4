import path from 'node:path';
import type { BackupSettings } from '../database/backups.ts';
import type { DatabaseConfig } from '../database/server.ts';
import { SettingsReader } from './settings-reader.ts';

/** What `auth-gateway legacy` needs besides its command line. */
export interface LegacySettings {
  /** The address of the legacy service's database, with its password; undefined if it is not set. */
  databaseUrl: string | undefined;
  /** The folder for the reports of its runs. */
  reportsDir: string;
}

const DATA_DIR = '.data';
/** Instead of a folder: nothing is kept when the process ends. */
const MEMORY = ':memory:';

const readDataDir = (read: SettingsReader): string => path.resolve(read.text('DATA_DIR', DATA_DIR));

/** True if nothing is kept when the process ends. */
export const isInMemory = (read: SettingsReader): boolean => read.text('DATA_DIR', DATA_DIR) === MEMORY;

/**
 * The folder of the embedded database, for programs that need no other setting. Other settings may be wrong.
 * @throws ConfigError if the database is in memory, where no other process can reach it
 */
export function dataFolderOf(environment: Readonly<Record<string, string | undefined>>): string {
  const read = new SettingsReader(environment);
  if (isInMemory(read)) {
    read.problem(
      'DATA_DIR',
      'is :memory:, so only the gateway itself has its data. Set it to a folder, or give --path FOLDER',
    );
  }
  read.refuseProblems();
  return readDataDir(read);
}

/**
 * The address in MONGODB_URI, for a program that needs no other setting; undefined if it is not set.
 * @throws ConfigError
 */
export function mongodbUriOf(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const read = new SettingsReader(environment);
  const uri = readMongodbUri(read);
  read.refuseProblems();
  return uri || undefined;
}

/** The commands check the address: no other program uses it. */
export const readLegacy = (read: SettingsReader): LegacySettings => ({
  databaseUrl: read.secret('LEGACY_DATABASE_URL') || undefined,
  reportsDir: path.join(readDataDir(read), 'legacy'),
});

/** The database of the accounts. Without MONGODB_URI it is the embedded engine, in production only with EMBEDDED_DATABASE. */
export function readDatabase(read: SettingsReader, isProduction: boolean): DatabaseConfig {
  const uri = readMongodbUri(read);
  if (isInMemory(read)) {
    return readMemory(read, uri, isProduction);
  }
  const dataDir = readDataDir(read);
  const isAllowed = read.choice('EMBEDDED_DATABASE', ['allow', ''], '') === 'allow';
  if (uri !== '') {
    return { kind: 'mongodb', uri };
  }
  if (isProduction && !isAllowed) {
    read.problem('MONGODB_URI', 'must be set in production (or EMBEDDED_DATABASE=allow)');
  }
  return { kind: 'embedded', dataDir };
}

function readMongodbUri(read: SettingsReader): string {
  const uri = read.secret('MONGODB_URI');
  if (uri === '' || /^mongodb(\+srv)?:\/\/[^/]/.test(uri)) {
    return uri;
  }
  read.problem('MONGODB_URI', 'must be a mongodb:// or mongodb+srv:// address');
  return '';
}

function readMemory(read: SettingsReader, uri: string, isProduction: boolean): DatabaseConfig {
  if (isProduction) {
    read.problem(
      'DATA_DIR',
      'must not be :memory: in production, where all accounts would be gone after a restart',
    );
  } else if (uri !== '') {
    read.problem('DATA_DIR', 'must not be :memory: if MONGODB_URI is set');
  }
  return { kind: 'memory' };
}

const HOUR_MILLIS = 3_600_000;

/** @returns undefined if no backups are made */
export function readBackup(
  read: SettingsReader,
  database: DatabaseConfig,
  storageDir: string,
): BackupSettings | undefined {
  const text = read.text('BACKUP_DIR', '');
  const everyHours = read.integer('BACKUP_EVERY_HOURS', { min: 1, max: 8760, fallback: 24 });
  const keep = read.integer('BACKUP_KEEP', { min: 1, max: 1000, fallback: 7 });
  if (text === '') {
    return undefined;
  }
  const dir = path.resolve(text);
  const problem = problemOfBackupDir(dir, database, storageDir);
  if (problem !== undefined) {
    read.problem('BACKUP_DIR', problem);
  }
  return { dir, everyMillis: everyHours * HOUR_MILLIS, keep };
}

function problemOfBackupDir(dir: string, database: DatabaseConfig, storageDir: string): string | undefined {
  if (database.kind === 'mongodb') {
    return 'is for the embedded database, and MONGODB_URI is set: back up a MongoDB with mongodump';
  }
  if (database.kind === 'memory') {
    return 'must not be set with DATA_DIR=:memory:, which keeps nothing (back up a MongoDB with mongodump)';
  }
  if (isIn(dir, database.dataDir)) {
    return 'must not be in DATA_DIR: what destroys the database would destroy its backups, too';
  }
  return isIn(dir, storageDir) ? 'must not be in STORAGE_DIR, which is for documents' : undefined;
}

/** True if it is the folder, or below it. */
function isIn(dir: string, folder: string): boolean {
  const relative = path.relative(folder, dir);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
