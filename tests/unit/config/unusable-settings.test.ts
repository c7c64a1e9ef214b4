import { readConfig } from '../../../src/config/config.ts';
import { keysOf, problemsOf } from '../../support/config-problems.ts';
import { mailSettings } from '../../support/reset-codes.ts';

/** Invalid values of settings. */
const UNUSABLE: [key: string, values: string[]][] = [
  ['NODE_ENV', ['prod', 'Production']],
  ['PORT', ['65536', '-1', '80a', '1.5', '0x10']],
  ['BASE_URL', ['example.org', 'ftp://example.org', '/gateway', 'https://example.org/?a=b']],
  ['BASE_URL', ['https://example.org/?', 'https://example.org/#', 'https://u:p@example.org']],
  ['BASE_URL', ['https://:p@example.org', 'https:\\\\example.org', 'https:example.org']],
  ['BASE_URL', ['https://example.org/a b']],
  ['MONGODB_URI', ['localhost:27017', 'postgres://127.0.0.1/test', 'mongodb://']],
  ['EMBEDDED_DATABASE', ['yes']],
  ['BACKUP_EVERY_HOURS', ['0', '8761', 'daily']],
  ['BACKUP_KEEP', ['0', '1001', 'all']],
  ['BCRYPT_COST', ['3', '21', 'high']],
  ['PASSWORD_MIN_CHARACTERS', ['0', '73']],
  ['PASSWORD_CHECK', ['on', 'COMMON', 'leaked']],
  ['DOCTOR_REGISTRATION', ['on', 'closed']],
  ['PATIENT_REGISTRATION', ['invite', 'OPEN']],
  ['TOKEN_PREFIX', ['a|b', 'a b', 'x'.repeat(33)]],
  ['MAX_FILE_BYTES', ['0', '10MB']],
  ['MAX_UPLOADS', ['0', 'off']],
  // With the default for the largest file, bodies may have 31 MiB.
  ['MAX_UPLOAD_BYTES', ['32505855', 'off']],
  ['MAX_ADDRESS_UPLOADS', ['0', 'many']],
  ['MAX_ADDRESS_UPLOAD_BYTES', ['32505855', '320MB']],
  ['DOCUMENT_CHECK', ['none']],
  ['FEDERATION', ['yes', '2']],
  ['FORWARD_AUTH', ['on', 'METRICS']],
  ['INTROSPECTION_CLIENTS', ['appointments', 'appointments:secret']],
  ['RATE_LIMIT', ['yes', '0']],
  ['RATE_LIMIT_LOGINS_PER_MINUTE', ['0', 'many']],
  ['RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE', ['0', 'none']],
  ['RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE', ['-1', 'OFF']],
  ['RATE_LIMIT_REGISTRATIONS_PER_MINUTE', ['0', 'many']],
  ['TOKEN_LIFETIME_MINUTES', ['0', '1.5', '52560001']],
  ['TOKEN_IDLE_MINUTES', ['0', 'never']],
  ['STAFF_TOKEN_LIFETIME_MINUTES', ['0', '1.5', '52560001']],
  ['STAFF_TOKEN_IDLE_MINUTES', ['0', 'never', '-1']],
  ['MAX_TOKENS_PER_ACCOUNT', ['0', '-1', '1001', 'all']],
  ['AUDIT_RETENTION_DAYS', ['0', 'for ever']],
  ['METRICS', ['9464', 'true']],
  ['SMTP_URL', ['mail.example.org', 'mail.example.org:587', 'http://mail.example.org', 'smtp://']],
  ['SMTP_URL', ['smtp://mail.example.org/path', 'smtp://mail.example.org#part']],
  ['SMTP_URL', ['smtp://mail.example.org?tls=maybe', 'smtp://mail.example.org?pool=true']],
  ['SMTP_URL', ['smtps://mail.example.org?tls=off', 'smtp://user@mail.example.org']],
  ['SMTP_URL', ['smtp://:password@mail.example.org', 'smtp://us%er:password@mail.example.org']],
  ['SMTP_URL', ['smtp://mail.example.org:99999']],
  ['MAIL_FROM', ['Clinic', 'Clinic <clinic>', 'a@example.org, b@example.org']],
  ['MAIL_FROM', ['A <a@example.org>, B <b@example.org>', 'A\nBcc: b@example.org <a@example.org>']],
  ['MAIL_FROM', ['<<a@example.org>>']],
  ['TIME_ZONE', ['Berlin', 'Europe/berlin/x', '+02:00', '-0500', 'x'.repeat(99), '__proto__']],
  ['MAIL_LANGUAGE', ['fr', 'DE', 'de-AT', 'de,en', '__proto__', 'constructor']],
  ['PASSWORD_RESET_URL', ['https://app.example.org/reset', 'app.example.org/{token}']],
  ['PASSWORD_RESET_URL', ['ftp://app.example.org/{token}', 'https://{token}.example.org/']],
  ['PASSWORD_RESET_URL', ['https://app.example.org{token}', 'https://app.example.org:{token}']],
  ['PASSWORD_RESET_URL', ['https://me:secret@app.example.org/{token}']],
  ['PASSWORD_RESET_URL', ['https://app.example.org/{token}/{token}', 'https://app.example.org/a b/{token}']],
  ['METRICS_PORT', ['-1', '65536', 'off']],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://collector:4317', 'http://u:p@collector:4318']],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'HTTP/JSON']],
  ['OTEL_EXPORTER_OTLP_HEADERS', ['secret', '=secret', 'a key=secret', 'key=secret%', 'key=a%0Asecret']],
  ['OTEL_EXPORTER_OTLP_HEADERS', ['k(=secret']],
  ['OTEL_RESOURCE_ATTRIBUTES', ['production', 'a=1,b', 'a=%']],
  ['OTEL_TRACES_SAMPLER', ['on', 'jaeger_remote', 'ALWAYS_ON']],
  ['OTEL_TRACES_SAMPLER_ARG', ['-0.1', '1.1', '10%', '1e-3', 'NaN']],
  ['OTEL_BSP_SCHEDULE_DELAY', ['0', '60001', '5s']],
  ['UV_THREADPOOL_SIZE', ['1', '0', 'all']],
  ['TRUST_PROXY', ['everybody', '10.0.0.300', '10.0.0.0/33', '::/129', '0.0.0.0/0', '10.0.0.0/8/8']],
  ['TRUST_PROXY', ['loopback, everybody', '10.0.0.1,']],
  ['CORS_ORIGINS', ['*', 'null', 'app.example.org', 'https://app.example.org/']],
  ['CORS_ORIGINS', ['https://app.example.org/path', 'https://APP.example.org']],
  ['CORS_ORIGINS', ['https://app.example.org:443', 'https://*.example.org', 'https://user@app.example.org']],
  ['CORS_ORIGINS', ['file://app', 'file://', 'capacitor://localhost/', 'capacitor://LOCALHOST']],
  ['CORS_ORIGINS', ['Capacitor://localhost', 'capacitor://*', 'capacitor://user@localhost']],
  ['CORS_ORIGINS', ['capacitor:localhost', 'capacitor://', 'https://a.example https://b.example']],
  ['CORS_ORIGINS', ['https://a.example,']],
  ['GRAPHQL_INTROSPECTION', ['true']],
  ['PAGES', ['yes']],
  ['LOG_LEVEL', ['loud']],
  ['START_WAIT_SECONDS', ['-1', 'long']],
  ['STOP_GRACE_SECONDS', ['-1', 'long']],
  ['KEEP_ALIVE_SECONDS', ['0', '-1', '3601', 'off', '1.5']],
];

const KEYS = [...new Set(UNUSABLE.map(([key]) => key))];

test.each(UNUSABLE)('an unusable %s is named by its key: %j', (key, values) => {
  for (const value of values) {
    expect(keysOf(problemsOf({ [key]: value }))).toEqual([key]);
  }
});

test.each(KEYS)('the error about an unusable %s does not contain its value', (key) => {
  const problems = problemsOf({ [key]: 'hunter2 !|' });
  expect(keysOf(problems)).toEqual([key]);
  expect(problems.join()).not.toContain('hunter2');
});

const PEOPLE_URL = 'https://login.example.org/people';
const MAIL = { ...mailSettings('smtp://127.0.0.1'), NODE_ENV: 'test' };
const LINK = 'must be an absolute http or https address with {token} once in its path, query or fragment';
const QUOTES = '; in .env, a value with # needs quotes.';
const NO_DOMAIN = 'must be a domain in lower case, such as example.org, or localhost.';
const NO_QUERY = 'must be an absolute http or https address without query.';
const NO_ORIGINS =
  'must be origins such as https://app.example.org, or android:apk-key-hash:<SHA-256 in base64url>, separated by commas; http only on localhost.';
const SHORT = 'must be at least 32 characters for DOCUMENT_ACCESS=signed.';
const RP_ID = { PASSKEY_RP_ID: 'example.org' };

/** The text about invalid values, beside other settings. */
const TEXTS: [key: string, values: string[], text: string, others?: Record<string, string>][] = [
  ['PEOPLE_URL', ['login.example.org/people', 'ftp://example.org', 'https://a:b@example.org'], NO_QUERY],
  ['PEOPLE_URL', [`${PEOPLE_URL}?a`, `${PEOPLE_URL}#`], NO_QUERY],
  [
    'PEOPLE_RETURN_URL',
    ['javascript:alert(1)', '/home', 'https://'],
    'must be an absolute http or https address.',
  ],
  [
    'PEOPLE_RETURN_URL',
    ['https://a:b@c.example', 'https://a.example/ b'],
    'must be an absolute http or https address.',
  ],
  ['EMAIL_VERIFICATION_URL', ['https://app.example.org/confirm'], LINK + QUOTES, MAIL],
  ['EMAIL_VERIFICATION_URL', ['https://{token}.example.org/', '/confirm/{token}'], `${LINK}.`, MAIL],
  ['EMAIL_VERIFICATION_URL', ['https://app.example.org/{token}/{token}'], `${LINK}.`, MAIL],
  ['EMAIL_VERIFICATION_URL', ['ftp://app.example.org/{token}'], `${LINK}.`, MAIL],
  ['EMAIL_VERIFICATION_URL', ['https://user:secret@app.example.org/{token}'], `${LINK}.`, MAIL],
  ['PASSKEY_RP_ID', ['https://example.org', 'example.org:443', 'Example.org', 'org', '127.0.0.1'], NO_DOMAIN],
  ['PASSKEY_RP_ID', ['[::1]', 'ex ample.org', '.example.org', 'example.org.', '-a.example.org'], NO_DOMAIN],
  ['PASSKEY_RP_ID', [`${'a'.repeat(64)}.org`], NO_DOMAIN],
  [
    'PASSKEY_ORIGINS',
    ['http://example.org', 'https://example.org/', 'https://*.example.org'],
    NO_ORIGINS,
    RP_ID,
  ],
  ['PASSKEY_ORIGINS', ['example.org', 'android:apk-key-hash:short', 'ftp://example.org'], NO_ORIGINS, RP_ID],
  ['S3_BUCKET', [''], 'must be set for DOCUMENT_STORE=s3.', { DOCUMENT_STORE: 's3' }],
  ['DOCUMENT_URL_SECRET', ['', 'short'], SHORT, { DOCUMENT_ACCESS: 'signed' }],
];

test.each(TEXTS)('the text about an unusable %s says what to do: %j', (key, values, text, others = {}) => {
  for (const value of values) {
    expect(problemsOf({ ...others, [key]: value })).toEqual([`${key} ${text}`]);
  }
});

test('one error reports all problems, also in its message', () => {
  const settings = Object.fromEntries(UNUSABLE.map(([key, [value = '']]) => [key, value]));
  expect(keysOf(problemsOf(settings)).sort()).toEqual(KEYS.sort());
  expect(() => readConfig(settings)).toThrow(/PORT[\s\S]*LOG_LEVEL/);
});

test('the error about a connection string does not contain its password', () => {
  const problems = problemsOf({ MONGODB_URI: 'mongo://user:hunter2-secret@db/test' });
  expect(problems).toHaveLength(1);
  expect(problems.join()).not.toContain('hunter2');
});

test('secrets that nothing uses are not checked', () => {
  expect(problemsOf({ DOCUMENT_URL_SECRET: 'short', S3_ACCESS_KEY_ID: 'x' })).toEqual([]);
});
