import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import type { PatternCost } from '../values/match-context.ts';
import {
  escapedCharacter,
  invalid,
  refusePattern,
  type TranslatedPattern,
  tokensOf,
  translatePattern,
} from './regex-translation.ts';

/** States of all patterns together that a filter may have: to compile them takes about 10 ms for 1,000. */
const MAX_STATES = 5000;
/** At worst, RE2 tries each of its states on each character: when its table of known sets of states is full. */
const NANOS_PER_STATE = 50;
/** The time that patterns may take on one document, at worst: nobody else is served meanwhile. */
const MAX_NANOS = 100_000_000;

/** Of a string, whether it matches. */
type StringTest = (text: string) => boolean;

/** A function on strings, and its time for each character at worst. */
interface CostedTest {
  test: StringTest;
  nanosPerCharacter: number;
}

/**
 * A pattern of PCRE2 as a function. Its time is linear in the length of the string, and bounded.
 * @param cost counts this pattern, too
 * @throws CommandError 51091 for a pattern that PCRE2 rejects; NotImplemented (238) for one that the engine does not have, for too
 * many or too large ones, and from the function for a string that is too long for them
 */
export function compileLinear(pattern: string, options: string, cost: PatternCost): StringTest {
  const { tokens, flags } = tokensOf(pattern, options);
  const { test, nanosPerCharacter } = literalTest(tokens, flags) ?? machineTest(tokens, flags, cost);
  /** RE2 counts U+017F and U+212A as letters of \w if case is ignored. */
  const isDoubtful = flags.has('i') && /\\[wb]/i.test(pattern);
  return (text) => {
    cost.nanos += nanosPerCharacter * text.length;
    refusePattern(cost.nanos > MAX_NANOS, 'so long a string, tested with what is');
    refusePattern(isDoubtful && /[\u017f\u212a]/.test(text), '\\w without case, tested on this string,');
    return test(text);
  };
}

/** The test for a text, alone or with `^` and `$` around it: no machine is faster. Undefined for another pattern. */
function literalTest(tokens: readonly string[], flags: ReadonlySet<string>): CostedTest | undefined {
  if (flags.has('i') || flags.has('m')) {
    return undefined;
  }
  const isAtStart = tokens[0] === '^' || tokens[0] === '\\A';
  const end = tokens.at(-1);
  const isAtEnd = end === '$' || end === '\\z';
  const characters = tokens.slice(Number(isAtStart), isAtEnd ? -1 : undefined);
  if (!characters.every(isLiteral)) {
    return undefined;
  }
  const text = characters.map((token) => (token.length > 1 ? unescaped(token) : token)).join('');
  const search = isAtStart ? (isAtEnd ? equals : startsWith) : isAtEnd ? endsWith : includes;
  const test = end === '$' ? either(search(text), search(`${text}\n`)) : search(text);
  return { test, nanosPerCharacter: search === includes ? text.length : 0 };
}

const includes = (part: string) => (text: string) => text.includes(part);
const startsWith = (part: string) => (text: string) => text.startsWith(part);
const endsWith = (part: string) => (text: string) => text.endsWith(part);
const equals = (whole: string) => (text: string) => text === whole;
const either = (test: StringTest, other: StringTest) => (text: string) => test(text) || other(text);

function isLiteral(token: string): boolean {
  return /^(?:\\[^A-Za-z0-9]|[^\\[\](){}.*+?|^$]|[\]}])$/su.test(token);
}

function unescaped(token: string): string {
  return token.startsWith('\\') ? String.fromCodePoint(escapedCharacter(token)) : token;
}

/** The test by RE2's machines, one for each part of the pattern. */
function machineTest(tokens: readonly string[], flags: ReadonlySet<string>, cost: PatternCost): CostedTest {
  const parts = translatePattern(tokens, flags);
  let nanosPerCharacter = 0;
  for (const { states, beforeLastLineFeed } of parts) {
    const isEndKnown = beforeLastLineFeed !== undefined;
    cost.states += states * (isEndKnown ? 3 : 1);
    nanosPerCharacter += states * (isEndKnown ? 2 : 1) * NANOS_PER_STATE;
  }
  refusePattern(cost.states > MAX_STATES, 'so many states, in this pattern and in those beside it,');
  const tests = parts.map((part) => partTest(part, flags.has('i')));
  return { test: (text) => tests.every((test) => test(text)), nanosPerCharacter };
}

/** PCRE2's `$`, and its `^` of the option m, take a line feed at the end of the string in another way than RE2's. */
function partTest(
  { isNegated, source, beforeLastLineFeed, hasLineStart }: TranslatedPattern,
  ignoreCase: boolean,
) {
  const whole = compileMachine(source, ignoreCase);
  if (beforeLastLineFeed === undefined) {
    return (text: string) => whole.test(text) !== isNegated;
  }
  const inside = compileMachine(beforeLastLineFeed, ignoreCase);
  const atEnd = compileMachine(`${source}\\z`, ignoreCase);
  return (text: string) => {
    if (!text.endsWith('\n')) {
      return whole.test(text) !== isNegated;
    }
    if (inside.test(text.slice(0, -1))) {
      return !isNegated;
    }
    const isAtEnd = atEnd.test(text);
    refusePattern(isAtEnd && hasLineStart, 'the option m with ^, tested on this string,');
    return isAtEnd !== isNegated;
  };
}

let engine: typeof RE2JS | undefined;

/** RE2. It is loaded for the first pattern that needs it. */
function loadEngine(): typeof RE2JS {
  engine ??= createRequire(import.meta.url)('re2js').RE2JS as typeof RE2JS;
  return engine;
}

function compileMachine(source: string, ignoreCase: boolean): RE2JS {
  const engine = loadEngine();
  try {
    return engine.compile(source, ignoreCase ? engine.CASE_INSENSITIVE : 0);
  } catch (error) {
    const { message } = error as Error;
    refusePattern(
      /repeat (?:count|size)|too (?:deep|large)|nests/.test(message),
      'a quantifier within quantifiers',
    );
    throw invalid(message);
  }
}
