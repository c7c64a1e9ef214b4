/*
 * What a text of an account may contain. Both APIs check with these rules, and so do the operators' commands.
 */

/** The longest line of text, in characters: Laravel's default for a string column. */
export const LINE_MAX_CHARACTERS = 255;

/** The longest text of several lines, in characters. */
export const LINES_MAX_CHARACTERS = 5_000;

/** The longest reason of a decision on a doctor, in characters. */
export const REASON_MAX_CHARACTERS = 1_000;

/** True if a text can be stored and returned unchanged: it has no NUL and no lone surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A line break could forge a line where the text is written (CWE-93); an escape sequence would run in a terminal. */
const CONTROL_OR_LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const CONTROL_BUT_LINE_BREAK = /[^\P{Cc}\t\r\n]/u;

/** True for one line that can be stored. */
export const isOneLine = (text: string): boolean => isStorable(text) && !CONTROL_OR_LINE_BREAK.test(text);
/** True for a text of several lines, with tabs, that can be stored. */
export const isLines = (text: string): boolean => isStorable(text) && !CONTROL_BUT_LINE_BREAK.test(text);

/** True if a text has too many characters (code points, like PHP's mb_strlen). Its cost is bounded. */
export const isLonger = (text: string, maxCharacters: number): boolean =>
  text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters);

/** The blanks of `\s` beyond ASCII, and those of TrimStrings: a name that has only these would look empty. */
const BLANKS = new Set(
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200e',
);

/** Compares codes instead of matching a pattern: a form may have a megabyte of blanks. */
function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 0x80 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : BLANKS.has(text.charAt(index));
}

/** Laravel's TrimStrings. Reads only the ends. A regular expression for the end would be tried again at every blank inside. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) {
    start += 1;
  }
  while (end > start && isBlank(text, end - 1)) {
    end -= 1;
  }
  return text.slice(start, end);
}

/**
 * Reads one line of an account as it is stored: without blanks at its ends.
 * @returns undefined if it is empty, too long, or no line
 */
export function readLine(text: string): string | undefined {
  const line = trim(text);
  return line !== '' && !isLonger(line, LINE_MAX_CHARACTERS) && isOneLine(line) ? line : undefined;
}

/**
 * Reads the reason of a decision on a doctor, of one line or several.
 * @returns undefined if it is empty, too long, or no text
 */
export function readReason(text: string): string | undefined {
  const reason = trim(text);
  return reason !== '' && !isLonger(reason, REASON_MAX_CHARACTERS) && isLines(reason) ? reason : undefined;
}

const DIGIT = /\p{Nd}/u;

/**
 * Digits of all scripts as ASCII digits, and no marks of direction. Unicode assigns digits in runs of ten.
 * @param text of limited length
 */
export const asciiDigits = (text: string): string =>
  text.replace(/\p{Bidi_Control}/gu, '').replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0;
    let before = 0;
    while (DIGIT.test(String.fromCodePoint(point - before - 1))) {
      before += 1;
    }
    return String(before % 10);
  });
