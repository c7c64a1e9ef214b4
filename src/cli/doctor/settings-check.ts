import { type Config, type Environment, readConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/settings-reader.ts';
import { nearest } from '../command-help.ts';
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
    yield* misspelt(examined.environment, examined.settingNames);
    yield* risky(examined);
  },
};

function* risky({ config }: Examined): Generator<Finding> {
  if (config.rateLimit.loginsPerMinute === undefined) {
    yield warning(
      'Passwords can be guessed without a limit: RATE_LIMIT or RATE_LIMIT_LOGINS_PER_MINUTE is off.',
      'Remove the setting, unless something in front of the gateway limits logins.',
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

/** Other programs have variables, too. Words without `_` are too short to tell which was meant. */
const LIKE_A_SETTING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const MIN_CHARACTERS = 7;

/**
 * Finds variables that are almost the name of a setting. The gateway ignores them without a word.
 * @param settingNames the names of all settings, set or not
 */
function* misspelt(environment: Environment, settingNames: ReadonlySet<string>): Generator<Finding> {
  const candidates = [...settingNames].filter(
    (name) => name.length >= MIN_CHARACTERS && LIKE_A_SETTING.test(name),
  );
  for (const name of Object.keys(environment)) {
    const isOther = !settingNames.has(name) && name.length >= MIN_CHARACTERS && LIKE_A_SETTING.test(name);
    const meant = isOther ? nearest(name, candidates) : undefined;
    if (meant !== undefined) {
      yield warning(`${name} is set, but is not a setting.`, `If you mean ${meant}, rename it.`);
    }
  }
}

/** The settings, or what is wrong with them. */
interface ReadSettings {
  /** undefined if the gateway cannot use them. */
  config: Config | undefined;
  problems: Finding[];
  /** The names of all settings that were asked for, set or not. */
  names: ReadonlySet<string>;
}

/** Reads the settings as the gateway does, and notes the name of each. */
export function readSettings(environment: Environment): ReadSettings {
  const names = new Set<string>();
  const noting = new Proxy(environment, {
    get: (target, name) => {
      names.add(String(name));
      return Reflect.get(target, name);
    },
  });
  try {
    return { config: readConfig(noting), problems: [], names };
  } catch (failure) {
    if (!(failure instanceof ConfigError)) {
      throw failure;
    }
    const todo =
      'The gateway does not start with this. Correct the setting: docs/settings.md has all of them.';
    // A setting may be missing because its name is misspelt.
    const problems = [
      ...failure.problems.map((problem) => error(problem, todo)),
      ...misspelt(environment, names),
    ];
    return { config: undefined, problems, names };
  }
}
