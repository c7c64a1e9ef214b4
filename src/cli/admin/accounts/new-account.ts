import { isStorable, LINE_MAX_CHARACTERS, readLine } from '../../../auth/account-texts.ts';
import { isNewEmailAddress } from '../../../auth/email-address.ts';
import {
  PASSWORD_MAX_BYTES,
  type PasswordCheck,
  type Person,
  passwordBytes,
  passwordCharacters,
} from '../../../auth/passwords/password-rules.ts';
import { UsageError } from '../../usage-error.ts';

/*
 * The rules of a registration for what an operator types. They are those of the inputs of both APIs, in words that name the
 * options.
 */

/** @throws UsageError */
export function readNewLine(option: string, text: string | undefined): string {
  const line = readLine(text ?? '');
  if (line === undefined) {
    throw new UsageError(`--${option} must be one line of 1 to ${LINE_MAX_CHARACTERS} characters.`);
  }
  return line;
}

/** @throws UsageError */
export function readNewEmail(option: string, text: string | undefined): string {
  const email = readLine(text ?? '');
  if (email === undefined || !isNewEmailAddress(email)) {
    throw new UsageError(
      `--${option} must be an e-mail address of up to ${LINE_MAX_CHARACTERS} characters, without letters of several scripts between two dots or plus signs.`,
    );
  }
  return email;
}

/** The rules that depend on the settings. */
interface PasswordRules {
  passwordMinCharacters: number;
  passwordCheck: PasswordCheck;
}

/**
 * Checks a new password.
 * @param person whose password it will be
 * @throws UsageError. It never contains the password
 */
export async function checkNewPassword(
  password: string,
  person: Person,
  { passwordMinCharacters: minCharacters, passwordCheck }: PasswordRules,
): Promise<string> {
  const characters = passwordCharacters(password);
  if (characters < minCharacters || passwordBytes(password) > PASSWORD_MAX_BYTES || !isStorable(password)) {
    throw new UsageError(
      `The password must have at least ${minCharacters} characters and at most ${PASSWORD_MAX_BYTES} bytes of UTF-8.`,
    );
  }
  if ((await passwordCheck.isCommon(password)) || passwordCheck.isPersonal(password, person)) {
    throw new UsageError(
      'Many people use this password, or it is made of the name or e-mail: choose another one.',
    );
  }
  return password;
}
