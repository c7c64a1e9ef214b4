import { domainToUnicode } from 'node:url';
import { isEmail } from '../patches/class-validator.ts';
import { asciiDomain, splitEmail } from '../stores/email-key.ts';
import { mixesScripts } from './mixed-scripts.ts';

/**
 * Characters that are invisible in an address or move others: invisible and bidirectional characters (zero-width ones,
 * soft hyphens, variation selectors, tags, fillers), blanks other than the plain one, line breaks, and code points without
 * a meaning. With them, two addresses could look the same (Unicode TR36 section 2.10, CWE-1007). Compatibility
 * normalization in other programs turns the two at signs into `@`.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\uff20\ufe6b]|(?! )\p{Zs}/u;

/**
 * True for an e-mail address. As in Laravel's `email` rule, the domain needs no top-level domain, and the local part may be long.
 */
export function isEmailAddress(text: string): boolean {
  const isValid = (email: string) =>
    isEmail(email, { require_tld: false, ignore_max_length: true, allow_underscores: true });
  if (UNSEEN.test(text) || !isValid(text)) {
    return false;
  }
  const { local, domain } = splitEmail(text);
  // Mail needs the ASCII form of the domain, and that form must be valid, too.
  return isValid(`${local}@${asciiDomain(domain)}`);
}

const ASCII_WITHOUT_PUNYCODE = /^(?!.*xn--)[\0-\x7f]*$/is;

/**
 * True for an e-mail address that an account may get: no label of its domain, and no part of its local part between dots and plus
 * signs, mixes scripts. Accounts that have such an address already keep it.
 */
export function isNewEmailAddress(text: string): boolean {
  if (!isEmailAddress(text)) {
    return false;
  }
  if (ASCII_WITHOUT_PUNYCODE.test(text)) {
    return true;
  }
  const { local, domain } = splitEmail(text);
  // What follows a plus sign is a tag (RFC 5233), and often in Latin letters.
  const labels = [...local.split(/[.+]/), ...domainToUnicode(asciiDomain(domain)).split('.')];
  return !labels.some(mixesScripts);
}
