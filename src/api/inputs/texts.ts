import { personalPasswordText } from '../../auth/passwords/password-rules.ts';
import type { BrokenRule, Rule, RuleLimit } from '../../system/error-details.ts';

/** How the caller spells the fields of an input. Without an entry: as the input class does. */
const spellings = new WeakMap<object, (field: string) => string>();

/** Sets how the texts about an input call its fields. */
export const spellFields = (input: object, nameOf: (field: string) => string): void =>
  void spellings.set(input, nameOf);

export interface Field {
  property: string;
  /** The input that is checked. */
  object: object;
}

/** A field's name as Laravel puts it into its texts: `licenseNumber` and `license_number` are "license number". */
function label({ property, object }: Field): string {
  const name = spellings.get(object)?.(property) ?? property;
  return name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** What is wrong with a field: the rule and its limit for programs, the text for people. */
export interface Words {
  rule: Rule;
  limit?: RuleLimit | undefined;
  /** Makes the text about a field. */
  text(field: Field): string;
}

const words = (rule: Rule, text: (field: string) => string, limit?: RuleLimit): Words => ({
  rule,
  limit,
  text: (field) => text(label(field)),
});

/** A rule that a field of an input breaks. */
export const brokenBy = ({ rule, limit, text }: Words, field: Field): BrokenRule => ({
  rule,
  limit,
  text: text(field),
});

/** Laravel's validation texts. Legacy callers show them to people, so the wording is part of the contract (docs/contract.md). */
export const texts = {
  required: words('required', (field) => `The ${field} field is required.`),
  string: words('string', (field) => `The ${field} field must be a string.`),
  format: words('format', (field) => `The ${field} field format is invalid.`),
  email: words('email', (field) => `The ${field} field must be a valid email address.`),
  confirmed: words('confirmed', (field) => `The ${field} field confirmation does not match.`),
  flag: words('format', (field) => `The ${field} field must be true or false.`),
  date: words('date', (field) => `The ${field} field must be a valid date.`),
  earliestDate: (date: string) =>
    words('too_early', (field) => `The ${field} field must be a date after or equal to ${date}.`, date),
  beforeOrToday: words('future', (field) => `The ${field} field must be a date before or equal to today.`),
  integer: words('format', (field) => `The ${field} field must be an integer.`),
  prohibited: words('prohibited', (field) => `The ${field} field is prohibited.`),
  selected: words('format', (field) => `The selected ${field} is invalid.`),
  oneOf: (choices: readonly string[]) =>
    words('format', (field) => `The selected ${field} is invalid: ${choices.join(' or ')}.`),
  file: words('file', (field) => `The ${field} field must be a file.`),
  between: (min: number, max: number) =>
    words('format', (field) => `The ${field} field must be between ${min} and ${max}.`),
  minCharacters: (min: number) =>
    words('min_length', (field) => `The ${field} field must be at least ${min} characters.`, min),
  maxCharacters: (max: number) =>
    words('max_length', (field) => `The ${field} field must not be greater than ${max} characters.`, max),
  maxBytes: (max: number) =>
    words('max_bytes', (field) => `The ${field} field must not be greater than ${max} bytes.`, max),
  common: words('common', (field) => `The ${field} field must not be a common password.`),
  personal: words('personal', personalPasswordText),
  maxKilobytes: (max: number) =>
    words('max_size', (field) => `The ${field} field must not be greater than ${max} kilobytes.`, max),
  fileType: (types: readonly string[]) =>
    words('file_type', (field) => `The ${field} field must be a file of type: ${types.join(', ')}.`, types),
};
