import { ValidationError } from '../../system/errors.ts';
import { CommonPasswords } from './common-passwords.ts';
import { isPersonalPassword, type Person } from './personal-words.ts';

/** What is asked about a password when it is chosen, never at a login. */
export interface PasswordCheck {
  /** True if many people use this password. */
  isCommon(password: string): Promise<boolean>;
  /** True if the password is made of the person's own name or e-mail. */
  isPersonal(password: string, person: Person): boolean;
}

/** The setting PASSWORD_CHECK. */
export type PasswordCheckKind = 'common' | 'off';

/** The check that a setting asks for. With `off`, every password passes. */
export function createPasswordCheck(kind: PasswordCheckKind, minCharacters: number): PasswordCheck {
  if (kind === 'off') {
    return { isCommon: async () => false, isPersonal: () => false };
  }
  const common = new CommonPasswords(minCharacters);
  return { isCommon: (password) => common.include(password), isPersonal: isPersonalPassword };
}

/** The rule for a password that contains its person's name or e-mail, in Laravel's style. Laravel has no such rule. */
export const personalPasswordText = (label: string): string =>
  `The ${label} field must not contain your name or email address.`;

/**
 * Refuses a personal password where the person is known only to the service, as when a password is changed or reset. At a
 * registration, the input is validated with the same rule.
 * @param field the name of the field in the input class, for example `newPassword`
 * @param label the field as the text calls it, for example `new password`
 * @throws ValidationError on the field
 */
export function refusePersonalPassword(
  check: PasswordCheck,
  password: string,
  person: Person,
  { field, label }: { field: string; label: string },
): void {
  if (check.isPersonal(password, person)) {
    throw new ValidationError({ [field]: [personalPasswordText(label)] });
  }
}
