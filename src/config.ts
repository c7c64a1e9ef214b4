import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { loadEnvFile } from 'node:process';
import type { ThrottleLimits } from './auth/login-throttle.ts';
import type { DatabaseConfig } from './database/open-database.ts';
import type { DocumentCheck } from './documents/document-types.ts';
import type { S3Settings } from './documents/s3-document-store.ts';
import { REQUEST_DEADLINES, type RequestDeadlines } from './http/server.ts';
import { SettingsReader } from './settings-reader.ts';

/** Everything that an operator can set, checked and in its final form. README.md has the table. */
export interface Config {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Without a slash at the end; undefined means the address that the server listens on. */
  baseUrl: string | undefined;
  database: DatabaseConfig;
  storageDir: string;
  bcryptCost: number;
  /** How many passwords are hashed at a time. */
  hashConcurrency: number;
  passwordMinBytes: number;
  tokenPrefix: string;
  maxFileBytes: number;
  /** How long the body of an upload may take. */
  uploadTimeoutMillis: number;
  /** How long the sender of an upload may send next to nothing. */
  uploadStallMillis: number;
  documentCheck: DocumentCheck;
  /** undefined: documents are kept below `storageDir`. */
  s3: S3Settings | undefined;
  /** undefined: documents are public to whoever knows their URL. */
  documentSigning: { secret: string; lifetimeSeconds: number } | undefined;
  rateLimit: ThrottleLimits;
  /** Express's `trust proxy`: whose X-Forwarded-For counts. */
  trustProxy: boolean | number | string;
  /** Whose pages may call from scripts, as browsers name them; none by default. */
  corsOrigins: readonly string[];
  /** No setting: what is slow beyond these is not a client. */
  deadlines: RequestDeadlines;
  introspection: boolean;
  /** Whether there are pages for people: `/`, GraphiQL and the documentation. */
  pages: boolean;
  logLevel: string;
  stopGraceMillis: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process, in development with what `.env` adds to it. */
export function loadEnvironment(): Environment {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

/**
 * Reads all settings.
 * @param environment key and text, as in `process.env`
 * @throws ConfigError that names every problem by its key
 */
export function readConfig(environment: Environment): Config {
  const read = new SettingsReader(environment);
  const mode = read.choice('NODE_ENV', ['development', 'production', 'test'], 'development');
  const isProduction = mode === 'production';
  const config = {
    host: read.text('HOST', isProduction ? '0.0.0.0' : '127.0.0.1'),
    port: read.integer('PORT', { min: 0, max: 65_535, fallback: 4000 }),
    baseUrl: read.httpUrl('BASE_URL'),
    database: readDatabase(read, isProduction),
    storageDir: path.resolve(read.text('STORAGE_DIR', 'storage')),
    bcryptCost: read.integer('BCRYPT_COST', { min: 4, max: 20, fallback: 12 }),
    hashConcurrency: readHashConcurrency(read),
    passwordMinBytes: read.integer('PASSWORD_MIN_BYTES', { min: 1, max: 72, fallback: 8 }),
    tokenPrefix: read.matching('TOKEN_PREFIX', /^[\w-]{0,32}$/, 'up to 32 letters, digits, _ and -', ''),
    maxFileBytes: read.integer('MAX_FILE_BYTES', { min: 1024, max: 1_073_741_824, fallback: 10_485_760 }),
    // Less than the age from which the sweep takes what nobody owns: an upload that is still coming in is younger.
    uploadTimeoutMillis: read.integer('UPLOAD_TIMEOUT_SECONDS', { min: 1, max: 1800, fallback: 300 }) * 1000,
    uploadStallMillis: read.integer('UPLOAD_STALL_SECONDS', { min: 1, max: 1800, fallback: 20 }) * 1000,
    documentCheck: read.choice('DOCUMENT_CHECK', ['signature', 'strict'], 'signature'),
    s3: readS3(read),
    documentSigning: readDocumentSigning(read),
    rateLimit: readRateLimit(read),
    trustProxy: readTrustProxy(read),
    corsOrigins: readCorsOrigins(read),
    deadlines: REQUEST_DEADLINES,
    introspection: read.toggle('GRAPHQL_INTROSPECTION', !isProduction),
    pages: read.toggle('PAGES', mode === 'development'),
    logLevel: read.choice(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'info',
    ),
    stopGraceMillis: read.integer('STOP_GRACE_SECONDS', { min: 0, max: 3600, fallback: 10 }) * 1000,
  };
  read.refuseProblems();
  return config;
}

function readDatabase(read: SettingsReader, isProduction: boolean): DatabaseConfig {
  const uri = read.matching(
    'MONGODB_URI',
    /^mongodb(\+srv)?:\/\/[^/]/,
    'a mongodb:// or mongodb+srv:// address',
    '',
  );
  const dataDir = path.resolve(read.text('DATA_DIR', '.data'));
  const isAllowed = read.choice('EMBEDDED_DATABASE', ['allow', ''], '') === 'allow';
  if (uri !== '') return { kind: 'mongodb', uri };
  if (isProduction && !isAllowed) {
    read.problem('MONGODB_URI', 'must be set in production (or EMBEDDED_DATABASE=allow)');
  }
  return { kind: 'embedded', dataDir };
}

function readS3(read: SettingsReader): S3Settings | undefined {
  const isS3 = read.choice('DOCUMENT_STORE', ['local', 's3'], 'local') === 's3';
  const accessKeyId = read.text('S3_ACCESS_KEY_ID', '');
  const secretAccessKey = read.text('S3_SECRET_ACCESS_KEY', '');
  const settings = {
    bucket: read.text('S3_BUCKET', ''),
    region: read.text('S3_REGION', 'us-east-1'),
    endpoint: read.httpUrl('S3_ENDPOINT'),
    credentials: accessKeyId === '' ? undefined : { accessKeyId, secretAccessKey },
    pathStyle: read.toggle('S3_PATH_STYLE', false),
    delivery: read.choice('S3_DELIVERY', ['stream', 'redirect'], 'stream'),
  };
  if (!isS3) return undefined;
  if (settings.bucket === '') read.problem('S3_BUCKET', 'must be set for DOCUMENT_STORE=s3');
  if ((accessKeyId === '') !== (secretAccessKey === '')) {
    read.problem('S3_SECRET_ACCESS_KEY', 'and S3_ACCESS_KEY_ID must both be set, or neither');
  }
  return settings;
}

/** RFC 2104 section 3: a key shorter than the hash is weaker than the hash. */
const LEAST_SECRET_CHARACTERS = 32;

function readDocumentSigning(read: SettingsReader): Config['documentSigning'] {
  const isSigned = read.choice('DOCUMENT_ACCESS', ['public', 'signed'], 'public') === 'signed';
  const secret = read.text('DOCUMENT_URL_SECRET', '');
  const lifetimeSeconds = read.integer('DOCUMENT_URL_SECONDS', { min: 1, max: 604_800, fallback: 3600 });
  if (!isSigned) return undefined;
  if (secret.length < LEAST_SECRET_CHARACTERS) {
    read.problem(
      'DOCUMENT_URL_SECRET',
      `must be at least ${LEAST_SECRET_CHARACTERS} characters for DOCUMENT_ACCESS=signed`,
    );
  }
  return { secret, lifetimeSeconds };
}

/** libuv's own default. */
const LIBUV_THREADS = 4;

/** One for each core, but never all of libuv's threads, because files are read and written on the same ones. */
function readHashConcurrency(read: SettingsReader): number {
  const threads = read.integer('UV_THREADPOOL_SIZE', { min: 2, max: 1024, fallback: LIBUV_THREADS });
  return Math.min(availableParallelism(), threads - 1);
}

function readRateLimit(read: SettingsReader): ThrottleLimits {
  const isOn = read.toggle('RATE_LIMIT', true);
  const perMinute = (key: string, fallback: number) => {
    const limit = read.integerOrOff(key, { min: 1, max: 1_000_000, fallback });
    return isOn ? limit : undefined;
  };
  return {
    loginsPerMinute: perMinute('RATE_LIMIT_LOGINS_PER_MINUTE', 10),
    addressLoginsPerMinute: perMinute('RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE', 100),
    emailLoginsPerMinute: perMinute('RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE', 30),
    registrationsPerMinute: perMinute('RATE_LIMIT_REGISTRATIONS_PER_MINUTE', 60),
  };
}

/** `off`, the number of proxies in front, or their addresses as Express takes them. */
function readTrustProxy(read: SettingsReader): Config['trustProxy'] {
  const proxies = read.text('TRUST_PROXY', 'off');
  if (proxies === 'off') return false;
  if (/^\d{1,2}$/.test(proxies)) return Number(proxies);
  if (read.list('TRUST_PROXY').every(isProxyAddress)) return proxies;
  read.problem('TRUST_PROXY', 'must be off, a number of proxies, or their addresses');
  return false;
}

/** An address, alone or with the size of its network in bits, or the name of a network that Express knows. */
function isProxyAddress(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', network, ...others] = text.split('/');
  const family = isIP(address);
  if (family === 0 || others.length > 0) return false;
  return (
    network === undefined || (/^[1-9]\d{0,2}$/.test(network) && Number(network) <= (family === 4 ? 32 : 128))
  );
}

/** Origins exactly as browsers send them (RFC 6454 section 6.2), or they would never match. */
function readCorsOrigins(read: SettingsReader): string[] {
  const origins = read.list('CORS_ORIGINS');
  const isOrigin = (text: string) =>
    /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
  if (origins.every(isOrigin)) return origins;
  read.problem('CORS_ORIGINS', 'must be origins such as https://app.example.org, separated by commas');
  return [];
}
