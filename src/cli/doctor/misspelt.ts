import type { Environment } from '../../config/config.ts';
import { nearest } from '../nearest.ts';
import { type Finding, warning } from './finding.ts';

/** Other programs have variables, too. Words without `_` are too short to tell which was meant. */
const LIKE_A_SETTING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const MIN_CHARACTERS = 7;

/**
 * Finds variables that are almost the name of a setting. The gateway ignores them without a word.
 * @param settingNames the names of all settings, set or not
 */
export function* misspelt(environment: Environment, settingNames: ReadonlySet<string>): Generator<Finding> {
  const candidates = [...settingNames].filter(
    (name) => name.length >= MIN_CHARACTERS && LIKE_A_SETTING.test(name),
  );
  for (const name of Object.keys(environment)) {
    const isOther = !settingNames.has(name) && name.length >= MIN_CHARACTERS && LIKE_A_SETTING.test(name);
    const meant = isOther ? nearest(name, candidates) : undefined;
    if (meant !== undefined) {
      yield warning(`${name} is set, and is no setting.`, `If ${meant} is meant, rename it.`);
    }
  }
}
