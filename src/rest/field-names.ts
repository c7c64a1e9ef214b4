/** The fields that the REST contract does not just spell in another case. */
const OTHER_NAMES: Readonly<Record<string, string>> = { dateOfBirth: 'dob' };

/** How the REST contract spells a field: `licenseNumber` is `license_number`. */
export const restName = (field: string): string =>
  OTHER_NAMES[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
