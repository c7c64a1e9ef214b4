import { existsSync } from 'node:fs';
import { REQUEST_DEADLINES, type RequestDeadlines } from '../api/http/request-limits.ts';
import type { EventClients } from '../auth/events/event-clients.ts';
import type { WebhookEndpoint } from '../auth/events/webhook.ts';
import { MAIL_LANGUAGES, type MailLanguage } from '../auth/mail-texts/languages.ts';
import type { RelyingParty } from '../auth/passkeys/ceremonies.ts';
import { HASH_QUEUE_LIMITS, type HashQueueLimits } from '../auth/passwords/hash-queue.ts';
import { type PasswordCheckKind } from '../auth/passwords/password-rules.ts';
import type { ServiceSecrets } from '../auth/service-authentication.ts';
import type { ThrottleLimits } from '../auth/throttle/throttle-limits.ts';
import type { TokenLifetimes } from '../auth/tokens/token-lifetimes.ts';
import type { BackupSettings } from '../database/backups.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from '../database/database-limits.ts';
import type { DatabaseConfig } from '../database/server.ts';
import type { DocumentCheck } from '../documents/document-types.ts';
import type { S3Settings } from '../documents/s3/s3-document-store.ts';
import type { MailSettings } from '../mail/smtp.ts';
import type { IdFormat } from '../stores/ids.ts';
import type { CapacityLimits } from '../system/shared-capacity.ts';
import {
  readAuditRetention,
  readEmailVerificationUrl,
  readErasureGrace,
  readEventRetention,
  readHashConcurrency,
  readPasswordMinimum,
  readPasswordResetUrl,
  readTokenLifetimes,
} from './account-settings.ts';
import {
  type ForwardAuth,
  readCorsOrigins,
  readEventClients,
  readForwardAuth,
  readRateLimit,
  readServices,
  readTrustProxy,
  type TrustProxy,
} from './caller-settings.ts';
import { type LegacySettings, readBackup, readDatabase, readLegacy } from './database-settings.ts';
import {
  type DocumentSigning,
  readDocumentSigning,
  readS3,
  readStorageDir,
  readUploadCapacity,
} from './document-settings.ts';
import { readMail, readTimeZone } from './mail-settings.ts';
import type { Misspelt } from './misspelt.ts';
import { readMetricsPort, readTracing, type TracingSettings } from './monitoring-settings.ts';
import { readPasskeys } from './passkey-settings.ts';
import { SettingsReader } from './settings-reader.ts';
import { readOperatorApi, readTwoFactor, type TwoFactorSettings } from './two-factor-settings.ts';
import { readWebhooks } from './webhook-settings.ts';

/** All settings of an operator, checked and in their final form. docs/settings.md has the table. */
export interface Config {
  /** NODE_ENV. */
  mode: 'development' | 'production' | 'test';
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Without a slash at the end; undefined means the address that the server listens on. Production requires it. */
  baseUrl: string | undefined;
  database: DatabaseConfig;
  /** No setting: a database that is slower than these limits counts as unavailable. */
  databaseLimits: DatabaseLimits;
  /** The backups of the embedded database; undefined if none are made. */
  backup: BackupSettings | undefined;
  /** The form of the ids of new accounts and tokens. */
  idFormat: IdFormat;
  storageDir: string;
  /** True if the process removes `storageDir` when it ends. */
  isStorageTemporary: boolean;
  legacy: LegacySettings;
  bcryptCost: number;
  /** How many passwords are hashed at a time. */
  hashConcurrency: number;
  /** No setting: a longer queue would only let its last callers wait too long. */
  hashQueueLimits: HashQueueLimits;
  passwordMinCharacters: number;
  /** What is asked about new passwords beyond their length. */
  passwordCheckKind: PasswordCheckKind;
  /** The address of the page for a new password, with `{token}`. If undefined, reset tokens are shown as codes. */
  passwordResetUrl: string | undefined;
  /** The address of the page to confirm an e-mail, with `{token}`. If undefined, no links prove or change an e-mail. */
  emailVerificationUrl: string | undefined;
  tokenPrefix: string;
  tokenLifetimes: TokenLifetimes;
  twoFactor: TwoFactorSettings;
  /** undefined if there are no passkeys. */
  passkeys: RelyingParty | undefined;
  /** How many tokens an account may have after a login; undefined: any number. */
  maxTokensPerAccount: number | undefined;
  maxFileBytes: number;
  /** How long the body of an upload may take. */
  uploadTimeoutMillis: number;
  /** How long the sender of an upload may send almost nothing. */
  uploadStallMillis: number;
  /** Limits of concurrent uploads. */
  uploadCapacity: CapacityLimits;
  documentCheck: DocumentCheck;
  /** If undefined, documents are stored below `storageDir`. */
  s3: S3Settings | undefined;
  /** If undefined, everyone who knows the URL of a document can read it. */
  documentSigning: DocumentSigning | undefined;
  rateLimit: ThrottleLimits;
  /** The mail server and the sender of mails; undefined if no mails are sent. */
  mail: MailSettings | undefined;
  /** The language of mails to accounts that have none. */
  mailLanguage: MailLanguage;
  /** The zone of the times in mails, a name of the IANA. */
  timeZone: string;
  /** How long audit events are kept; undefined: for ever. */
  auditRetentionMillis: number | undefined;
  /** How long a closed account waits for its erasure. */
  erasureGraceMillis: number;
  /** Express's `trust proxy`: the proxies whose X-Forwarded-For counts. */
  trustProxy: TrustProxy;
  /** How long a connection of a caller or a proxy may be idle after an answer. */
  keepAliveMillis: number;
  /** The origins whose pages may call from scripts, as browsers send them. Empty by default. */
  corsOrigins: readonly string[];
  /** Not a setting: no honest client is slower than these. */
  deadlines: RequestDeadlines;
  introspection: boolean;
  /** True if the GraphQL API is a subgraph of Apollo Federation. */
  federation: boolean;
  /** Who called sudo, if the process was started by it: the operator of a command. */
  sudoUser: string | undefined;
  /** The services that may ask whose token it is (INTROSPECTION_CLIENTS). Empty by default. */
  services: ServiceSecrets;
  /** The services that may read events (EVENT_CLIENTS). Empty by default. */
  eventClients: EventClients;
  /** Where events are sent to (WEBHOOKS). Empty by default. */
  webhooks: readonly WebhookEndpoint[];
  /** How long published events are kept. */
  eventRetentionMillis: number;
  forwardAuth: ForwardAuth;
  /** OPERATOR_API: true if operators work in a browser, at `/console` and `/operators/graphql`. */
  operatorApi: boolean;
  /** True if the gateway serves pages for people: `/`, GraphiQL and the documentation. */
  pages: boolean;
  /** The port for metrics. 0 takes a free port; if undefined, there are no metrics. */
  metricsPort: number | undefined;
  /** The address that the metrics port listens on. */
  metricsHost: string;
  /** Where traces go; undefined if there are none. */
  tracing: TracingSettings | undefined;
  logLevel: string;
  /** The names of all settings, set or not. */
  settingNames: ReadonlySet<string>;
  /** Variables that are almost the name of a setting. */
  misspelt: readonly Misspelt[];
  /** The texts of the secrets that were read from files (`<KEY>_FILE`), by their key. */
  fileSecrets: ReadonlyMap<string, string>;
  /** How long a start waits for a database that does not answer. With 0 there is one attempt. */
  startWaitMillis: number;
  /** How long running requests may take after the signal to stop. */
  stopGraceMillis: number;
}

/** Settings as text, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. In development, `.env` adds to it. */
export function loadEnvironment(): Environment {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) {
    process.loadEnvFile('.env');
  }
  return process.env;
}

/**
 * Reads all settings.
 * @param environment texts by key, as in `process.env`
 * @throws ConfigError that names every problem by its key
 */
export function readConfig(environment: Environment): Config {
  const read = new SettingsReader(environment);
  const mode = read.choice<Config['mode']>('NODE_ENV', ['development', 'production', 'test'], 'development');
  const isProduction = mode === 'production';
  const port = read.integer('PORT', { min: 0, max: 65_535, fallback: 4000 });
  const host = read.text('HOST', isProduction ? '0.0.0.0' : '127.0.0.1');
  const maxFileBytes = read.integer('MAX_FILE_BYTES', {
    min: 1024,
    max: 1_073_741_824,
    fallback: 10_485_760,
  });
  const metricsPort = readMetricsPort(read, port);
  const mail = readMail(read);
  const database = readDatabase(read, isProduction);
  const { storageDir, isStorageTemporary } = readStorageDir(read);
  const baseUrl = readBaseUrl(read, isProduction);
  const trustProxy = readTrustProxy(read);
  // Proxies keep connections open for 60 s by default. A request that meets the end of one is a 502.
  const idleSeconds = trustProxy === false ? 5 : 75;
  const corsOrigins = readCorsOrigins(read);
  const passkeys = readPasskeys(read, corsOrigins);
  const twoFactor = readTwoFactor(read, baseUrl, passkeys !== undefined);
  const services = readServices(read);
  const config: Omit<Config, 'settingNames' | 'misspelt'> = {
    mode,
    host,
    port,
    baseUrl,
    database,
    backup: readBackup(read, database, storageDir),
    databaseLimits: DATABASE_LIMITS,
    idFormat: read.choice('ID_FORMAT', ['objectid', 'integer'], 'objectid'),
    storageDir,
    isStorageTemporary,
    legacy: readLegacy(read),
    bcryptCost: read.integer('BCRYPT_COST', { min: 4, max: 20, fallback: 12 }),
    hashConcurrency: readHashConcurrency(read),
    hashQueueLimits: HASH_QUEUE_LIMITS,
    passwordMinCharacters: readPasswordMinimum(read),
    passwordCheckKind: read.choice<PasswordCheckKind>('PASSWORD_CHECK', ['common', 'off'], 'common'),
    passwordResetUrl: readPasswordResetUrl(read, mail !== undefined),
    emailVerificationUrl: readEmailVerificationUrl(read, mail !== undefined),
    tokenPrefix: read.matching('TOKEN_PREFIX', /^[\w-]{0,32}$/, 'up to 32 letters, digits, _ and -', ''),
    tokenLifetimes: readTokenLifetimes(read),
    twoFactor,
    passkeys,
    maxTokensPerAccount: read.integerOrOff('MAX_TOKENS_PER_ACCOUNT', { min: 1, max: 1000, fallback: 'off' }),
    maxFileBytes,
    // Less than the minimum age for the sweep, so that it never removes an upload that is still being received.
    uploadTimeoutMillis: read.integer('UPLOAD_TIMEOUT_SECONDS', { min: 1, max: 1800, fallback: 300 }) * 1000,
    uploadStallMillis: read.integer('UPLOAD_STALL_SECONDS', { min: 1, max: 1800, fallback: 20 }) * 1000,
    uploadCapacity: readUploadCapacity(read, maxFileBytes),
    documentCheck: read.choice('DOCUMENT_CHECK', ['signature', 'strict'], 'strict'),
    s3: readS3(read),
    documentSigning: readDocumentSigning(read),
    rateLimit: readRateLimit(read),
    mail,
    mailLanguage: read.choice('MAIL_LANGUAGE', MAIL_LANGUAGES, 'en'),
    timeZone: readTimeZone(read),
    auditRetentionMillis: readAuditRetention(read),
    erasureGraceMillis: readErasureGrace(read),
    trustProxy,
    keepAliveMillis: read.integer('KEEP_ALIVE_SECONDS', { min: 1, max: 3600, fallback: idleSeconds }) * 1000,
    corsOrigins,
    deadlines: REQUEST_DEADLINES,
    services,
    eventClients: readEventClients(read, services),
    webhooks: readWebhooks(read),
    eventRetentionMillis: readEventRetention(read),
    forwardAuth: readForwardAuth(read, metricsPort),
    introspection: read.toggle('GRAPHQL_INTROSPECTION', !isProduction),
    federation: read.toggle('FEDERATION', false),
    operatorApi: readOperatorApi(read, twoFactor),
    pages: read.toggle('PAGES', mode === 'development'),
    metricsPort,
    metricsHost: read.text('METRICS_HOST', host),
    tracing: readTracing(read),
    logLevel: read.choice(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'info',
    ),
    sudoUser: read.text('SUDO_USER', '') || undefined,
    fileSecrets: read.fileSecrets,
    startWaitMillis: read.integer('START_WAIT_SECONDS', { min: 0, max: 3600, fallback: 10 }) * 1000,
    stopGraceMillis: read.integer('STOP_GRACE_SECONDS', { min: 0, max: 3600, fallback: 10 }) * 1000,
  };
  read.refuseProblems();
  return { ...config, settingNames: read.names, misspelt: read.misspelt };
}

/** Production has no default: callers cannot reach the address that a server behind a proxy listens on. */
function readBaseUrl(read: SettingsReader, isProduction: boolean): string | undefined {
  if (isProduction && read.text('BASE_URL', '') === '') {
    read.problem(
      'BASE_URL',
      'must be set in production, to the address that callers use: links to documents begin with it',
    );
  }
  return read.httpUrl('BASE_URL');
}
