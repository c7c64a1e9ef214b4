import { classEscape, invalid, MAX_TOKEN, refuse } from './regex-escapes.ts';

interface TranslatedClass {
  token: string;
  source: string;
  /** It has word characters among its members, in which the two languages differ slightly. */
  usesWords: boolean;
}

/**
 * Translates the class (`[a-z]`) that begins at `start`.
 * @throws CommandError 51091 if PCRE2 rejects it; NotImplemented (238) if it cannot be translated
 */
export function translateClass(pattern: string, start: number, ignoreCase: boolean): TranslatedClass {
  if (/^\[([:.=])[^\]]*\1\]/.test(pattern.slice(start, start + MAX_TOKEN))) {
    throw invalid('POSIX named classes are supported only within a class');
  }
  const isNegated = pattern[start + 1] === '^';
  let at = start + (isNegated ? 2 : 1);
  let members = '';
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    if (at >= pattern.length) {
      throw invalid('missing terminating ] for character class');
    }
    const { token, source } = translateMember(pattern.slice(at, at + MAX_TOKEN), isFirst, ignoreCase);
    members += source;
    at += token.length;
  }
  const token = pattern.slice(start, at + 1);
  // PCRE2 10.42 takes some of these for more or less than they are.
  refuse(
    /\\[DSWHV]/.test(token) && /\[:|\\[pPx]|[^\0-\x7f]/.test(token),
    'this combination of negated classes',
  );
  return { token, source: `[${isNegated ? '^' : ''}${members}]`, usesWords: /\\w|\[:/i.test(token) };
}

function translateMember(rest: string, isFirst: boolean, ignoreCase: boolean) {
  refuse(!isFirst && /^-(?:\\[dDsSwWhHvVpPN]|\[:)/.test(rest), 'a range to a class');
  const posix = /^\[[:.=](\^?)(\w*)[:.=]\]/.exec(rest);
  if (posix) {
    const set = POSIX_CLASSES[posix[2] as string];
    refuse(!set || posix[1] === '^' || !posix[0].startsWith('[:'), `the class ${posix[0]}`);
    return { token: posix[0], source: set as string };
  }
  if (rest.startsWith('\\')) {
    const { token, source, members } = classEscape(rest, ignoreCase, true);
    const isRange = members !== undefined && rest[token.length] === '-' && rest[token.length + 1] !== ']';
    refuse(isRange, 'a range from a class');
    return { token, source: members ?? source };
  }
  const character = String.fromCodePoint(rest.codePointAt(0) as number);
  return { token: character, source: /[[\]]/.test(character) ? `\\${character}` : character };
}

/** POSIX classes, as members of a JavaScript class. */
const POSIX_CLASSES: Record<string, string> = {
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
