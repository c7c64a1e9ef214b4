import { locationError, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';

/** An escape in a pattern: one character (`source`), or the members of a class. */
interface Escape {
  token: string;
  source: string;
  members?: string;
}

/** PCRE2's escapes for classes, as members of a JavaScript class. Without Unicode properties they are ASCII. */
const CLASS_ESCAPES: Record<string, string> = {
  d: '0-9',
  D: '\\0-\\/:-\\u{10ffff}',
  s: '\\t-\\r ',
  S: '\\0-\\x08\\x0e-\\x1f!-\\u{10ffff}',
  w: '\\w',
  W: '\\W',
  h: '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000',
  v: '\\n-\\r\\x85\\u2028\\u2029',
  N: '\\0-\\t\\x0b-\\u{10ffff}',
};

/** POSIX classes, as members of a JavaScript class. */
export const POSIX_CLASSES: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\0-\\x7f',
  blank: '\\t ',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t-\\r ',
  upper: 'A-Z',
  word: '\\w',
  xdigit: 'A-Fa-f0-9',
};

const CHARACTERS: Record<string, string> = { a: '\\x07', e: '\\x1b', f: '\\f', n: '\\n', r: '\\r', t: '\\t' };

/** General categories of Unicode. */
const PROPERTY =
  /^\\[pP](?:\{(C|Cc|Cf|Co|Cs|L|Ll|Lm|Lo|Lt|Lu|M|Mc|Me|Mn|N|Nd|Nl|No|P|Pc|Pd|Pe|Pf|Pi|Po|Ps|S|Sc|Sk|Sm|So|Z|Zl|Zp|Zs)\}|([CLMNPSZ]))/;

/**
 * Translates the escape at the beginning of `rest`.
 * @throws CommandError 51091 if PCRE2 has no such escape; NotImplemented (238) if JavaScript cannot do the same
 */
export function classEscape(rest: string, ignoreCase: boolean, isInClass = false): Escape {
  const letter = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  if (rest.length === 1) {
    throw locationError(51091, 'Regular expression is invalid: \\ at end of pattern');
  }
  const members = letter === 'N' && isInClass ? undefined : lookUp(CLASS_ESCAPES, letter);
  if (members !== undefined) {
    return { token: `\\${letter}`, source: '', members };
  }
  const character = letter === 'b' && isInClass ? '\\x08' : lookUp(CHARACTERS, letter);
  if (character) {
    return { token: `\\${letter}`, source: character };
  }
  const hex = /^\\x(?:([\da-fA-F]{2})|\{([\da-fA-F]{1,6})\})/.exec(rest);
  if (hex) {
    return { token: hex[0], source: `\\u{${hex[1] ?? hex[2]}}` };
  }
  const property = PROPERTY.exec(rest);
  if (property && !ignoreCase) {
    const members = `\\${letter}{${property[1] ?? property[2]}}`;
    return { token: property[0], source: '', members };
  }
  return { token: `\\${letter}`, source: literal(letter) };
}

/** A character that is not a letter or digit stands for itself. */
function literal(character: string): string {
  if (/[uULlF]/.test(character)) {
    throw locationError(51091, `Regular expression is invalid: PCRE2 does not support \\${character}`);
  }
  if (/[A-Za-z0-9]/.test(character)) {
    throw mongoError(
      'NotImplemented',
      `\\${character} in a pattern is not implemented by the embedded engine`,
    );
  }
  return /[\^$\\.*+?()[\]{}|/-]/.test(character)
    ? `\\u{${(character.codePointAt(0) as number).toString(16)}}`
    : character;
}
