import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';

const MONGODB_URI = 'mongodb://127.0.0.1/test';

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
    uploadCapacity: {
      all: { places: 300, bytes: 4_225_761_280 },
      block: { places: 94, bytes: 1_172_015_305 },
      line: { places: 60, bytes: 650_117_120 },
      address: { places: 30, bytes: 325_058_560 },
    },
    trustProxy: false,
    keepAliveMillis: 5_000,
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
    rightLogins: { hour: 120, day: 1_000 },
    emailChanges: { day: 10 },
    codes: { hour: 10, day: 20 },
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
    CORS_ORIGINS: 'https://app.example.org , http://[::1]:8080,capacitor://localhost, app://a.b:80',
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
    uploadCapacity: {
      all: { places: 20, bytes: 80_000_000 },
      block: { places: 14, bytes: 18_317_868 },
      line: { places: 14, bytes: 8_388_608 },
      address: { places: 10, bytes: 4_194_304 },
    },
    rateLimit: { loginsPerMinute: undefined, registrationsPerMinute: undefined },
    trustProxy: 2,
    corsOrigins: ['https://app.example.org', 'http://[::1]:8080', 'capacitor://localhost', 'app://a.b:80'],
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

test('a connection of a proxy may be idle for longer than proxies keep theirs', () => {
  const keepAliveOf = (settings: Record<string, string>) => readConfig(settings).keepAliveMillis;
  expect(keepAliveOf({ TRUST_PROXY: 'off' })).toBe(5_000);
  expect(keepAliveOf({ TRUST_PROXY: '1' })).toBe(75_000);
  expect(keepAliveOf({ TRUST_PROXY: 'loopback' })).toBe(75_000);
  expect(keepAliveOf({ TRUST_PROXY: '1', KEEP_ALIVE_SECONDS: '610' })).toBe(610_000);
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
    rightLogins: { hour: 120, day: 1_000 },
    emailChanges: { day: 10 },
    codes: { hour: 10, day: 20 },
    addressLoginsPerMinute: undefined,
    emailLoginsPerMinute: 7,
    registrationsPerMinute: undefined,
    serviceFailuresPerMinute: 60,
    exportsPerMinute: 6,
  });
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
