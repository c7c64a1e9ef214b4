import { TwoFactorPolicy } from '../../auth/two-factor/policy.ts';
import { type Config, type Environment, readConfig } from '../../config/config.ts';
import type { Misspelt } from '../../config/misspelt.ts';
import { ConfigError } from '../../config/settings-reader.ts';
import { PUBLIC_ROLES } from '../../stores/roles.ts';
import { type Check, type Examined, error, type Finding, note, ok, warning } from './check.ts';

/** Settings that are valid, and still not what production wants. */
export const settingsCheck: Check = {
  name: 'settings',
  maxMillis: 5_000,
  async *run(examined) {
    const { mode } = examined.config;
    yield ok(`All settings are valid (NODE_ENV=${mode}).`);
    if (mode !== 'production') {
      const todo =
        'For real accounts, set NODE_ENV=production: docs/operations.md, "Settings that production needs".';
      yield warning(
        `NODE_ENV is ${mode}: the gateway listens on the loopback interface only, and shows its pages and schema to everybody.`,
        todo,
      );
    }
    yield* renamed(examined.config.misspelt);
    yield* risky(examined);
  },
};

/** The shortest password that may be the only proof of a person (NIST SP 800-63B-4, 3.1.1.2). */
const MIN_CHARACTERS_ALONE = 15;

function* risky({ config, clock }: Examined): Generator<Finding> {
  if (config.rateLimit.loginsPerMinute === undefined) {
    yield warning(
      'Passwords can be guessed without a limit: RATE_LIMIT or RATE_LIMIT_LOGINS_PER_MINUTE is off.',
      'Remove the setting, unless something in front of the gateway limits logins.',
    );
  }
  const policy = new TwoFactorPolicy(config.twoFactor, clock);
  const roles = Object.values(PUBLIC_ROLES).filter((role) => !policy.names(role));
  if (config.passwordMinCharacters < MIN_CHARACTERS_ALONE && roles.length > 0) {
    yield note(
      `A password of ${config.passwordMinCharacters} characters is all that these roles need: ${roles.join(', ')}. NIST SP 800-63B-4 asks for ${MIN_CHARACTERS_ALONE} without a second factor.`,
      `Set PASSWORD_MIN_CHARACTERS=${MIN_CHARACTERS_ALONE}, or add the roles to TWO_FACTOR_REQUIRED.`,
    );
  }
  const { absoluteMillis, idleMillis } = config.tokenLifetimes.staff;
  if (absoluteMillis === undefined && idleMillis === undefined) {
    yield warning(
      'Tokens of operators and reviewers never end: STAFF_TOKEN_LIFETIME_MINUTES and STAFF_TOKEN_IDLE_MINUTES are off.',
      'Remove at least one of the settings: a tab that is closed without a logout leaves a valid token behind.',
    );
  }
  const { everyone } = config.tokenLifetimes;
  if (config.people?.isChosen && everyone.absoluteMillis === undefined && everyone.idleMillis === undefined) {
    yield warning(
      'PEOPLE_URL is set, and tokens of doctors and patients never end: TOKEN_LIFETIME_MINUTES and TOKEN_IDLE_MINUTES are off.',
      'Set at least one of them: a tab that is closed without a logout leaves a valid token behind.',
    );
  }
  if (config.mode === 'production' && config.database.kind === 'embedded' && !config.backup) {
    yield warning(
      'The embedded database is not backed up: BACKUP_DIR is not set.',
      'Set BACKUP_DIR to a folder on another disk, or run auth-gateway db backup on your own schedule.',
    );
  }
  if (config.mode === 'production' && config.metricsPort === undefined) {
    yield note(
      'METRICS is off, so no alert reports a failing gateway.',
      'Set METRICS=on, and let Prometheus read the metrics.',
    );
  }
}

function* renamed(misspelt: readonly Misspelt[]): Generator<Finding> {
  for (const { name, meant } of misspelt) {
    yield warning(`${name} is set, but is not a setting.`, `If you mean ${meant}, rename it.`);
  }
}

/** The settings, or what is wrong with them. */
interface ReadSettings {
  /** undefined if the gateway cannot use them. */
  config: Config | undefined;
  problems: Finding[];
}

/** Reads the settings as the gateway does. */
export function readSettings(environment: Environment): ReadSettings {
  try {
    return { config: readConfig(environment), problems: [] };
  } catch (failure) {
    if (!(failure instanceof ConfigError)) {
      throw failure;
    }
    const todo =
      'The gateway does not start with this. Correct the setting: docs/settings.md has all of them.';
    // A setting may be missing because its name is misspelt.
    const problems = [
      ...failure.problems.map((problem) => error(problem, todo)),
      ...renamed(failure.misspelt),
    ];
    return { config: undefined, problems };
  }
}
