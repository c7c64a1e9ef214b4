import { textField } from '../field.ts';

/** The fields that doctors and patients have in common. */
export const accountFields = () => ({
  name: textField('Full name', { attributes: { autocomplete: 'name' } }),
  email: textField('E-mail', { attributes: { type: 'email', autocomplete: 'email' } }),
  password: newPasswordField('Password'),
});

/** A password that is chosen now. */
export const newPasswordField = (label: string) =>
  textField(label, {
    hint: 'At least 8 characters, and no common password',
    attributes: { type: 'password', autocomplete: 'new-password' },
  });

/** A password that the account has. */
export const currentPasswordField = (label: string) =>
  textField(label, { attributes: { type: 'password', autocomplete: 'current-password' } });

/** A telephone number. */
export const phoneField = (isOptional = false) =>
  textField('Telephone', { isOptional, attributes: { type: 'tel', autocomplete: 'tel' } });

/** A date of birth. An empty one is none. */
export const birthField = () =>
  textField('Date of birth', { isOptional: true, attributes: { type: 'date', autocomplete: 'bday' } });
