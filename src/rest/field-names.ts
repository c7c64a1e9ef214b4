/** How the REST contract spells a field: `licenseNumber` is `license_number`. */
export const toSnakeCase = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
