import type { Account } from '../../stores/accounts.ts';
import { foldCase } from '../../stores/email-key.ts';

/** Of a longer field only the beginning is searched. This service stores none, but other programs may. */
const SEARCHED_CHARACTERS = 1_024;

/** A text that may be a part of a phone number. */
const PHONE_PART = /^[\d\s+()./-]+$/;
const MIN_PHONE_DIGITS = 3;

/**
 * Makes the check whether an account contains a text: in its name or e-mail, in any case and in composed letters, or in its
 * phone, of which only the digits count.
 * @param text of bounded length
 */
export function matcherOf(text: string): (account: Pick<Account, 'name' | 'email' | 'phone'>) => boolean {
  const folded = foldCase(text);
  const digits = digitsOf(text);
  const isPhone = PHONE_PART.test(text) && digits.length >= MIN_PHONE_DIGITS;
  return ({ name, email, phone }) => {
    const texts = [name, email, phone].map(searched);
    return (
      texts.some((field) => foldCase(field).includes(folded)) ||
      (isPhone && digitsOf(searched(phone)).includes(digits))
    );
  };
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Another program may have stored a value of another type. */
const searched = (field: unknown): string =>
  typeof field === 'string' ? field.slice(0, SEARCHED_CHARACTERS) : '';
