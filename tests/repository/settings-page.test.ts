import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { SettingsReader } from '../../src/config/settings-reader.ts';

const [tables = '', secrets = ''] = readFileSync('docs/settings.md', 'utf8').split('\n## Secrets in files\n');
/** The text of the column "Default", by setting. */
const documented = new Map(
  [...tables.matchAll(/^\| `([A-Z0-9_]+)` \|(.*?)\|/gm)].map(([, key = '', text = '']) => [key, text.trim()]),
);

/** Production, where each default that depends on another setting differs from that in development. */
const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://auth.example.org',
  MONGODB_URI: 'mongodb://127.0.0.1/test',
  TRUST_PROXY: '1',
};

/** The defaults that reading these settings asks for, by the names of all settings. */
function defaultsOf(settings: Record<string, string>): Map<string, string> {
  const text = jest.spyOn(SettingsReader.prototype, 'text');
  readConfig(settings);
  // Asking whether a setting is set has no default.
  const defaults = new Map<string, string>();
  for (const [key, fallback] of text.mock.calls) {
    defaults.set(key, fallback || (defaults.get(key) ?? ''));
  }
  text.mockRestore();
  return defaults;
}

const inDevelopment = defaultsOf({});
const inProduction = defaultsOf(PRODUCTION);
const fileKeys = [...inDevelopment.keys()].filter((key) => inDevelopment.has(`${key}_FILE`));

test('docs/settings.md has every setting, and no other', () => {
  // The former name of a setting has no row, nor have the files of secrets.
  const known = [...inDevelopment.keys(), ...inProduction.keys()].filter(
    (key) => key !== 'PASSWORD_MIN_BYTES',
  );
  const files = fileKeys.map((key) => `${key}_FILE`);
  expect([...documented.keys()].sort()).toEqual(
    [...new Set(known)].filter((key) => !files.includes(key)).sort(),
  );
});

/** Defaults that are made from another setting, or are no text. */
const IN_WORDS = {
  BASE_URL: 'the address listened on',
  METRICS_HOST: '`HOST`',
  PEOPLE_URL: 'in development `BASE_URL` or `http://localhost:PORT`, and `/people`; else none',
  PASSKEY_NAME: 'name of the [brand](#brand), else `PASSKEY_RP_ID`',
  PASSKEY_ORIGINS: '`https://<PASSKEY_RP_ID>`, and those of `CORS_ORIGINS` at or below it',
  TWO_FACTOR_ISSUER: 'name of the [brand](#brand), else host of `BASE_URL`',
  S3_ENDPOINT: "Amazon's",
  MAX_UPLOAD_BYTES: '130 of the largest',
  MAX_ADDRESS_UPLOAD_BYTES: '10 of the largest',
};

test('docs/settings.md has the defaults with which the settings are read', () => {
  const expected = [...documented.keys()].map((key) => {
    const texts = [inDevelopment.get(key), inProduction.get(key)].filter(Boolean);
    return [key, new Set(texts)] as const;
  });
  const shown = [...documented].map(([key, text]) => {
    const words = [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
    return [key, new Set(words.filter((word) => !documented.has(word)))] as const;
  });
  const inCode = ([key]: readonly [string, unknown]) => !(key in IN_WORDS);
  expect(Object.fromEntries(shown.filter(inCode))).toEqual(Object.fromEntries(expected.filter(inCode)));
  expect(Object.fromEntries([...documented].filter(([key]) => key in IN_WORDS))).toEqual(IN_WORDS);
});

test('docs/settings.md names every setting that can come from a file', () => {
  const named = [...(/^`[A-Z].*(?:\n`.*)*$/m.exec(secrets)?.[0] ?? '').matchAll(/`(\w+)`/g)];
  expect(named.map(([, name]) => name).sort()).toEqual(fileKeys.sort());
});
