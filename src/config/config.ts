import { existsSync } from 'node:fs';
import { REQUEST_DEADLINES } from '../api/http/request-limits.ts';
import { MAIL_LANGUAGES } from '../auth/mail-texts/languages.ts';
import { HASH_QUEUE_LIMITS } from '../auth/passwords/hash-queue.ts';
import { DATABASE_LIMITS } from '../database/database-limits.ts';
import {
  readAuditRetention,
  readEmailVerificationUrl,
  readErasureGrace,
  readEventRetention,
  readHashConcurrency,
  readPasswordMinimum,
  readPasswordResetUrl,
  readRegistrationModes,
  readTokenLifetimes,
} from './account-settings.ts';
import { readBrand } from './brand-settings.ts';
import {
  readCorsOrigins,
  readEventClients,
  readForwardAuth,
  readRateLimit,
  readServices,
  readTrustProxy,
} from './caller-settings.ts';
import { readBackup, readDatabase, readLegacy } from './database-settings.ts';
import { readDocumentSigning, readS3, readStorageDir, readUploadCapacity } from './document-settings.ts';
import { readLicenseRules } from './license-settings.ts';
import { readMail, readTimeZone } from './mail-settings.ts';
import { readMetricsPort, readTracing } from './monitoring-settings.ts';
import { peopleLink, readPeople } from './people-settings.ts';
import { SettingsReader } from './settings-reader.ts';
import { readOperatorApi, readPasskeys, readTwoFactor } from './two-factor-settings.ts';
import { readWebhooks } from './webhook-settings.ts';

/** All settings of an operator, checked and in their final form. docs/settings.md has the table. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

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
export function readConfig(environment: Environment) {
  const read = new SettingsReader(environment);
  const mode = read.choice('NODE_ENV', ['development', 'production', 'test'], 'development');
  const isProduction = mode === 'production';
  const port = read.integer('PORT', { min: 0, max: 65_535, fallback: 4000 });
  const host = read.text('HOST', isProduction ? '0.0.0.0' : '127.0.0.1');
  const maxFileBytes = read.integer('MAX_FILE_BYTES', {
    min: 1024,
    max: 1_073_741_824,
    fallback: 10_485_760,
  });
  const metricsPort = readMetricsPort(read, port);
  const brand = readBrand(read);
  const mail = readMail(read, brand?.name);
  const database = readDatabase(read, isProduction);
  const { storageDir, isStorageTemporary } = readStorageDir(read);
  const baseUrl = readBaseUrl(read, isProduction);
  const trustProxy = readTrustProxy(read);
  // Proxies keep connections open for 60 s by default. A request that meets the end of one is a 502.
  const idleSeconds = trustProxy === false ? 5 : 75;
  const corsOrigins = readCorsOrigins(read);
  const people = readPeople(read, { mode, baseUrl, port });
  const passkeys = readPasskeys(read, corsOrigins, people, brand?.name);
  const twoFactor = readTwoFactor(read, baseUrl, passkeys !== undefined, brand?.name);
  const services = readServices(read);
  const invitationUrl = people && mail && peopleLink(people, 'register/{role}');
  const config = {
    mode,
    host,
    /** 0 takes a free port. */
    port,
    /** Without a slash at the end; undefined means the address that the server listens on. Production requires it. */
    baseUrl,
    /** What the clinic tells people about itself; undefined without BRAND_FILE. */
    brand,
    database,
    /** The backups of the embedded database; undefined if none are made. */
    backup: readBackup(read, database, storageDir),
    /** No setting: a database that is slower than these limits counts as unavailable. */
    databaseLimits: DATABASE_LIMITS,
    /** The form of the ids of new accounts and tokens. */
    idFormat: read.choice('ID_FORMAT', ['objectid', 'integer'], 'objectid'),
    storageDir,
    /** True if the process removes `storageDir` when it ends. */
    isStorageTemporary,
    legacy: readLegacy(read),
    bcryptCost: read.integer('BCRYPT_COST', { min: 4, max: 20, fallback: 12 }),
    /** How many passwords are hashed at a time. */
    hashConcurrency: readHashConcurrency(read),
    /** No setting: a longer queue would only let its last callers wait too long. */
    hashQueueLimits: HASH_QUEUE_LIMITS,
    passwordMinCharacters: readPasswordMinimum(read),
    /** What is asked about new passwords beyond their length. */
    passwordCheckKind: read.choice('PASSWORD_CHECK', ['common', 'off'], 'common'),
    /** The address of the page for a new password, with `{token}`. If undefined, reset tokens are shown as codes. */
    passwordResetUrl: readPasswordResetUrl(read, mail !== undefined, people),
    /** The address of the page to confirm an e-mail, with `{token}`. If undefined, no links prove or change an e-mail. */
    emailVerificationUrl: readEmailVerificationUrl(read, mail !== undefined, people),
    /** Who may register, by role. */
    registrationModes: readRegistrationModes(read, invitationUrl !== undefined),
    /** The page where an invited person registers, with `{role}` and `{token}`. If undefined, nobody is invited. */
    invitationUrl,
    tokenPrefix: read.matching('TOKEN_PREFIX', /^[\w-]{0,32}$/, 'up to 32 letters, digits, _ and -', ''),
    tokenLifetimes: readTokenLifetimes(read),
    twoFactor,
    /** undefined if there are no passkeys. */
    passkeys,
    /** How many tokens an account may have after a login; undefined: any number. */
    maxTokensPerAccount: read.integerOrOff('MAX_TOKENS_PER_ACCOUNT', { min: 1, max: 1000, fallback: 'off' }),
    maxFileBytes,
    /** How long the body of an upload may take. Less than the minimum age for the sweep, which removes no running upload. */
    uploadTimeoutMillis: read.integer('UPLOAD_TIMEOUT_SECONDS', { min: 1, max: 1800, fallback: 300 }) * 1000,
    /** How long the sender of an upload may send almost nothing. */
    uploadStallMillis: read.integer('UPLOAD_STALL_SECONDS', { min: 1, max: 1800, fallback: 20 }) * 1000,
    /** Limits of concurrent uploads. */
    uploadCapacity: readUploadCapacity(read, maxFileBytes),
    documentCheck: read.choice('DOCUMENT_CHECK', ['signature', 'strict'], 'strict'),
    /** If undefined, documents are stored below `storageDir`. */
    s3: readS3(read),
    /** If undefined, everyone who knows the URL of a document can read it. */
    documentSigning: readDocumentSigning(read),
    rateLimit: readRateLimit(read),
    /** The mail server and the sender of mails; undefined if no mails are sent. */
    mail,
    /** The language of mails to accounts that have none. */
    mailLanguage: read.choice('MAIL_LANGUAGE', MAIL_LANGUAGES, 'en'),
    /** The zone of the times in mails, and of the days on which verifications end; a name of the IANA. */
    timeZone: readTimeZone(read),
    /** How long audit events are kept; undefined: for ever. */
    auditRetentionMillis: readAuditRetention(read),
    /** How long a closed account waits for its erasure. */
    erasureGraceMillis: readErasureGrace(read),
    /** How many days a verification lasts of which a reviewer says nothing; undefined: for ever. */
    verificationDays: read.integerOrOff('VERIFICATION_DAYS', { min: 1, max: 36_500, fallback: 'off' }),
    /** Express's `trust proxy`: the proxies whose X-Forwarded-For counts. */
    trustProxy,
    /** How long a connection of a caller or a proxy may be idle after an answer. */
    keepAliveMillis: read.integer('KEEP_ALIVE_SECONDS', { min: 1, max: 3600, fallback: idleSeconds }) * 1000,
    /** The origins whose pages may call from scripts, as browsers send them. Empty by default. */
    corsOrigins,
    /** Not a setting: no honest client is slower than these. */
    deadlines: REQUEST_DEADLINES,
    /** The services that may ask whose token it is (INTROSPECTION_CLIENTS). Empty by default. */
    services,
    /** The services that may read events (EVENT_CLIENTS). Empty by default. */
    eventClients: readEventClients(read, services),
    /** Where events are sent to (WEBHOOKS). Empty by default. */
    webhooks: readWebhooks(read),
    /** How long published events are kept. */
    eventRetentionMillis: readEventRetention(read),
    forwardAuth: readForwardAuth(read, metricsPort),
    introspection: read.toggle('GRAPHQL_INTROSPECTION', !isProduction),
    /** True if the GraphQL API is a subgraph of Apollo Federation. */
    federation: read.toggle('FEDERATION', false),
    /** OPERATOR_API: true if operators work in a browser, at `/console` and `/operators/graphql`. */
    operatorApi: readOperatorApi(read, twoFactor),
    /** True if the gateway serves pages for people: `/`, GraphiQL and the documentation. */
    pages: read.toggle('PAGES', mode === 'development'),
    /** The pages where people sign up, log in and look after their account; undefined if they are off. */
    people,
    /** The port for metrics. 0 takes a free port; if undefined, there are no metrics. */
    metricsPort,
    /** The address that the metrics port listens on. */
    metricsHost: read.text('METRICS_HOST', host),
    /** Where traces go; undefined if there are none. */
    tracing: readTracing(read),
    /** How numbers of licenses are written, for the eyes of reviewers. Empty without LICENSE_RULES_FILE. */
    licenseRules: readLicenseRules(read),
    logLevel: read.choice(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'info',
    ),
    /** Who called sudo, if the process was started by it: the operator of a command. */
    sudoUser: read.text('SUDO_USER', '') || undefined,
    /** The texts of the secrets that were read from files (`<KEY>_FILE`), by their key. */
    fileSecrets: read.fileSecrets,
    /** How long a start waits for a database that does not answer. With 0 there is one attempt. */
    startWaitMillis: read.integer('START_WAIT_SECONDS', { min: 0, max: 3600, fallback: 10 }) * 1000,
    /** How long running requests may take after the signal to stop. */
    stopGraceMillis: read.integer('STOP_GRACE_SECONDS', { min: 0, max: 3600, fallback: 10 }) * 1000,
    /** The names of all settings, set or not. */
    settingNames: read.names,
    /** Variables that are almost the name of a setting. This is the last field: all settings are known by now. */
    misspelt: read.misspelt,
  };
  read.refuseProblems();
  return config;
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
