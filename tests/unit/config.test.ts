// A long file: it has valid and invalid values for every setting, so that none is forgotten.
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/settings-reader.ts';

const MONGODB_URI = 'mongodb://127.0.0.1/test';

/** The problems of these settings. */
function problemsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.problems;
  }
}

const keysOf = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0]);

test('without any setting everything has its default', () => {
  expect(readConfig({})).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    baseUrl: undefined,
    database: { kind: 'embedded', dataDir: path.resolve('.data') },
    storageDir: path.resolve('storage'),
    bcryptCost: 12,
    passwordMinCharacters: 8,
    tokenPrefix: '',
    maxFileBytes: 10_485_760,
    isStorageTemporary: false,
    documentCheck: 'strict',
    uploadRoom: {
      all: { uploads: 300, bytes: 4_225_761_280 },
      perAddress: { uploads: 30, bytes: 325_058_560 },
    },
    trustProxy: false,
    corsOrigins: [],
    introspection: true,
    startWaitMillis: 10_000,
    metricsPort: undefined,
    stopGraceMillis: 10_000,
  });
  expect(readConfig({}).rateLimit).toEqual({
    loginsPerMinute: 10,
    addressLoginsPerMinute: 100,
    emailLoginsPerMinute: 30,
    registrationsPerMinute: 60,
    serviceFailuresPerMinute: 60,
    exportsPerMinute: 6,
  });
});

test.each([
  ['https://example.org', 'https://example.org'],
  ['https://example.org//', 'https://example.org'],
  ['HTTPS://Example.ORG:443/gateway/', 'https://example.org/gateway'],
  ['http://[::1]:4000', 'http://[::1]:4000'],
])('the BASE_URL %s is taken as %s', (given, taken) => {
  expect(readConfig({ BASE_URL: given }).baseUrl).toBe(taken);
});

test('metrics are on HOST, unless METRICS_HOST is set', () => {
  expect(readConfig({ HOST: '10.0.0.1' }).metricsHost).toBe('10.0.0.1');
  expect(readConfig({ HOST: '0.0.0.0', METRICS_HOST: '127.0.0.1' }).metricsHost).toBe('127.0.0.1');
});

test('an empty setting counts as not set', () => {
  const settings = ['PORT', 'BASE_URL', 'MONGODB_URI', 'BCRYPT_COST', 'RATE_LIMIT', 'TRUST_PROXY'];
  expect(readConfig(Object.fromEntries(settings.map((key) => [key, ' '])))).toEqual(readConfig({}));
});

test('settings replace the defaults', () => {
  const config = readConfig({
    PORT: '0',
    HOST: '::1',
    BASE_URL: 'https://example.org/gateway/',
    MONGODB_URI,
    STORAGE_DIR: '/srv/documents',
    BCRYPT_COST: '4',
    PASSWORD_MIN_CHARACTERS: '12',
    PASSWORD_CHECK: 'off',
    TOKEN_PREFIX: 'agw_',
    MAX_FILE_BYTES: '1048576',
    DOCUMENT_CHECK: 'signature',
    MAX_UPLOADS: '20',
    MAX_UPLOAD_BYTES: '80000000',
    MAX_ADDRESS_UPLOADS: '10',
    MAX_ADDRESS_UPLOAD_BYTES: '4194304',
    RATE_LIMIT: 'off',
    TRUST_PROXY: '2',
    CORS_ORIGINS: 'https://app.example.org , http://localhost:5173,http://[::1]:8080',
    GRAPHQL_INTROSPECTION: 'off',
    LOG_LEVEL: 'warn',
    STOP_GRACE_SECONDS: '0',
  });
  expect(config).toMatchObject({
    port: 0,
    host: '::1',
    baseUrl: 'https://example.org/gateway',
    database: { kind: 'mongodb', uri: MONGODB_URI },
    storageDir: '/srv/documents',
    bcryptCost: 4,
    passwordMinCharacters: 12,
    passwordCheckKind: 'off',
    tokenPrefix: 'agw_',
    maxFileBytes: 1_048_576,
    documentCheck: 'signature',
    uploadRoom: { all: { uploads: 20, bytes: 80_000_000 }, perAddress: { uploads: 10, bytes: 4_194_304 } },
    rateLimit: { loginsPerMinute: undefined, registrationsPerMinute: undefined },
    trustProxy: 2,
    corsOrigins: ['https://app.example.org', 'http://localhost:5173', 'http://[::1]:8080'],
    introspection: false,
    logLevel: 'warn',
    stopGraceMillis: 0,
  });
});

test('PASSWORD_MIN_BYTES is used if PASSWORD_MIN_CHARACTERS is not set', () => {
  const minimumOf = (settings: Record<string, string>) => readConfig(settings).passwordMinCharacters;
  expect(minimumOf({ PASSWORD_MIN_BYTES: '12' })).toBe(12);
  expect(minimumOf({ PASSWORD_MIN_BYTES: '12', PASSWORD_MIN_CHARACTERS: '' })).toBe(12);
  expect(minimumOf({ PASSWORD_MIN_BYTES: '12', PASSWORD_MIN_CHARACTERS: '10' })).toBe(10);
  expect(() => minimumOf({ PASSWORD_MIN_BYTES: '0' })).toThrow('PASSWORD_MIN_BYTES must be a whole number');
});

test('each limit can be set and switched off by itself', () => {
  const { rateLimit } = readConfig({
    RATE_LIMIT_LOGINS_PER_MINUTE: '3',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: 'off',
    RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: '7',
    RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off',
  });
  expect(rateLimit).toEqual({
    loginsPerMinute: 3,
    addressLoginsPerMinute: undefined,
    emailLoginsPerMinute: 7,
    registrationsPerMinute: undefined,
    serviceFailuresPerMinute: 60,
    exportsPerMinute: 6,
  });
});

test('tokens are valid for ever, or for a number of minutes from their issue and from their last use', () => {
  const unlimited = { absoluteMillis: undefined, idleMillis: undefined };
  expect(readConfig({}).tokenLifetimes).toEqual(unlimited);
  const off = { TOKEN_LIFETIME_MINUTES: 'off', TOKEN_IDLE_MINUTES: 'off' };
  expect(readConfig(off).tokenLifetimes).toEqual(unlimited);
  const on = { TOKEN_LIFETIME_MINUTES: '1440', TOKEN_IDLE_MINUTES: '1' };
  expect(readConfig(on).tokenLifetimes).toEqual({ absoluteMillis: 86_400_000, idleMillis: 60_000 });
});

test('audit events are kept for a year, for a number of days, or for ever', () => {
  const retentionOf = (days: string | undefined) =>
    readConfig({ AUDIT_RETENTION_DAYS: days }).auditRetentionMillis;
  expect(retentionOf(undefined)).toBe(365 * 86_400_000);
  expect(retentionOf('2')).toBe(2 * 86_400_000);
  expect(retentionOf('off')).toBeUndefined();
});

const DIGEST = 'ab'.repeat(32);

test('services have an id and the digest of a secret, or of two', () => {
  const other = 'cd'.repeat(32);
  const setting = ` appointments:${DIGEST.toUpperCase()} , billing:${DIGEST},appointments:${other}`;
  const { services } = readConfig({ INTROSPECTION_CLIENTS: setting });
  expect([...services].map(([id, digests]) => [id, digests.map((digest) => digest.toString('hex'))])).toEqual(
    [
      ['appointments', [DIGEST, other]],
      ['billing', [DIGEST]],
    ],
  );
  expect(readConfig({}).services.size).toBe(0);
});

test('every wrong entry of a service is a problem, which does not contain the entry', () => {
  const entries = [
    'billing:secret-in-clear',
    `a b:${DIGEST}`,
    `x:${DIGEST}`,
    `x:${DIGEST}`,
    'y',
    `z:${DIGEST}:`,
  ];
  const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const problems = problemsOf({ INTROSPECTION_CLIENTS: [...entries, `w:${ofNothing}`, ''].join(',') });
  const shape = 'must be <id>:<SHA-256 of its secret in 64 hex digits>.';
  expect(problems).toEqual([
    `INTROSPECTION_CLIENTS entry 1 ${shape}`,
    'INTROSPECTION_CLIENTS entry 2 must have an id of up to 64 letters, digits, ".", "_" and "-".',
    'INTROSPECTION_CLIENTS entry 4 is the same as another entry.',
    `INTROSPECTION_CLIENTS entry 5 ${shape}`,
    `INTROSPECTION_CLIENTS entry 6 ${shape}`,
    'INTROSPECTION_CLIENTS entry 7 has the digest of an empty secret.',
    `INTROSPECTION_CLIENTS entry 8 ${shape}`,
  ]);
});

/** Mails need it. */
const RESETS = { PASSWORD_RESET_URL: 'https://app.example.org/reset/{token}' };

test('mails need the page for a new password, which may have the token in path, query or fragment', () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'clinic@example.org' };
  expect(problemsOf(mail)).toEqual([
    'PASSWORD_RESET_URL must be set with SMTP_URL, to the page for a new password, with {token} in it.',
  ]);
  expect(readConfig({}).passwordResetUrl).toBeUndefined();
  for (const url of [
    'https://app.example.org/reset/{token}',
    'http://localhost:5173/?reset={token}&lang=en',
    'https://app.example.org#{token}',
  ]) {
    expect(readConfig({ ...mail, PASSWORD_RESET_URL: url }).passwordResetUrl).toBe(url);
  }
});

test.each([
  ['smtps://mail.example.org', { port: 465, security: 'tls' }],
  ['smtp://mail.example.org', { port: 587, security: 'starttls' }],
  ['smtp://mail.example.org:25/?tls=required', { port: 25, security: 'starttls' }],
  ['smtp://mail.example.org?tls=off', { port: 587, security: 'none' }],
  ['smtp://[2001:db8::1]:2525', { host: '2001:db8::1', port: 2525, security: 'starttls' }],
  ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, security: 'none' }],
  ['smtp://u:p@[::1]', { host: '::1', security: 'none', credentials: { user: 'u', pass: 'p' } }],
  ['smtp://localhost?tls=required', { host: 'localhost', security: 'starttls' }],
  ['smtps://me%40x:p%2F%3A@mail.example.org', { credentials: { user: 'me@x', pass: 'p/:' } }],
])('the mail server %s is read whole', (url, smtp) => {
  const defaults = { host: 'mail.example.org', credentials: undefined };
  const { mail } = readConfig({ ...RESETS, SMTP_URL: url, MAIL_FROM: 'clinic@example.org' });
  expect(mail?.smtp).toMatchObject({ ...defaults, ...smtp });
});

test.each([
  ['clinic@example.org', { name: '', address: 'clinic@example.org' }],
  ['Clinic of Ada <clinic@example.org>', { name: 'Clinic of Ada', address: 'clinic@example.org' }],
  ['"Dr. A, B" <clinic@müller.example>', { name: 'Dr. A, B', address: 'clinic@müller.example' }],
  ['<clinic@example.org>', { name: '', address: 'clinic@example.org' }],
])('the sender %s is a name and an address', (text, from) => {
  expect(readConfig({ ...RESETS, SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: text }).mail?.from).toEqual(from);
});

test('a mail server needs a sender; without a mail server no mails are sent', () => {
  expect(problemsOf({ ...RESETS, SMTP_URL: 'smtp://127.0.0.1' })).toEqual([
    'MAIL_FROM must be set with SMTP_URL, to the sender of mails.',
  ]);
  expect(readConfig({ MAIL_FROM: 'clinic@example.org' }).mail).toBeUndefined();
});

test('no password is sent to another machine without TLS', () => {
  const settings = {
    ...RESETS,
    SMTP_URL: 'smtp://u:hunter2@mail.example.org?tls=off',
    MAIL_FROM: 'a@example.org',
  };
  expect(problemsOf(settings)).toEqual([
    'SMTP_URL must not have a password with ?tls=off: it would be sent in clear.',
  ]);
});

test('forward authentication is on the main port, on the metrics port, or off', () => {
  expect(readConfig({}).forwardAuth).toBe('main');
  expect(readConfig({ FORWARD_AUTH: 'off' }).forwardAuth).toBe('off');
  expect(readConfig({ FORWARD_AUTH: 'metrics', METRICS: 'on' }).forwardAuth).toBe('metrics');
  expect(problemsOf({ FORWARD_AUTH: 'metrics' })).toEqual([
    'FORWARD_AUTH cannot be metrics if METRICS is off.',
  ]);
});

test('the GraphQL API is no subgraph unless FEDERATION says so', () => {
  expect(readConfig({}).federation).toBe(false);
  expect(readConfig({ FEDERATION: 'on' }).federation).toBe(true);
});

test('an account may have any number of tokens, or a limited one', () => {
  const mostOf = (most: string | undefined) =>
    readConfig({ MAX_TOKENS_PER_ACCOUNT: most }).maxTokensPerAccount;
  expect(mostOf(undefined)).toBeUndefined();
  expect(mostOf('off')).toBeUndefined();
  expect(mostOf('1')).toBe(1);
});

test('metrics are off, or on a separate port', () => {
  const portOf = (settings: Record<string, string>) => readConfig(settings).metricsPort;
  expect(portOf({ METRICS_PORT: '9999' })).toBeUndefined();
  expect(portOf({ METRICS: 'on' })).toBe(9464);
  expect(portOf({ METRICS: 'on', METRICS_PORT: '0' })).toBe(0);
  expect(portOf({ METRICS: 'on', METRICS_PORT: '0', PORT: '0' })).toBe(0);
  expect(portOf({ METRICS_PORT: '4000' })).toBeUndefined();
  expect(keysOf(problemsOf({ METRICS: 'on', METRICS_PORT: '4000' }))).toEqual(['METRICS_PORT']);
});

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.org/otlp/' };

test('traces go nowhere without an address, or with OTEL_SDK_DISABLED', () => {
  expect(
    readConfig({ OTEL_SERVICE_NAME: 'gateway', OTEL_TRACES_SAMPLER: 'always_on' }).tracing,
  ).toBeUndefined();
  expect(readConfig({ ...COLLECTOR, OTEL_SDK_DISABLED: 'True' }).tracing).toBeUndefined();
  expect(readConfig({ ...COLLECTOR, OTEL_SDK_DISABLED: '1' }).tracing).toBeDefined();
});

test('the settings of traces have the names, forms and defaults of OpenTelemetry', () => {
  expect(readConfig(COLLECTOR).tracing).toEqual({
    url: 'https://collector.example.org/otlp/v1/traces',
    headers: {},
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    resource: { 'service.name': 'auth-gateway' },
    exportDelayMillis: 5000,
  });
  const settings = {
    ...COLLECTOR,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dTpw, x-tenant = clinic=1 ,',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,deployment.environment.name=staging%2C%20west',
    OTEL_SERVICE_NAME: 'gateway',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  expect(readConfig(settings).tracing).toEqual({
    url: 'https://collector.example.org/otlp/v1/traces',
    headers: { authorization: 'Basic dTpw', 'x-tenant': 'clinic=1' },
    sampler: 'traceidratio',
    samplerRatio: 0.25,
    resource: { 'service.name': 'gateway', 'deployment.environment.name': 'staging, west' },
    exportDelayMillis: 100,
  });
  expect(readConfig({ ...settings, OTEL_SERVICE_NAME: '' }).tracing?.resource['service.name']).toBe(
    'ignored',
  );
});

test('as many passwords are hashed at a time as there are cores, and one more; one thread is left for files', () => {
  const cores = availableParallelism();
  expect(readConfig({}).hashConcurrency).toBe(Math.min(cores + 1, 3));
  expect(readConfig({ UV_THREADPOOL_SIZE: '2' }).hashConcurrency).toBe(1);
  expect(readConfig({ UV_THREADPOOL_SIZE: '1024' }).hashConcurrency).toBe(cores + 1);
});

test.each(['10.0.0.1', '10.0.0.0/8, 2001:db8::/32', 'loopback, 10.0.0.1', '::1, uniquelocal'])(
  'the proxies %s are passed to Express unchanged',
  (proxies) => {
    expect(readConfig({ TRUST_PROXY: proxies }).trustProxy).toBe(proxies);
  },
);

describe('in memory', () => {
  const DATA_DIR = ':memory:';

  test('each gateway has a temporary folder of its own for documents, unless STORAGE_DIR is set', () => {
    const [one, other] = [readConfig({ DATA_DIR }), readConfig({ DATA_DIR })];
    expect(one).toMatchObject({ database: { kind: 'memory' }, isStorageTemporary: true });
    expect(path.dirname(one.storageDir)).toBe(tmpdir());
    expect(one.storageDir).not.toBe(other.storageDir);
    expect(readConfig({ DATA_DIR, STORAGE_DIR: 'kept' })).toMatchObject({
      database: { kind: 'memory' },
      storageDir: path.resolve('kept'),
      isStorageTemporary: false,
    });
  });

  test('a MONGODB_URI beside it is refused: one of the two is a mistake', () => {
    expect(problemsOf({ DATA_DIR, MONGODB_URI })).toEqual([
      'DATA_DIR must not be :memory: if MONGODB_URI is set.',
    ]);
  });
});

describe('in production', () => {
  const NODE_ENV = 'production';
  const BASE_URL = 'https://auth.example.org';

  test('the server listens on every interface, and introspection is off', () => {
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI })).toMatchObject({
      host: '0.0.0.0',
      introspection: false,
    });
  });

  test('pages are on by default only in development', () => {
    expect(readConfig({}).pages).toBe(true);
    expect(readConfig({ NODE_ENV: 'test' }).pages).toBe(false);
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI }).pages).toBe(false);
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI, PAGES: 'on' }).pages).toBe(true);
    expect(readConfig({ PAGES: 'off' }).pages).toBe(false);
  });

  test('HOST and GRAPHQL_INTROSPECTION can be set', () => {
    const settings = { NODE_ENV, BASE_URL, MONGODB_URI, HOST: '127.0.0.1', GRAPHQL_INTROSPECTION: 'on' };
    expect(readConfig(settings)).toMatchObject({ host: '127.0.0.1', introspection: true });
  });

  test('the embedded database is refused unless it is allowed', () => {
    expect(keysOf(problemsOf({ NODE_ENV, BASE_URL }))).toEqual(['MONGODB_URI']);
    expect(readConfig({ NODE_ENV, BASE_URL, EMBEDDED_DATABASE: 'allow' }).database.kind).toBe('embedded');
  });

  test('a database in memory is refused in one sentence, even if the embedded database is allowed', () => {
    const settings = { NODE_ENV, BASE_URL, EMBEDDED_DATABASE: 'allow', DATA_DIR: ':memory:' };
    expect(problemsOf(settings)).toEqual([
      'DATA_DIR must not be :memory: in production, where all accounts would be gone after a restart.',
    ]);
  });

  test.each(['', ' '])('a missing BASE_URL is refused in one sentence (%j)', (baseUrl) => {
    expect(problemsOf({ NODE_ENV, MONGODB_URI, BASE_URL: baseUrl })).toEqual([
      'BASE_URL must be set in production, to the address that callers use: links to documents begin with it.',
    ]);
  });

  test('a BASE_URL that cannot be used is one problem, not two', () => {
    expect(keysOf(problemsOf({ NODE_ENV, MONGODB_URI, BASE_URL: 'auth.example.org' }))).toEqual(['BASE_URL']);
  });
});

/** Invalid values for each setting. */
const UNUSABLE: Record<string, string[]> = {
  NODE_ENV: ['prod', 'Production'],
  PORT: ['65536', '-1', '80a', '1.5', '0x10'],
  BASE_URL: [
    'example.org',
    'ftp://example.org',
    '/gateway',
    'https://example.org/?a=b',
    'https://example.org/?',
    'https://example.org/#',
    'https://u:p@example.org',
    'https://:p@example.org',
    'https:\\\\example.org',
    'https:example.org',
    'https://example.org/a b',
  ],
  MONGODB_URI: ['localhost:27017', 'postgres://127.0.0.1/test', 'mongodb://'],
  EMBEDDED_DATABASE: ['yes'],
  BACKUP_EVERY_HOURS: ['0', '8761', 'daily'],
  BACKUP_KEEP: ['0', '1001', 'all'],
  BCRYPT_COST: ['3', '21', 'high'],
  PASSWORD_MIN_CHARACTERS: ['0', '73'],
  PASSWORD_CHECK: ['on', 'COMMON', 'leaked'],
  TOKEN_PREFIX: ['a|b', 'a b', 'x'.repeat(33)],
  MAX_FILE_BYTES: ['0', '10MB'],
  MAX_UPLOADS: ['0', 'off'],
  // With the default for the largest file, bodies may have 31 MiB.
  MAX_UPLOAD_BYTES: ['32505855', 'off'],
  MAX_ADDRESS_UPLOADS: ['0', 'many'],
  MAX_ADDRESS_UPLOAD_BYTES: ['32505855', '320MB'],
  DOCUMENT_CHECK: ['none'],
  FEDERATION: ['yes', '2'],
  FORWARD_AUTH: ['on', 'METRICS'],
  INTROSPECTION_CLIENTS: ['appointments', 'appointments:secret'],
  RATE_LIMIT: ['yes', '0'],
  RATE_LIMIT_LOGINS_PER_MINUTE: ['0', 'many'],
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: ['0', 'none'],
  RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: ['-1', 'OFF'],
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: ['0', 'many'],
  TOKEN_LIFETIME_MINUTES: ['0', '1.5', '52560001'],
  TOKEN_IDLE_MINUTES: ['0', 'never'],
  MAX_TOKENS_PER_ACCOUNT: ['0', '-1', '1001', 'all'],
  AUDIT_RETENTION_DAYS: ['0', 'for ever'],
  METRICS: ['9464', 'true'],
  SMTP_URL: [
    'mail.example.org',
    'mail.example.org:587',
    'http://mail.example.org',
    'smtp://',
    'smtp://mail.example.org/path',
    'smtp://mail.example.org#part',
    'smtp://mail.example.org?tls=maybe',
    'smtp://mail.example.org?pool=true',
    'smtps://mail.example.org?tls=off',
    'smtp://user@mail.example.org',
    'smtp://:password@mail.example.org',
    'smtp://us%er:password@mail.example.org',
    'smtp://mail.example.org:99999',
  ],
  MAIL_FROM: [
    'Clinic',
    'Clinic <clinic>',
    'a@example.org, b@example.org',
    'A <a@example.org>, B <b@example.org>',
    'A\nBcc: b@example.org <a@example.org>',
    '<<a@example.org>>',
  ],
  PASSWORD_RESET_URL: [
    'https://app.example.org/reset',
    'app.example.org/{token}',
    'ftp://app.example.org/{token}',
    'https://{token}.example.org/',
    'https://app.example.org{token}',
    'https://app.example.org:{token}',
    'https://me:secret@app.example.org/{token}',
    'https://app.example.org/{token}/{token}',
    'https://app.example.org/a b/{token}',
  ],
  METRICS_PORT: ['-1', '65536', 'off'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317', 'http://u:p@collector:4318'],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'HTTP/JSON'],
  OTEL_EXPORTER_OTLP_HEADERS: [
    'secret',
    '=secret',
    'a key=secret',
    'key=secret%',
    'key=a%0Asecret',
    'k(=secret',
  ],
  OTEL_RESOURCE_ATTRIBUTES: ['production', 'a=1,b', 'a=%'],
  OTEL_TRACES_SAMPLER: ['on', 'jaeger_remote', 'ALWAYS_ON'],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', '10%', '1e-3', 'NaN'],
  OTEL_BSP_SCHEDULE_DELAY: ['0', '60001', '5s'],
  UV_THREADPOOL_SIZE: ['1', '0', 'all'],
  TRUST_PROXY: [
    'everybody',
    '10.0.0.300',
    '10.0.0.0/33',
    '::/129',
    '0.0.0.0/0',
    '10.0.0.0/8/8',
    'loopback, everybody',
    '10.0.0.1,',
  ],
  CORS_ORIGINS: [
    '*',
    'null',
    'app.example.org',
    'https://app.example.org/',
    'https://app.example.org/path',
    'https://APP.example.org',
    'https://app.example.org:443',
    'https://*.example.org',
    'https://user@app.example.org',
    'file://app',
    'https://a.example https://b.example',
    'https://a.example,',
  ],
  GRAPHQL_INTROSPECTION: ['true'],
  PAGES: ['yes'],
  LOG_LEVEL: ['loud'],
  START_WAIT_SECONDS: ['-1', 'long'],
  STOP_GRACE_SECONDS: ['-1', 'long'],
};

describe('backups', () => {
  test('without BACKUP_DIR none are made, and with it one a day, of which seven are kept', () => {
    expect(readConfig({}).backup).toBeUndefined();
    const dir = path.resolve('../backups');
    expect(readConfig({ BACKUP_DIR: '../backups' }).backup).toEqual({
      dir,
      everyMillis: 86_400_000,
      keep: 7,
    });
    const settings = { BACKUP_DIR: '/srv/backups', BACKUP_EVERY_HOURS: '1', BACKUP_KEEP: '48' };
    expect(readConfig(settings).backup).toEqual({ dir: '/srv/backups', everyMillis: 3_600_000, keep: 48 });
  });

  test('a BACKUP_DIR beside a MongoDB, or a database in memory, is refused', () => {
    const [beside = ''] = problemsOf({ BACKUP_DIR: '/srv/backups', MONGODB_URI });
    expect(beside).toMatch(/^BACKUP_DIR .*mongodump/);
    const [inMemory = ''] = problemsOf({ BACKUP_DIR: '/srv/backups', DATA_DIR: ':memory:' });
    expect(inMemory).toMatch(/^BACKUP_DIR .*:memory:.*mongodump/);
  });

  test.each([
    ['.data', { BACKUP_DIR: '.data' }],
    ['.data', { BACKUP_DIR: '.data/backups' }],
    ['.data', { BACKUP_DIR: '/srv/data/../data/backups', DATA_DIR: '/srv/data' }],
    ['storage', { BACKUP_DIR: 'storage/backups' }],
    ['storage', { BACKUP_DIR: '/srv/documents', STORAGE_DIR: '/srv/documents/' }],
  ])('backups inside of %s are refused: %j', (_folder, settings) => {
    expect(keysOf(problemsOf(settings))).toEqual(['BACKUP_DIR']);
  });

  test.each([
    { BACKUP_DIR: '.data-backups' },
    { BACKUP_DIR: '..data' },
    { BACKUP_DIR: '/srv', DATA_DIR: '/srv/data' },
  ])('backups beside or above the data are accepted: %j', (settings) => {
    expect(problemsOf(settings)).toEqual([]);
  });
});

test.each(Object.entries(UNUSABLE))('an unusable %s is named by its key', (key, values) => {
  for (const value of values) {
    expect(keysOf(problemsOf({ [key]: value }))).toEqual([key]);
  }
});

test.each(Object.keys(UNUSABLE))('the error about an unusable %s does not contain its value', (key) => {
  const problems = problemsOf({ [key]: 'hunter2 !|' });
  expect(keysOf(problems)).toEqual([key]);
  expect(problems.join()).not.toContain('hunter2');
});

test('one error reports all problems, also in its message', () => {
  const settings = Object.fromEntries(Object.entries(UNUSABLE).map(([key, [value = '']]) => [key, value]));
  expect(keysOf(problemsOf(settings)).sort()).toEqual(Object.keys(UNUSABLE).sort());
  expect(() => readConfig(settings)).toThrow(/PORT[\s\S]*LOG_LEVEL/);
});

test('the error about a connection string does not contain its password', () => {
  const problems = problemsOf({ MONGODB_URI: 'mongo://user:hunter2-secret@db/test' });
  expect(problems).toHaveLength(1);
  expect(problems.join()).not.toContain('hunter2');
});
