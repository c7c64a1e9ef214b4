import { locationError, refuse } from '../base/errors.ts';

/** Escapes, classes, the beginnings of groups, quantifiers, and single characters. */
const TOKEN =
  /\\.?|\[(?:\^|(?!\^))(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|\(\?[:=!]|\([?*]?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;

/** PCRE2's limit for the numbers of a quantifier. */
const MAX_REPEAT = 65_535;

/** In groups within groups; PCRE2 has a limit, too. */
const MAX_DEPTH = 100;

/** These mean the same in JavaScript, in a class and outside. */
const SAME_ESCAPES = 'dDwWfnrt';

interface Translation {
  source: string;
  ignoreCase: boolean;
  /** JavaScript counts U+017F and U+212A as letters of \w if case is ignored, so strings with them may match differently. */
  isDoubtful: boolean;
}

/** The error for a pattern that PCRE2 rejects. */
export function invalid(reason: string): Error {
  return locationError(51091, `Regular expression is invalid: ${reason}`);
}

/** Throws NotImplemented (238) for what PCRE2 has and JavaScript does not have in the same way. */
export function refusePattern(isRefused: boolean, what: string): void {
  refuse(isRefused, `${what} in a pattern`);
}

/**
 * A pattern of PCRE2 (UTF-8, without Unicode properties for \w, \d, \s: MongoDB's setting) as the source of a JavaScript pattern
 * with the flag u, which matches the same strings. It has no flags m and s: they are translated.
 * @throws CommandError 51091 for a pattern that PCRE2 rejects; NotImplemented (238) for what differs in JavaScript
 */
export function translatePattern(pattern: string, options: string): Translation {
  const leading = /^(?:\(\?[ims]+\))+/.exec(pattern)?.[0] ?? '';
  const flags = new Set(options + leading);
  refusePattern(flags.has('x'), 'the option x');
  /** Of each open group, whether it is a lookahead. */
  const groups: boolean[] = [];
  /** True after an assertion or a quantifier, which no quantifier may follow. */
  let isFixed = false;
  const source = pattern.slice(leading.length).replace(TOKEN, (token) => {
    if (/^[*+?{]/.test(token)) {
      checkQuantifier(token, isFixed);
      isFixed = true;
      return token;
    }
    isFixed = /^(?:[$^]|\\[bAz])$/.test(token);
    if (token.startsWith('(')) {
      refusePattern(token === '(?' || token === '(*' || groups.length > MAX_DEPTH, 'a group of this kind');
      groups.push(/[=!]/.test(token));
    } else if (token === ')') {
      isFixed = groups.pop() ?? false;
    }
    return translateToken(token, flags);
  });
  const ignoreCase = flags.has('i');
  return { source, ignoreCase, isDoubtful: ignoreCase && /\\[wb]/i.test(pattern) };
}

function checkQuantifier(token: string, isFixed: boolean): void {
  refusePattern(token === '{' || isFixed, `the quantifier ${token} in this place`);
  if (token.match(/\d+/g)?.some((bound) => Number(bound) > MAX_REPEAT)) {
    throw invalid('number too big in {} quantifier');
  }
}

function translateToken(token: string, flags: ReadonlySet<string>): string {
  switch (token[0]) {
    case '\\':
      return token === '\\s' || token === '\\S' ? `[${classEscape(token)}]` : outsideClass(token);
    case '[':
      return translateClass(token);
    case '^':
      return flags.has('m') ? '(?:^|(?<=\\n)(?!$))' : '^';
    case '$':
      return flags.has('m') ? '(?=\\n|$)' : '(?=\\n?$)';
    case '.':
      return flags.has('s') ? '[^]' : '[^\\n]';
    default:
      return /^[\]}]$/.test(token) ? `\\${token}` : token;
  }
}

function outsideClass(token: string): string {
  const assertions: Record<string, string> = { '\\b': '\\b', '\\A': '^', '\\z': '$' };
  return assertions[token] ?? classEscape(token);
}

/** An escape among the members of a class, or one that means the same outside. */
function classEscape(token: string): string {
  const [, letter = ''] = token;
  if (letter === '') {
    throw invalid('\\ at end of pattern');
  }
  if (letter === 's' || letter === 'S') {
    return letter === 's' ? '\\t-\\r ' : '\\0-\\x08\\x0e-\\x1f!-\\u{10ffff}';
  }
  if (SAME_ESCAPES.includes(letter)) {
    return token;
  }
  refusePattern(/[A-Za-z0-9]/.test(letter), token);
  // A character that is not a letter or digit stands for itself.
  return `\\u{${(token.codePointAt(1) as number).toString(16)}}`;
}

function translateClass(token: string): string {
  if (token === '[') {
    throw invalid('missing terminating ] for character class');
  }
  refusePattern(/\[[:.=]/.test(token), 'a POSIX class');
  // PCRE2 10.42 takes some of these for more or less than they are.
  refusePattern(/\\[DSW]/.test(token) && /[^\0-\x7f]/.test(token), 'this combination of negated classes');
  // \s has a range in its translation, which a hyphen beside it must not join.
  refusePattern(/\\s-[^\]]|[^[^\\]-\\s/i.test(token), 'a range with a class');
  const [start = '', members = ''] = /^(\[\^?)(.*)$/s.exec(token.slice(0, -1))?.slice(1) ?? [];
  return `${start}${members.replace(/^\]/, '\\]').replace(/\\./gsu, classEscape)}]`;
}
