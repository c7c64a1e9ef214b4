import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

/** Mails need it. */
const RESETS = { PASSWORD_RESET_URL: 'https://app.example.org/reset/{token}' };

test('mails need the page for a new password, which may have the token in path, query or fragment', () => {
  const mail = { NODE_ENV: 'test', SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'clinic@example.org' };
  expect(problemsOf(mail)).toEqual([
    'PASSWORD_RESET_URL must be set with SMTP_URL, to the page for a new password, with {token} in it, or PEOPLE_URL.',
  ]);
  expect(readConfig({ NODE_ENV: 'test' }).passwordResetUrl).toBeUndefined();
  for (const url of [
    'https://app.example.org/reset/{token}',
    'http://localhost:5173/?reset={token}&lang=en',
    'https://app.example.org#{token}',
  ]) {
    expect(readConfig({ ...mail, PASSWORD_RESET_URL: url }).passwordResetUrl).toBe(url);
  }
});

test('the page that confirms an e-mail is optional, and needs a mail server', () => {
  const mail = { NODE_ENV: 'test', SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'clinic@example.org', ...RESETS };
  expect(readConfig(mail).emailVerificationUrl).toBeUndefined();
  const url = 'https://app.example.org/confirm#token={token}';
  expect(readConfig({ ...mail, EMAIL_VERIFICATION_URL: url }).emailVerificationUrl).toBe(url);
  expect(problemsOf({ EMAIL_VERIFICATION_URL: url })).toEqual([
    'EMAIL_VERIFICATION_URL needs SMTP_URL: the links are mailed.',
  ]);
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

test('mails to accounts without a language are in English, or in the language of MAIL_LANGUAGE', () => {
  expect(readConfig({}).mailLanguage).toBe('en');
  expect(readConfig({ MAIL_LANGUAGE: ' ' }).mailLanguage).toBe('en');
  expect(readConfig({ MAIL_LANGUAGE: 'de' }).mailLanguage).toBe('de');
  expect(readConfig({}).timeZone).toBe('UTC');
  expect(readConfig({ TIME_ZONE: 'Europe/Berlin' }).timeZone).toBe('Europe/Berlin');
  expect(problemsOf({ TIME_ZONE: 'Berlin' })).toEqual([
    'TIME_ZONE must be the name of a time zone, such as UTC or Europe/Berlin.',
  ]);
  expect(problemsOf({ MAIL_LANGUAGE: 'fr' })).toEqual(['MAIL_LANGUAGE must be one of en, de.']);
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
