import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const PEOPLE_URL = 'https://login.example.org/people';
const MAIL = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'clinic@example.org' };

const urlOf = (settings: Record<string, string>) => readConfig(settings).people?.url;

test('the pages for people have a default address in development alone, where it is known before the start', () => {
  expect(urlOf({})).toBe('http://localhost:4000/people');
  expect(urlOf({ BASE_URL: 'http://gateway.test/', PORT: '0' })).toBe('http://gateway.test/people');
  expect(urlOf({ PORT: '0' })).toBeUndefined();
  expect(urlOf({ NODE_ENV: 'test' })).toBeUndefined();
  expect(urlOf({ NODE_ENV: 'test', PEOPLE_URL: `${PEOPLE_URL}/` })).toBe(PEOPLE_URL);
});

test('the address to go back to needs the pages', () => {
  const returnUrlOf = (PEOPLE_RETURN_URL: string) => readConfig({ PEOPLE_RETURN_URL }).people?.returnUrl;
  expect(returnUrlOf('https://app.example.org/clinic/?a=1#/home')).toBe(
    'https://app.example.org/clinic/?a=1#/home',
  );
  expect(returnUrlOf('')).toBeUndefined();
  expect(problemsOf({ NODE_ENV: 'test', PEOPLE_RETURN_URL: 'https://app.example.org' })).toEqual([
    'PEOPLE_RETURN_URL needs PEOPLE_URL.',
  ]);
});

test('the pages stand in for the addresses of links that are not set', () => {
  const people = { ...MAIL, NODE_ENV: 'test', PEOPLE_URL };
  expect(readConfig(people)).toMatchObject({
    passwordResetUrl: `${PEOPLE_URL}#/reset?token={token}`,
    emailVerificationUrl: `${PEOPLE_URL}#/confirm?token={token}`,
  });
  const own = {
    PASSWORD_RESET_URL: 'https://app.example.org/reset#{token}',
    EMAIL_VERIFICATION_URL: 'https://app.example.org/confirm#{token}',
  };
  expect(readConfig({ ...people, ...own })).toMatchObject({
    passwordResetUrl: own.PASSWORD_RESET_URL,
    emailVerificationUrl: own.EMAIL_VERIFICATION_URL,
  });
  // Nobody gets a link that is not mailed, but operators hand out reset links.
  const { passwordResetUrl, emailVerificationUrl } = readConfig({ NODE_ENV: 'test', PEOPLE_URL });
  expect([passwordResetUrl, emailVerificationUrl]).toEqual([`${PEOPLE_URL}#/reset?token={token}`, undefined]);
});

const originsOf = (settings: Record<string, string>) => readConfig(settings).passkeys?.origins;

test('their origin joins those that may use passkeys', () => {
  const domain = { PASSKEY_RP_ID: 'example.org', PEOPLE_URL };
  expect(originsOf(domain)).toEqual(['https://example.org', 'https://login.example.org']);
  const listed = 'https://app.example.org';
  expect(originsOf({ ...domain, PASSKEY_ORIGINS: listed })).toEqual([listed, 'https://login.example.org']);
  expect(originsOf({ ...domain, PASSKEY_ORIGINS: 'https://login.example.org' })).toHaveLength(1);
  expect(originsOf({ PASSKEY_RP_ID: 'localhost' })).toEqual(['https://localhost', 'http://localhost:4000']);
});

test('a PASSKEY_RP_ID that does not fit PEOPLE_URL refuses the start, but the default of development does not', () => {
  const problem =
    'PASSKEY_RP_ID must be the host of PEOPLE_URL, or a domain above it; and PEOPLE_URL must be https, or on localhost.';
  for (const url of [
    'https://example.com/people',
    'https://badexample.org/people',
    'http://login.example.org/people',
    'https://example.org.evil.example/people',
  ]) {
    expect(problemsOf({ PASSKEY_RP_ID: 'example.org', PEOPLE_URL: url })).toEqual([problem]);
  }
  expect(
    problemsOf({ PASSKEY_RP_ID: 'login.example.org', PEOPLE_URL: 'https://example.org/people' }),
  ).toEqual([problem]);
  expect(originsOf({ PASSKEY_RP_ID: 'example.org' })).toEqual(['https://example.org']);
});
