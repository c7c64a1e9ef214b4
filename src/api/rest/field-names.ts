/** The fields that the REST contract does not just spell in another case. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  dateOfBirth: 'dob',
  // As in Laravel's starter kits, the new password is just the password.
  newPassword: 'password',
  newPasswordConfirmation: 'password_confirmation',
};

/** How the REST contract spells a field: `licenseNumber` is `license_number`. */
export const restName = (field: string): string =>
  OTHER_NAMES[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
