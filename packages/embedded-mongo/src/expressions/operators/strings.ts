import { demand, notImplemented } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { partsOfValue } from '../bounds.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { demandType, documentOf, int32Of, isNullish, onExactly, onJoined, parametersOf } from './operands.ts';

/** MongoDB's limit on a string that it builds (BufferMaxSize). */
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;

/** Like MongoDB, the operators for the case of letters know only those of ASCII. */
export const STRINGS: Record<string, OperatorCompiler> = {
  $concat: onJoined(isText, 16702, concat),
  $ltrim: trimmer(true, false),
  $rtrim: trimmer(false, true),
  $split: onExactly(2, ([text, separator]) => split(text, separator)),
  // A pair of surrogates is one code point.
  $strLenCP: onExactly(
    1,
    ([text]) => stringOf(text, '$strLenCP', 34471).replace(/[\udc00-\udfff]/g, '').length,
  ),
  $substrCP: onExactly(3, ([text, start, length]) => substring(text, start, length)),
  $toLower: onExactly(1, ([value]) => textOf(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $toUpper: onExactly(1, ([value]) => textOf(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  $trim: trimmer(true, true),
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function stringOf(value: unknown, name: string, code: number): string {
  demandType(isText(value), code, `${name} requires a string`, value);
  return value;
}

/** A string, or an empty one for null and a missing value. MongoDB has texts of some other types, too. */
function textOf(value: unknown): string {
  if (isText(value) || isNullish(value)) {
    return value ?? '';
  }
  throw notImplemented(`the text of a value of type ${bsonTypeName(value)}`);
}

function concat(texts: readonly string[]): string {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  demand(length <= MAX_BUFFER_BYTES, 13548, '$concat attempted to grow a string past the 64MB limit');
  return texts.join('');
}

function split(text: unknown, separator: unknown): unknown {
  if (isNullish(text) || isNullish(separator)) {
    return null;
  }
  const [input, mark] = [stringOf(text, '$split', 40085), stringOf(separator, '$split', 40086)];
  demand(mark !== '', 40087, '$split requires a non-empty separator');
  return partsOfValue()(input.split(mark));
}

/** The index in UTF-16 after `count` code points from `index`, or the end of the text. */
function indexAfter(text: string, index: number, count: number): number {
  let end = index;
  for (let i = 0; i < count && end < text.length; i++) {
    end += isLowSurrogate(text, end + 1) ? 2 : 1;
  }
  return end;
}

/** BSON has no lone surrogates, so this one is the second half of a pair. */
function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

function substring(value: unknown, startValue: unknown, lengthValue: unknown): string {
  const text = textOf(value);
  const start = int32Of(startValue, '$substrCP: starting index', [34450, 34451]);
  const length = int32Of(lengthValue, '$substrCP: length', [34452, 34453]);
  demand(length >= 0, 34454, '$substrCP: length must be a nonnegative integer.');
  demand(start >= 0, 34455, '$substrCP: the starting index must be nonnegative integer.');
  const from = indexAfter(text, 0, start);
  return text.slice(from, indexAfter(text, from, length));
}

/** The white space of MongoDB (str_trim_utils.h). */
const WHITE_SPACE =
  '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function trimmer(left: boolean, right: boolean): OperatorCompiler {
  return (operand: unknown, context: ExpressionContext, name: string): Evaluate => {
    const [given, marked = WHITE_SPACE] = parametersOf(documentOf(operand, name, 50696), 50694, [
      ['input', 50695],
      ['chars'],
    ]);
    const [input, chars] = [context.compile(given), context.compile(marked)];
    return (document, variables) => {
      const value = input(document, variables);
      if (isNullish(value)) {
        return null;
      }
      const text = stringOf(value, name, 50699);
      const marks = chars(document, variables);
      return isNullish(marks) ? null : trim(text, stringOf(marks, name, 50700), left, right);
    };
  };
}

function trim(text: string, chars: string, left: boolean, right: boolean): string {
  const marks = new Set(Array.from(chars, (char) => char.codePointAt(0)));
  let [from, to] = [0, text.length];
  while (left && from < to && marks.has(text.codePointAt(from))) {
    from = indexAfter(text, from, 1);
  }
  while (right && from < to) {
    const last = isLowSurrogate(text, to - 1) ? to - 2 : to - 1;
    if (!marks.has(text.codePointAt(last))) {
      break;
    }
    to = last;
  }
  return text.slice(from, to);
}
