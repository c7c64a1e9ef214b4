import { type Config, type Environment, readConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/settings-reader.ts';
import { error, type Finding } from './finding.ts';
import { misspelt } from './misspelt.ts';

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
      'Correct the setting: docs/settings.md has all of them. The gateway does not start with this.';
    // A setting may be missing because its name is misspelt.
    const problems = [
      ...failure.problems.map((problem) => error(problem, todo)),
      ...misspelt(environment, names),
    ];
    return { config: undefined, problems, names };
  }
}
