import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * The form in which texts are compared without case, letters composed. It composes again after the change of case: a J with a
 * caron has a composed form only as a small letter.
 * @param text of bounded length: to compose takes quadratic time
 */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** The two parts of a valid e-mail. The domain follows the last at sign. */
export const splitEmail = (email: string): { local: string; domain: string } => {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, at), domain: email.slice(at + 1) };
};

/** Matches domains whose ASCII form is not just their lower case. */
const INTERNATIONAL_DOMAIN = /[^\0-\x7f]|xn--/i;

/**
 * The ASCII form of a domain (UTS #46, as in browsers). Two international domains are equal if their ASCII forms are (RFC 5890
 * section 2.3.2.4): `MÜLLER.de` is `xn--mller-kva.de`.
 * @param domain of an otherwise valid e-mail. If it contained a path, only its host would be read
 * @returns an empty text for a domain that has no ASCII form
 */
export function asciiDomain(domain: string): string {
  if (!INTERNATIONAL_DOMAIN.test(domain)) {
    return domain.toLowerCase();
  }
  const ascii = domainToASCII(domain);
  return ascii.split('.').some(isBroken) ? '' : ascii;
}

/** True for Punycode that stands for nothing. Node.js 24 leaves it as it is, where Node.js 20 refuses the whole domain. */
const isBroken = (label: string): boolean => label.startsWith('xn--') && domainToUnicode(label) === label;

/** MySQL ignores them when it compares texts, so an imported e-mail may have some. No valid e-mail has any. */
const BLANKS_AT_END = / +$/;

/**
 * The form in which e-mails are compared: lower case, letters composed, the domain in ASCII, without blanks at the end.
 * @param email a valid e-mail, or another text of bounded length
 */
export function emailKey(email: string): string {
  const text = email.replace(BLANKS_AT_END, '');
  const { local, domain } = splitEmail(text);
  const ascii = asciiDomain(domain);
  return ascii === '' ? foldCase(text) : `${foldCase(local)}@${ascii}`;
}
