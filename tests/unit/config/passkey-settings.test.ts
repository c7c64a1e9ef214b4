import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const passkeysOf = (settings: Record<string, string>) => readConfig(settings).passkeys;

test('without PASSKEY_RP_ID there are no passkeys', () => {
  expect(passkeysOf({})).toBeUndefined();
  expect(passkeysOf({ PASSKEY_RP_ID: '' })).toBeUndefined();
});

test('by default, the domain and the origins of CORS at or below it may use them', () => {
  const CORS_ORIGINS = [
    ...['https://example.org', 'https://app.example.org:8443', 'https://notexample.org'],
    ...['http://old.example.org', 'https://example.org.evil.example'],
  ].join(',');
  expect(passkeysOf({ PASSKEY_RP_ID: 'example.org', CORS_ORIGINS })).toEqual({
    ...{ rpId: 'example.org', name: 'example.org' },
    origins: ['https://example.org', 'https://app.example.org:8443'],
  });
  const local = 'capacitor://localhost,http://localhost:5173,ionic://localhost';
  expect(passkeysOf({ PASSKEY_RP_ID: 'localhost', CORS_ORIGINS: local })?.origins).toEqual([
    'https://localhost',
    'http://localhost:5173',
    'http://localhost:4000',
  ]);
});

test('PASSKEY_ORIGINS takes their place, and PASSKEY_NAME that of the domain', () => {
  const android = `android:apk-key-hash:${'a'.repeat(43)}`;
  const settings = { PASSKEY_RP_ID: 'example.org', PASSKEY_NAME: 'St. Mary' };
  const origins = ['https://other.example', android, 'http://app.localhost:3000'];
  expect(passkeysOf({ ...settings, PASSKEY_ORIGINS: origins.join(', ') })).toEqual({
    ...{ rpId: 'example.org', name: 'St. Mary', origins },
  });
});

test('origins need a domain, and a name is one line', () => {
  expect(problemsOf({ PASSKEY_ORIGINS: 'https://example.org' })).toEqual([
    'PASSKEY_ORIGINS needs PASSKEY_RP_ID.',
  ]);
  for (const name of ['a\nb', 'x'.repeat(65)]) {
    expect(problemsOf({ PASSKEY_RP_ID: 'example.org', PASSKEY_NAME: name })).toHaveLength(1);
  }
});

test('a policy needs an app or passkeys', () => {
  const required = { TWO_FACTOR_REQUIRED: 'reviewer' };
  expect(problemsOf(required)).toHaveLength(1);
  expect(problemsOf({ ...required, PASSKEY_RP_ID: 'example.org' })).toEqual([]);
});
