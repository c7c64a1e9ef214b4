import { translateClass } from './regex-class.ts';
import { classEscape, invalid, MAX_TOKEN, refuse } from './regex-escapes.ts';

/** What the last part of a pattern was, for a quantifier after it. */
type Part = 'nothing' | 'atom' | 'assertion' | 'quantifier';

interface Translation {
  source: string;
  ignoreCase: boolean;
  /** A string with one of these characters may match differently. */
  doubtful: RegExp | undefined;
}

/**
 * A pattern of PCRE2 (UTF-8, without Unicode properties for \w, \d, \s: MongoDB's setting) as the source of a JavaScript pattern
 * with the flag u, which matches the same strings. It has no flags m, s and x: they are translated.
 * @throws CommandError 51091 for a pattern that PCRE2 rejects; NotImplemented (238) for one that cannot be translated
 */
export function translatePattern(pattern: string, options: string): Translation {
  const leading = /^(?:\(\?[imsx]+\))+/.exec(pattern)?.[0] ?? '';
  const flags = new Set(options + leading.replaceAll(/[(?)]/g, ''));
  return new Translator(pattern, leading.length, flags).run();
}

class Translator {
  readonly #pattern: string;
  readonly #flags: ReadonlySet<string>;
  #at: number;
  #last: Part = 'nothing';
  #usesWords = false;
  #looksBehind = false;
  /** What each open group is at its end. */
  readonly #groups: Part[] = [];
  #lookbehindDepth = 0;

  constructor(pattern: string, start: number, flags: ReadonlySet<string>) {
    this.#pattern = pattern;
    this.#at = start;
    this.#flags = flags;
  }

  run(): Translation {
    let source = '';
    while (this.#at < this.#pattern.length) {
      source += this.#next();
    }
    if (this.#groups.length > 0) {
      throw invalid('missing closing parenthesis');
    }
    const ignoreCase = this.#flags.has('i');
    // JavaScript counts U+017F and U+212A as letters of \w if case is ignored, and finds gaps within surrogate pairs.
    const doubtful = `${ignoreCase && this.#usesWords ? '\\u017f\\u212a' : ''}${this.#looksBehind ? '\\ud800-\\udfff' : ''}`;
    return { source, ignoreCase, doubtful: doubtful ? new RegExp(`[${doubtful}]`) : undefined };
  }

  #next(): string {
    const rest = this.#pattern.slice(this.#at, this.#at + MAX_TOKEN);
    const ignored =
      this.#flags.has('x') && /^(?:[\t-\r \x85\u200e\u200f\u2028\u2029]+|#[^\n]*)/.exec(rest)?.[0];
    if (ignored) {
      this.#at += ignored.startsWith('#') ? this.#commentLength() : ignored.length;
      return '';
    }
    switch (rest[0]) {
      case '\\':
        return this.#escape(rest);
      case '[':
        return this.#class();
      case '(':
        return this.#open(rest);
      case ')':
        return this.#close();
      case '*':
      case '+':
      case '?':
      case '{':
        return this.#quantifier(rest);
      case '|':
        refuse(this.#lookbehindDepth > 0, 'alternatives in a lookbehind');
        return this.#take('|', '|', 'nothing');
      case '^':
        return this.#take('^', this.#flags.has('m') ? '(?:^|(?<=\\n)(?!$))' : '^', 'assertion');
      case '$':
        return this.#take('$', this.#flags.has('m') ? '(?=\\n|$)' : '(?=\\n?$)', 'assertion');
      case '.':
        return this.#take('.', this.#flags.has('s') ? '[^]' : '[^\\n]', 'atom');
      default: {
        const character = String.fromCodePoint(rest.codePointAt(0) as number);
        return this.#take(character, /[\]}/]/.test(character) ? `\\${character}` : character, 'atom');
      }
    }
  }

  /** Goes past a token, and gives its translation. */
  #take(token: string, source: string, part: Part): string {
    this.#at += token.length;
    this.#last = part;
    return source;
  }

  #commentLength(): number {
    const end = this.#pattern.indexOf('\n', this.#at);
    return (end < 0 ? this.#pattern.length : end) - this.#at;
  }

  #escape(rest: string): string {
    const assertion = ASSERTIONS[rest.slice(0, 2)];
    if (assertion) {
      this.#usesWords ||= /b/i.test(rest[1] as string);
      this.#looksBehind ||= rest[1] === 'B';
      return this.#take(rest.slice(0, 2), assertion, 'assertion');
    }
    const { token, source, members } = classEscape(rest, this.#flags.has('i'));
    this.#usesWords ||= /^\\w/i.test(token);
    return this.#take(token, members === undefined ? source : `[${members}]`, 'atom');
  }

  #class(): string {
    const { token, source, usesWords } = translateClass(this.#pattern, this.#at, this.#flags.has('i'));
    this.#usesWords ||= usesWords;
    return this.#take(token, source, 'atom');
  }

  #open(rest: string): string {
    refuse(this.#lookbehindDepth > 0, 'a group in a lookbehind');
    const named = /^\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest);
    if (named) {
      this.#groups.push('atom');
      return this.#take(named[0], '(', 'nothing');
    }
    const special = /^\((?:\?(?::|=|!|<=|<!)?|\*)/.exec(rest)?.[0] ?? '(';
    refuse(special === '(?' || special === '(*', `a group that begins with ${rest.slice(0, 3)}`);
    this.#groups.push(special === '(' || special === '(?:' ? 'atom' : 'assertion');
    if (special.startsWith('(?<')) {
      this.#lookbehindDepth = this.#groups.length;
      this.#looksBehind = true;
    }
    return this.#take(special, special, 'nothing');
  }

  #close(): string {
    if (this.#groups.length === this.#lookbehindDepth) {
      this.#lookbehindDepth = 0;
    }
    const part = this.#groups.pop();
    if (!part) {
      throw invalid('unmatched closing parenthesis');
    }
    return this.#take(')', ')', part);
  }

  #quantifier(rest: string): string {
    const bounds = /^\{(\d+)(?:(,)(\d*))?\}/.exec(rest);
    if (rest[0] === '{' && !bounds) {
      refuse(/^\{\s*,?\s*\d/.test(rest), 'a quantifier of this form');
      return this.#take('{', '\\{', 'atom');
    }
    if (bounds && [bounds[1], bounds[3]].some((bound) => Number(bound || 0) > MAX_REPEAT)) {
      throw invalid('number too big in {} quantifier');
    }
    if (this.#last === 'nothing') {
      throw invalid('quantifier does not follow a repeatable item');
    }
    refuse(this.#last !== 'atom' || this.#lookbehindDepth > 0, 'a quantifier in this place');
    const token = bounds?.[0] ?? (rest[0] as string);
    const isLazy = rest[token.length] === '?';
    return this.#take(isLazy ? `${token}?` : token, isLazy ? `${token}?` : token, 'quantifier');
  }
}

/** PCRE2's limit for the numbers of a quantifier. */
const MAX_REPEAT = 65_535;

const ASSERTIONS: Record<string, string> = {
  '\\b': '\\b',
  '\\B': '\\B',
  '\\A': '^',
  '\\z': '$',
  '\\Z': '(?=\\n?$)',
};
