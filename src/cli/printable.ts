import { UNPRINTABLE } from '../system/output-encoding.ts';

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** One line or several for a person, without characters that a terminal obeys. */
export const forPerson = (text: string | readonly string[]): string =>
  [text]
    .flat()
    .map((line) => line.replace(UNPRINTABLE, '?'))
    .join('\n');

/** JSON with control characters as escapes: the same value for a program, and harmless in a terminal. */
export const forProgram = (json: object): string =>
  JSON.stringify(json).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped);

/** True for a text that people can read in one line: no control characters, no invisible ones, none without a meaning. */
export const isPrintable = (text: string): boolean =>
  text.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
