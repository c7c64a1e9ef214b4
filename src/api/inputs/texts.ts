import { personalPasswordText } from '../../auth/passwords/password-rules.ts';

/** How the caller spells the fields of an input. Without an entry: as the input class does. */
const spellings = new WeakMap<object, (field: string) => string>();

/** Sets how the texts about an input call its fields. */
export const spellFields = (input: object, nameOf: (field: string) => string): void =>
  void spellings.set(input, nameOf);

interface Field {
  property: string;
  /** The input that is checked. */
  object: object;
}

/** A field's name as Laravel puts it into its texts: `licenseNumber` and `license_number` are "license number". */
function label({ property, object }: Field): string {
  const name = spellings.get(object)?.(property) ?? property;
  return name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Makes the text about a field. */
export type Text = (field: Field) => string;

const text =
  (words: (field: string) => string): Text =>
  (field) =>
    words(label(field));

/** Laravel's validation texts. Legacy callers show them to people, so the wording is part of the contract (docs/contract.md). */
export const texts = {
  required: text((field) => `The ${field} field is required.`),
  string: text((field) => `The ${field} field must be a string.`),
  format: text((field) => `The ${field} field format is invalid.`),
  email: text((field) => `The ${field} field must be a valid email address.`),
  confirmed: text((field) => `The ${field} field confirmation does not match.`),
  flag: text((field) => `The ${field} field must be true or false.`),
  date: text((field) => `The ${field} field must be a valid date.`),
  earliestDate: (date: string) =>
    text((field) => `The ${field} field must be a date after or equal to ${date}.`),
  beforeOrToday: text((field) => `The ${field} field must be a date before or equal to today.`),
  integer: text((field) => `The ${field} field must be an integer.`),
  prohibited: text((field) => `The ${field} field is prohibited.`),
  selected: text((field) => `The selected ${field} is invalid.`),
  file: text((field) => `The ${field} field must be a file.`),
  between: (min: number, max: number) =>
    text((field) => `The ${field} field must be between ${min} and ${max}.`),
  minCharacters: (min: number) => text((field) => `The ${field} field must be at least ${min} characters.`),
  maxCharacters: (max: number) =>
    text((field) => `The ${field} field must not be greater than ${max} characters.`),
  maxBytes: (max: number) => text((field) => `The ${field} field must not be greater than ${max} bytes.`),
  uncompromised: text(
    (field) => `The given ${field} has appeared in a data leak. Please choose a different ${field}.`,
  ),
  personal: text(personalPasswordText),
  maxKilobytes: (max: number) =>
    text((field) => `The ${field} field must not be greater than ${max} kilobytes.`),
  fileType: (types: readonly string[]) =>
    text((field) => `The ${field} field must be a file of type: ${types.join(', ')}.`),
};
