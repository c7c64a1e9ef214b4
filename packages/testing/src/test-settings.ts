import { PASSKEY_SETTINGS } from './passkeys.ts';

/**
 * Settings of the gateway by their names in docs/settings.md, such as `{ TOKEN_LIFETIME_MINUTES: '60' }`. `undefined` restores the
 * gateway's own default.
 */
export type GatewaySettings = Readonly<Record<string, string | undefined>>;

/** Settings, and the services behind the gateway. */
export type TestGatewayOptions = {
  /** The ids of services that may ask about tokens. `secretOf` has their secrets. */
  readonly services?: readonly string[];
} & { readonly [setting: Uppercase<string>]: string | undefined };

/** Cheap hashes, no limits, any password of the right length, and nothing in the output but unexpected errors. */
const TEST_SETTINGS: GatewaySettings = {
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  BCRYPT_COST: '4',
  RATE_LIMIT: 'off',
  PASSWORD_CHECK: 'off',
  TWO_FACTOR_SECRET: 'a secret of test gateways, which protects nothing',
  ...PASSKEY_SETTINGS,
  MAIL_FROM: 'Test gateway <gateway@example.org>',
  PASSWORD_RESET_URL: 'http://localhost/reset?token={token}',
  // The same as the limit for all addresses, because all uploads of a test come from one address.
  MAX_ADDRESS_UPLOADS: '300',
  LOG_LEVEL: 'error',
  STOP_GRACE_SECONDS: '1',
};

/** The variables that a process needs to run and to make temporary files. */
const SYSTEM_VARIABLES = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];

/**
 * The whole environment of a test gateway. It has no other variables of this process: a `PORT` or a `MONGODB_URI` in the tests
 * of a service belongs to that service.
 */
export const environmentFor = (settings: GatewaySettings): Record<string, string | undefined> => ({
  ...Object.fromEntries(SYSTEM_VARIABLES.map((name) => [name, process.env[name]])),
  ...TEST_SETTINGS,
  ...settings,
});
