/** No label is longer: it is a part of a line. To compose a text takes quadratic time. */
const MAX_CODE_UNITS = 1_024;

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

/**
 * True for a label of letters that are never written together, such as a Cyrillic `а` among Latin letters: it looks like another
 * label (UTS 39 section 5.2, "highly restrictive"). Letters are compared in their compatible form (NFKC).
 * @param label a part of an e-mail between dots or plus signs
 */
export function mixesScripts(label: string): boolean {
  if (label.length > MAX_CODE_UNITS) {
    return true;
  }
  const letters = label.normalize('NFKC').replace(OF_EVERY_SCRIPT, '');
  return letters !== '' && !SETS.some((set) => matches(set, letters));
}
