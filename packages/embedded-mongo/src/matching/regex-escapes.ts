import { locationError, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';

/** No token but a comment and a class is longer. */
export const MAX_TOKEN = 100;

/** The error for a pattern that PCRE2 rejects. */
export function invalid(reason: string): Error {
  return locationError(51091, `Regular expression is invalid: ${reason}`);
}

/** Throws NotImplemented (238) for what PCRE2 has and JavaScript cannot do in the same way. */
export function refuse(isRefused: boolean, what: string): void {
  if (isRefused) {
    throw mongoError('NotImplemented', `${what} in a pattern is not implemented by the embedded engine`);
  }
}

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
    throw invalid('\\ at end of pattern');
  }
  const members =
    letter === 'N' && (isInClass || rest[2] === '{') ? undefined : lookUp(CLASS_ESCAPES, letter);
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
    throw invalid(`PCRE2 does not support \\${character}`);
  }
  refuse(/[A-Za-z0-9]/.test(character), `\\${character}`);
  return /[\^$\\.*+?()[\]{}|/-]/.test(character)
    ? `\\u{${(character.codePointAt(0) as number).toString(16)}}`
    : character;
}
