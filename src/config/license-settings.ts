import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import type { LicenseRule } from '../auth/reviews/license-rules.ts';
import { SERVICE_NAME, SERVICE_NAME_SHAPE } from './brand-settings.ts';
import { HTTPS, isText, type JsonRules, readJsonFile } from './json-file.ts';
import type { SettingsReader } from './settings-reader.ts';

const MAX_RULES = 20;
/** The worst patterns of this size take 40 ms for the longest numbers of a whole page of doctors, and usual ones one. */
const MAX_INSTRUCTIONS = 100;
const NUMBER = '{number}';

type WrittenRule = Omit<LicenseRule, 'pattern'> & { pattern: string };

const RULE: JsonRules = {
  name: { isRight: isText((text) => SERVICE_NAME.test(text)), must: SERVICE_NAME_SHAPE, isRequired: true },
  pattern: {
    isRight: isText(isPattern),
    must: `a pattern of RE2 with up to ${MAX_INSTRUCTIONS} instructions`,
    isRequired: true,
  },
  check: {
    isRight: isCheckDigit,
    must: 'either { "luhn": "…" } with the digits of a prefix, or { "weights": [4, 9, …] }',
  },
  source: { isRight: isText((text) => /^[^\p{C}]+$/u.test(text)), must: 'one line of up to 255 characters' },
  lookup: { isRight: isText(isLookup), must: `an https address with ${NUMBER} once, in its path or query` },
};

/** Reads LICENSE_RULES_FILE. @returns an empty list if it is not set, or there is a problem */
export function readLicenseRules(read: SettingsReader): readonly LicenseRule[] {
  const file = readJsonFile<{ rules: WrittenRule[] }>(read, 'LICENSE_RULES_FILE', {
    rules: {
      isRight: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_RULES,
      must: `a list of 1 to ${MAX_RULES} rules`,
      isRequired: true,
      each: RULE,
    },
  });
  return (file?.values.rules ?? []).map((rule) => ({ ...rule, pattern: compile(rule.pattern) }));
}

/** It is loaded only if there are rules. */
const compile = (pattern: string): RE2JS =>
  (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS.compile(pattern);

function isPattern(text: string): boolean {
  try {
    return compile(text).programSize() <= MAX_INSTRUCTIONS;
  } catch {
    return false;
  }
}

function isCheckDigit(value: unknown): boolean {
  const { luhn, weights } = Object(value) as { luhn?: unknown; weights?: unknown };
  const isOne = Object.keys(Object(value)).length === 1;
  const isWeight = (weight: unknown) =>
    Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= 99;
  const areWeights =
    Array.isArray(weights) && weights.length >= 1 && weights.length <= 50 && weights.every(isWeight);
  return isOne && (areWeights || (typeof luhn === 'string' && /^\d{0,20}$/.test(luhn)));
}

/** The number must come after the host, and before a fragment, which no server sees. */
function isLookup(text: string): boolean {
  const [before = '', ...after] = text.split(NUMBER);
  return (
    after.length === 1 &&
    /^https:\/\/[^/?#]+[/?][^#]*$/.test(before) &&
    HTTPS.isRight(text.replace(NUMBER, 'x'))
  );
}
