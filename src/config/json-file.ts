import path from 'node:path';
import type { SettingsReader } from './settings-reader.ts';
import { decodeUtf8, readSmallFile } from './small-file.ts';

/** The keys that an object may have, with what each must be. */
export type JsonRules = Readonly<Record<string, JsonRule>>;

interface JsonRule {
  isRight(value: unknown): boolean;
  /** Continues `key "name" must be`. */
  must: string;
  isRequired?: boolean;
  /** Of the objects in a list. */
  each?: JsonRules;
}

const MAX_CHARACTERS = 255;

/** A rule for short texts. */
export const isText = (isRight: (text: string) => boolean) => (value: unknown) =>
  typeof value === 'string' && value.length <= MAX_CHARACTERS && isRight(value);

/** A link. Mail programs make one of its text, so it has no character that would end that. */
export const HTTPS = {
  isRight: isText(
    (text) => /^https:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w./?#%&=+~:@-]*)?$/.test(text) && URL.canParse(text),
  ),
  must: `an https address of up to ${MAX_CHARACTERS} ASCII characters, without a user`,
};

/** The object in the file of a setting. */
interface JsonFile<Values> {
  values: Values;
  folder: string;
  report(problem: string): void;
}

/**
 * Reads the file that a setting names. Each problem names the setting, the file and the key, such as `rules[2].name`.
 * @param rules must allow only what `Values` has
 * @returns undefined if the setting is not set, or there is a problem
 */
export function readJsonFile<Values>(
  read: SettingsReader,
  setting: string,
  rules: JsonRules,
): JsonFile<Values> | undefined {
  const name = read.text(setting, '');
  if (name === '') {
    return undefined;
  }
  const file = path.resolve(name);
  const report = (problem: string) => read.problem(`${setting}: ${file}:`, problem);
  const values = parsed(readSmallFile(file));
  const problems = typeof values === 'string' ? [values] : problemsOf(values, rules);
  problems.forEach(report);
  return problems.length > 0 ? undefined : { values: values as Values, folder: path.dirname(file), report };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns the problem, if there is one. It has no text of the file: the setting may name another file than is meant */
function parsed(bytes: Buffer | string): Record<string, unknown> | string {
  if (typeof bytes === 'string') {
    return bytes;
  }
  const text = decodeUtf8(bytes) ?? '';
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'must have one JSON object';
  } catch (error) {
    const [, position] = / at position (\d+)/.exec(String(error)) ?? [];
    return `is not JSON${position ? ` (line ${text.slice(0, Number(position)).split('\n').length})` : ''}`;
  }
}

function problemsOf(values: Record<string, unknown>, rules: JsonRules, prefix = ''): string[] {
  const named = (key: string) => `key ${JSON.stringify(prefix + key)}`;
  const unknown = Object.keys(values).filter((key) => !Object.hasOwn(rules, key));
  const wrong = Object.entries(rules).flatMap(([key, { isRight, must, isRequired, each }]) => {
    const value = values[key];
    if (value === undefined ? isRequired : !isRight(value)) {
      return `${named(key)} must be ${must}`;
    }
    return each && Array.isArray(value)
      ? value.flatMap((one, index) => problemsOf(Object(one), each, `${prefix}${key}[${index + 1}].`))
      : [];
  });
  return [...unknown.map((key) => `${named(key)} is unknown`), ...wrong];
}
