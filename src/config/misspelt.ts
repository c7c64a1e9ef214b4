import { nearest } from '../system/nearest.ts';

/** A variable that is almost the name of a setting. The gateway ignores it. */
export interface Misspelt {
  name: string;
  /** The setting that was probably meant. */
  meant: string;
}

/** Other programs have variables, too. Words without `_` are too short to tell which was meant. */
const LIKE_A_SETTING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const MIN_CHARACTERS = 7;

const isLikeASetting = (name: string): boolean => name.length >= MIN_CHARACTERS && LIKE_A_SETTING.test(name);

/**
 * Finds variables that are almost the name of a setting.
 * @param settings the names of all settings, set or not
 */
export function findMisspelt(environment: object, settings: ReadonlySet<string>): Misspelt[] {
  const candidates = [...settings].filter(isLikeASetting);
  return Object.keys(environment).flatMap((name) => {
    const meant = isLikeASetting(name) && !settings.has(name) ? nearest(name, candidates) : undefined;
    return meant === undefined ? [] : [{ name, meant }];
  });
}
