import { domainToUnicode } from 'node:url';
import { isEmail } from '../patches/class-validator.ts';
import { asciiDomain, splitEmail } from '../stores/email-key.ts';

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

/** No label is longer: it is a part of a line. To compose a text takes quadratic time. */
const MAX_CODE_UNITS = 1_024;

/**
 * True for a label of letters that are never written together, such as a Cyrillic `а` among Latin letters: it looks like another
 * label (UTS 39 section 5.2, "highly restrictive"). Letters are compared in their compatible form (NFKC).
 * @param label a part of an e-mail between dots or plus signs
 */
function mixesScripts(label: string): boolean {
  if (label.length > MAX_CODE_UNITS) {
    return true;
  }
  const letters = label.normalize('NFKC').replace(OF_EVERY_SCRIPT, '');
  return letters !== '' && !SETS.some((set) => matches(set, letters));
}

/** Digits, signs and marks that belong to every script. */
const OF_EVERY_SCRIPT = /[\p{scx=Zyyy}\p{scx=Zinh}]/gu;

/** Scripts that are written together, and may have Latin letters among them (UTS 39 section 5.2). */
const TOGETHER = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang'];

/** The other scripts in common use (UAX 31 table 5), each alone. */
const ALONE =
  'Cyrl Grek Arab Hebr Deva Thai Armn Beng Ethi Geor Gujr Guru Khmr Knda Laoo Mlym Mymr Orya Sinh Taml Telu Thaa Tibt'.split(
    ' ',
  );

const classOf = (scripts: string): string =>
  scripts
    .split(' ')
    .map((script) => `\\p{scx=${script}}`)
    .join('');

/** All sets of scripts of which a label may be. The last one has the rare scripts, which are not told apart. */
const SETS = [
  ...[...TOGETHER, ...ALONE].map((scripts) => `^[${classOf(scripts)}]+$`),
  `^[^${classOf([...TOGETHER, ...ALONE].join(' '))}]+$`,
];

/** Made by the first text that needs them: each costs a tenth of a millisecond and more. */
const patterns = new Map<string, RegExp>();

function matches(set: string, letters: string): boolean {
  const pattern = patterns.get(set) ?? new RegExp(set, 'u');
  patterns.set(set, pattern);
  return pattern.test(letters);
}
