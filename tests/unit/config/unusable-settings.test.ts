import { readConfig } from '../../../src/config/config.ts';
import { keysOf, problemsOf } from '../../support/config-problems.ts';

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
  DOCTOR_REGISTRATION: ['on', 'closed'],
  PATIENT_REGISTRATION: ['invite', 'OPEN'],
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
  STAFF_TOKEN_LIFETIME_MINUTES: ['0', '1.5', '52560001'],
  STAFF_TOKEN_IDLE_MINUTES: ['0', 'never', '-1'],
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
  TIME_ZONE: ['Berlin', 'Europe/berlin/x', '+02:00', '-0500', 'x'.repeat(99), '__proto__'],
  MAIL_LANGUAGE: ['fr', 'DE', 'de-AT', 'de,en', '__proto__', 'constructor'],
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
    'file://',
    'capacitor://localhost/',
    'capacitor://LOCALHOST',
    'Capacitor://localhost',
    'capacitor://*',
    'capacitor://user@localhost',
    'capacitor:localhost',
    'capacitor://',
    'https://a.example https://b.example',
    'https://a.example,',
  ],
  GRAPHQL_INTROSPECTION: ['true'],
  PAGES: ['yes'],
  LOG_LEVEL: ['loud'],
  START_WAIT_SECONDS: ['-1', 'long'],
  STOP_GRACE_SECONDS: ['-1', 'long'],
  KEEP_ALIVE_SECONDS: ['0', '-1', '3601', 'off', '1.5'],
};

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
