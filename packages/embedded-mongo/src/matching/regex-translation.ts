import { locationError, refuse } from '../base/errors.ts';

/** Escapes, classes, the beginnings of groups, quantifiers, and single characters. */
const TOKEN =
  /\\.?|\[(?:\^|(?!\^))(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|\(\?[:=!]|\([?*]?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;

/** PCRE2's limit for the numbers of a quantifier. */
const MAX_REPEAT = 65_535;
/** RE2's limit, also for quantifiers within quantifiers. */
const MAX_LINEAR_REPEAT = 1000;

/** In groups within groups; PCRE2 has a limit, too. */
const MAX_DEPTH = 100;

/** Of a class: RE2 takes 5 ms to compile so many. */
const MAX_MEMBERS = 1000;

/** These mean the same in RE2, in a class and outside. */
const SAME_ESCAPES = 'dDwWfnrt';

/** It matches nothing. */
const NEVER = '[^\\x{0}-\\x{10ffff}]';

/** A pattern of RE2, which a string must match, or must not match. */
export interface TranslatedPattern {
  isNegated: boolean;
  source: string;
  /** The same for a string without its last line feed; undefined if the end of the string does not matter. */
  beforeLastLineFeed: string | undefined;
  /** At the end of a string that ends with a line feed, RE2 sees the beginning of a line, and PCRE2 does not. */
  hasLineStart: boolean;
  /** The states of RE2's machine, roughly. */
  states: number;
}

/** The error for a pattern that PCRE2 rejects. */
export function invalid(reason: string): Error {
  return locationError(51091, `Regular expression is invalid: ${reason}`);
}

/** Throws NotImplemented (238) for what PCRE2 has and RE2 does not have in the same way. */
export function refusePattern(isRefused: boolean, what: string): void {
  refuse(isRefused, `${what} in a pattern`);
}

/** The tokens of a pattern, and all options: also those of `(?i)` at its beginning. */
export function tokensOf(pattern: string, options: string): { tokens: string[]; flags: ReadonlySet<string> } {
  const leading = /^(?:\(\?[ims]+\))+/.exec(pattern)?.[0] ?? '';
  const flags = new Set(options + leading);
  refusePattern(flags.has('x'), 'the option x');
  return { tokens: pattern.slice(leading.length).match(TOKEN) ?? [], flags };
}

/**
 * A pattern of PCRE2 (UTF-8, without Unicode properties for \w, \d, \s: MongoDB's setting) as patterns of RE2: a string matches
 * it if it passes them all. There is one for each lookahead at the beginning of the string, and one for the rest.
 * @throws CommandError 51091 for a pattern that PCRE2 rejects; NotImplemented (238) for what differs in RE2
 */
export function translatePattern(tokens: readonly string[], flags: ReadonlySet<string>): TranslatedPattern[] {
  const { lookaheads, rest } = leadingLookaheads(tokens, flags);
  const translated = [...lookaheads.map(({ body }) => ['\\A', '(?:', ...body, ')']), rest].map((part) =>
    new Translator(flags).translate(part),
  );
  return translated.map((part, i) => ({ ...part, isNegated: lookaheads[i]?.isNegated ?? false }));
}

/** The lookaheads in `^(?=a)(?!b)c`, and the pattern without them. */
function leadingLookaheads(tokens: readonly string[], flags: ReadonlySet<string>) {
  const lookaheads: { isNegated: boolean; body: readonly string[] }[] = [];
  let start = 1;
  if (tokens[0] === '\\A' || (tokens[0] === '^' && !flags.has('m'))) {
    while (isLookahead(tokens[start])) {
      const end = groupEnd(tokens, start);
      lookaheads.push({ isNegated: tokens[start] === '(?!', body: tokens.slice(start + 1, end) });
      start = end + 1;
    }
  }
  const rest = lookaheads.length > 0 ? ['\\A', ...tokens.slice(start)] : tokens;
  refusePattern(lookaheads.length > 0 && hasAlternatives(rest), 'a lookahead in one of several alternatives');
  return { lookaheads, rest };
}

function isLookahead(token = ''): boolean {
  return token === '(?=' || token === '(?!';
}

function groupEnd(tokens: readonly string[], start: number): number {
  let depth = 0;
  const end = tokens.findIndex((token, i) => {
    depth += i < start ? 0 : depthChange(token);
    return i >= start && depth === 0;
  });
  expectBalance(end > 0);
  return end;
}

function expectBalance(holds: boolean): void {
  if (!holds) {
    throw invalid('unmatched parenthesis');
  }
}

function hasAlternatives(tokens: readonly string[]): boolean {
  let depth = 0;
  return tokens.some((token) => {
    depth += depthChange(token);
    return depth === 0 && token === '|';
  });
}

function depthChange(token: string): number {
  return token.startsWith('(') ? 1 : token === ')' ? -1 : 0;
}

/** What has been read of a group, or of the whole pattern. */
interface Level {
  states: number;
  /** Of the last item, which a quantifier repeats. */
  itemStates: number;
  /** Whether the last item, this alternative and a former one have a `$`, after which nothing may follow. */
  endsItem: boolean;
  endsAlternative: boolean;
  endsFormer: boolean;
}

const newLevel = (): Level => ({
  states: 0,
  itemStates: 0,
  endsItem: false,
  endsAlternative: false,
  endsFormer: false,
});

/** Translates one pattern without lookaheads. */
class Translator {
  readonly #flags: ReadonlySet<string>;
  /** The open groups, the pattern itself first. */
  readonly #levels: Level[] = [newLevel()];
  /** True after an assertion or a quantifier, which no quantifier may follow. */
  #isFixed = false;
  #hasEnd = false;
  #hasLineStart = false;

  constructor(flags: ReadonlySet<string>) {
    this.#flags = flags;
  }

  translate(tokens: readonly string[]): Omit<TranslatedPattern, 'isNegated'> {
    const translated = tokens.map((token) => this.#token(token));
    expectBalance(this.#levels.length === 1);
    const source = translated.join('');
    const isEndKnown = this.#hasEnd || this.#hasLineStart;
    const inside = translated
      .map((part, i) => (part === '\\z' && tokens[i] === '\\z' ? NEVER : part))
      .join('');
    return {
      source: isEndKnown ? `(?:${source})` : source,
      beforeLastLineFeed: isEndKnown ? inside : undefined,
      hasLineStart: this.#hasLineStart,
      states: this.#level.states,
    };
  }

  get #level(): Level {
    return this.#levels.at(-1) as Level;
  }

  #token(token: string): string {
    if (/^[*+?{]/.test(token)) {
      return this.#quantifier(token);
    }
    this.#isFixed = /^(?:[$^]|\\[bAz])$/.test(token);
    if (this.#isFixed) {
      return this.#assertion(token);
    }
    if (token.startsWith('(')) {
      return this.#open(token);
    }
    if (token === ')') {
      return this.#close();
    }
    if (token === '|') {
      this.#level.endsFormer ||= this.#level.endsAlternative;
      this.#level.endsAlternative = false;
      this.#level.states++;
      return token;
    }
    this.#addItem(1, false);
    return translateCharacter(token, this.#flags);
  }

  #open(token: string): string {
    refusePattern(isLookahead(token), 'a lookahead that is not at the beginning of the string');
    refusePattern(/^\([?*]$/.test(token) || this.#levels.length > MAX_DEPTH + 1, 'a group of this kind');
    this.#levels.push(newLevel());
    return '(?:';
  }

  #close(): string {
    expectBalance(this.#levels.length > 1);
    const { states, endsAlternative, endsFormer } = this.#levels.pop() as Level;
    this.#addItem(states + 1, endsAlternative || endsFormer);
    return ')';
  }

  #addItem(states: number, isEnd: boolean): void {
    const level = this.#level;
    refusePattern(level.endsAlternative, '$ before something else');
    level.states += states;
    level.itemStates = states;
    level.endsItem = isEnd;
    level.endsAlternative = isEnd;
  }

  #assertion(token: string): string {
    const level = this.#level;
    level.states++;
    if (token === '^' && this.#flags.has('m')) {
      this.#hasLineStart = true;
      return '(?m:^)';
    }
    if (token === '$' && this.#flags.has('m')) {
      return '(?m:$)';
    }
    if (token === '$' || token === '\\z') {
      this.#hasEnd = true;
      level.endsAlternative ||= token === '$';
      return '\\z';
    }
    return token === '^' ? '\\A' : token;
  }

  #quantifier(token: string): string {
    const level = this.#level;
    refusePattern(token === '{' || this.#isFixed || level.endsItem, `the quantifier ${token} in this place`);
    this.#isFixed = true;
    const [least = 1, given] = (token.match(/\d+/g) ?? []).map(Number);
    const most = given ?? (token.includes(',') ? Math.max(least, 1) : least);
    if (Math.max(least, most) > MAX_REPEAT) {
      throw invalid('number too big in {} quantifier');
    }
    if (most < least) {
      throw invalid('numbers out of order in {} quantifier');
    }
    // Of an item that stands there no times, PCRE2 10.42 takes some for conditions all the same.
    refusePattern(most > MAX_LINEAR_REPEAT || most === 0, `the quantifier ${token}`);
    level.states += 1 + level.itemStates * (most - 1);
    return token;
  }
}

function translateCharacter(token: string, flags: ReadonlySet<string>): string {
  switch (token[0]) {
    case '\\':
      return token === '\\s' || token === '\\S' ? `[${classEscape(token)}]` : classEscape(token);
    case '[':
      return translateClass(token);
    case '.':
      return flags.has('s') ? '(?s:.)' : '[^\\n]';
    default:
      return /^[\]}{]$/.test(token) ? `\\${token}` : token;
  }
}

/** An escape among the members of a class, or one that means the same outside. */
function classEscape(token: string): string {
  const [, letter = ''] = token;
  if (letter === 's' || letter === 'S') {
    return letter === 's' ? '\\t-\\r ' : '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{10ffff}';
  }
  if (SAME_ESCAPES.includes(letter)) {
    return token;
  }
  return `\\x{${escapedCharacter(token).toString(16)}}`;
}

/** The code point of an escaped character that stands for itself: one that is not a letter or digit. */
export function escapedCharacter(token: string): number {
  const [, letter = ''] = token;
  if (letter === '') {
    throw invalid('\\ at end of pattern');
  }
  refusePattern(/[A-Za-z0-9]/.test(letter), token);
  return token.codePointAt(1) as number;
}

function translateClass(token: string): string {
  if (token === '[') {
    throw invalid('missing terminating ] for character class');
  }
  refusePattern(/\[[:.=]/.test(token), 'a POSIX class');
  // PCRE2 10.42 takes some of these for more or less than they are.
  refusePattern(/\\[DSW]/.test(token) && /[^\0-\x7f]/.test(token), 'this combination of negated classes');
  const [start = '', members = ''] = /^(\[\^?)(.*)$/s.exec(token.slice(0, -1))?.slice(1) ?? [];
  const items = members.match(/\\.|./gsu) ?? [];
  refusePattern(items.length > MAX_MEMBERS, 'a class of this size');
  // PCRE2 has its own rules for a range from or to a class.
  refusePattern(
    items.some(
      (item, i) => item === '-' && [items[i - 1], items[i + 1]].every(Boolean) && isBesideClass(items, i),
    ),
    'a range with a class',
  );
  return `${start}${items.map(translateMember).join('')}]`;
}

function isBesideClass(items: readonly string[], i: number): boolean {
  return [items[i - 1], items[i + 1]].some((item = '') => /^\\[dDsSwW]$/.test(item));
}

/** A hyphen stays: it may stand for a range. */
function translateMember(item: string): string {
  if (item.startsWith('\\')) {
    return classEscape(item);
  }
  return item === '-' ? item : `\\x{${(item.codePointAt(0) as number).toString(16)}}`;
}
