/** A field's name as Laravel puts it into its texts: `licenseNumber` is "license number". */
const label = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Words about a field; class-validator hands over more than its name, which nobody needs. */
export type Text = (field: { property: string }) => string;

const text =
  (words: (field: string) => string): Text =>
  ({ property }) =>
    words(label(property));

/**
 * Laravel's validation texts (docs/contract.md, "Validation errors"). Legacy callers show them to people, so the wording is
 * part of the contract.
 */
export const texts = {
  required: text((field) => `The ${field} field is required.`),
  string: text((field) => `The ${field} field must be a string.`),
  format: text((field) => `The ${field} field format is invalid.`),
  email: text((field) => `The ${field} field must be a valid email address.`),
  confirmed: text((field) => `The ${field} field confirmation does not match.`),
  file: text((field) => `The ${field} field must be a file.`),
  minCharacters: (min: number) => text((field) => `The ${field} field must be at least ${min} characters.`),
  maxCharacters: (max: number) =>
    text((field) => `The ${field} field must not be greater than ${max} characters.`),
  maxBytes: (max: number) => text((field) => `The ${field} field must not be greater than ${max} bytes.`),
  maxKilobytes: (max: number) =>
    text((field) => `The ${field} field must not be greater than ${max} kilobytes.`),
  fileType: (types: readonly string[]) =>
    text((field) => `The ${field} field must be a file of type: ${types.join(', ')}.`),
};
