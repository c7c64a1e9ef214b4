import { randomUUID } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { BackupSettings } from '../database/backups.ts';
import type { DatabaseConfig } from '../database/server.ts';
import type { AwsEnvironment } from '../documents/s3/credential-sources.ts';
import type { S3Settings } from '../documents/s3/s3-document-store.ts';
import { SettingsReader } from './settings-reader.ts';

/** The key for the URLs of documents, and their lifetime. */
export interface DocumentSigning {
  secret: string;
  /** URLs that other instances have signed with these are valid, too. */
  otherSecrets: readonly string[];
  lifetimeSeconds: number;
}

/** What `npm run legacy` needs besides its command line. */
export interface LegacySettings {
  /** The address of the legacy service's database, with its password; undefined if it is not set. */
  databaseUrl: string | undefined;
  /** The folder for the reports of its runs. */
  reportsDir: string;
}

const DATA_DIR = '.data';
const STORAGE_DIR = 'storage';
/** Instead of a folder: nothing is kept when the process ends. */
const MEMORY = ':memory:';

const readDataDir = (read: SettingsReader): string => path.resolve(read.text('DATA_DIR', DATA_DIR));

const isInMemory = (read: SettingsReader): boolean => read.text('DATA_DIR', DATA_DIR) === MEMORY;

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

/** The folder of the documents, and whether it goes with the process: so it does in memory, unless STORAGE_DIR is set. */
export function readStorageDir(read: SettingsReader): { storageDir: string; isStorageTemporary: boolean } {
  if (isInMemory(read) && read.text('STORAGE_DIR', '') === '') {
    const name = `auth-gateway-${randomUUID()}`;
    return { storageDir: path.join(tmpdir(), name), isStorageTemporary: true };
  }
  return { storageDir: path.resolve(read.text('STORAGE_DIR', STORAGE_DIR)), isStorageTemporary: false };
}

const HOUR_MILLIS = 3_600_000;

/** @returns undefined if no backups are made */
export function readBackup(read: SettingsReader, database: DatabaseConfig): BackupSettings | undefined {
  const text = read.text('BACKUP_DIR', '');
  const everyHours = read.integer('BACKUP_EVERY_HOURS', { min: 1, max: 8760, fallback: 24 });
  const keep = read.integer('BACKUP_KEEP', { min: 1, max: 1000, fallback: 7 });
  if (text === '') {
    return undefined;
  }
  const dir = path.resolve(text);
  const problem = problemOfBackupDir(dir, database, path.resolve(read.text('STORAGE_DIR', STORAGE_DIR)));
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
  const way = path.relative(folder, dir);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** @returns undefined for documents on the local disk */
export function readS3(read: SettingsReader): S3Settings | undefined {
  const isS3 = read.choice('DOCUMENT_STORE', ['local', 's3'], 'local') === 's3';
  const accessKeyId = read.secret('S3_ACCESS_KEY_ID');
  const secretAccessKey = read.secret('S3_SECRET_ACCESS_KEY');
  const settings = {
    bucket: read.text('S3_BUCKET', ''),
    region: read.text('S3_REGION', 'us-east-1'),
    endpoint: read.httpUrl('S3_ENDPOINT'),
    credentials: accessKeyId === '' ? { aws: readAws(read) } : { accessKeyId, secretAccessKey },
    pathStyle: read.toggle('S3_PATH_STYLE', false),
    delivery: read.choice('S3_DELIVERY', ['stream', 'redirect'], 'stream'),
  };
  if (!isS3) {
    return undefined;
  }
  if (settings.bucket === '') {
    read.problem('S3_BUCKET', 'must be set for DOCUMENT_STORE=s3');
  }
  if ((accessKeyId === '') !== (secretAccessKey === '')) {
    const [id, secret] = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
    const [missing, present] = accessKeyId === '' ? [id, secret] : [secret, id];
    read.problem(missing, `must be set with ${present}`);
  }
  return settings;
}

/** Where the containers of ECS find their credentials, and the machines of EC2 theirs. */
const CONTAINER_HOST = 'http://169.254.170.2';
const METADATA_HOST = 'http://169.254.169.254';

/**
 * The variables that Amazon's programs and platforms set, by their names.
 * https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
 */
function readAws(read: SettingsReader): AwsEnvironment {
  const text = (key: string) => read.text(key, '') || undefined;
  const relative = text('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const isDisabled = read.text('AWS_EC2_METADATA_DISABLED', '').toLowerCase() === 'true';
  return {
    accessKeyId: text('AWS_ACCESS_KEY_ID'),
    secretAccessKey: text('AWS_SECRET_ACCESS_KEY'),
    sessionToken: text('AWS_SESSION_TOKEN'),
    profile: text('AWS_PROFILE'),
    sharedFile: text('AWS_SHARED_CREDENTIALS_FILE') ?? path.join(homedir(), '.aws', 'credentials'),
    roleArn: text('AWS_ROLE_ARN'),
    roleSessionName: text('AWS_ROLE_SESSION_NAME'),
    webIdentityTokenFile: text('AWS_WEB_IDENTITY_TOKEN_FILE'),
    stsEndpoint: read.httpUrl('AWS_ENDPOINT_URL_STS'),
    containerUri: relative ? `${CONTAINER_HOST}${relative}` : text('AWS_CONTAINER_CREDENTIALS_FULL_URI'),
    containerToken: text('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
    containerTokenFile: text('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
    metadataEndpoint: isDisabled
      ? undefined
      : (read.httpUrl('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? METADATA_HOST),
  };
}

/** RFC 2104 section 3: a key shorter than the hash is weaker than the hash. */
const MIN_SECRET_CHARACTERS = 32;

/** A check of a URL costs one hash for each. */
const MAX_URL_SECRETS = 10;

/** @returns undefined if everyone who knows the URL of a document can read it */
export function readDocumentSigning(read: SettingsReader): DocumentSigning | undefined {
  const isSigned = read.choice('DOCUMENT_ACCESS', ['public', 'signed'], 'public') === 'signed';
  const [secret = '', ...otherSecrets] = read.secretLines('DOCUMENT_URL_SECRET');
  const lifetimeSeconds = read.integer('DOCUMENT_URL_SECONDS', { min: 1, max: 604_800, fallback: 3600 });
  if (!isSigned) {
    return undefined;
  }
  if (otherSecrets.length >= MAX_URL_SECRETS) {
    read.problem('DOCUMENT_URL_SECRET', `must have at most ${MAX_URL_SECRETS} lines`);
  }
  if ([secret, ...otherSecrets].some(({ length }) => length < MIN_SECRET_CHARACTERS)) {
    read.problem(
      'DOCUMENT_URL_SECRET',
      `must be at least ${MIN_SECRET_CHARACTERS} characters for DOCUMENT_ACCESS=signed`,
    );
  }
  return { secret, otherSecrets, lifetimeSeconds };
}
