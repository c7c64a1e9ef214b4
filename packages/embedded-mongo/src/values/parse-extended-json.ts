import { type Document, EJSON, Long } from 'bson';
import { innerName } from './names.ts';
import { isDocument, isInt32 } from './types.ts';

/** More levels than a stored document can have. */
const MAX_LEVELS = 200;
/** A name that must be marked is not longer in JSON: ten characters, each as \uXXXX, in quotes. */
const MAX_MARKED_NAME = 62;
/** A line without this has no name that must be marked. */
const MAY_NEED_MARKS = /"(?:\d{1,10}|__proto__)"\s*:|\\u/;
/** The values that Extended JSON writes as objects with one field, and `$code` with its scope. */
const WRAPPERS = new Set([
  ...['$oid', '$numberInt', '$numberLong', '$numberDouble', '$numberDecimal', '$binary', '$uuid', '$date'],
  ...['$timestamp', '$regularExpression', '$minKey', '$maxKey', '$code', '$symbol', '$dbPointer'],
]);
/** What bson would read as another number, or as none. */
const NUMBERS: Readonly<Record<string, (text: string) => boolean>> = {
  $numberInt: (text) => /^-?\d{1,10}$/.test(text) && (Number(text) | 0) === Number(text),
  $numberLong: (text) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  $numberDouble: (text) => /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/.test(text),
};

/**
 * Reads a document in Extended JSON (canonical or relaxed) in the form of `decode`, but with BSON's types for all numbers.
 * bson's own reader would lose the order of fields whose names are whole numbers.
 * @throws an Error whose message has no part of the text
 */
export function parseExtendedJson(text: string): Document {
  const value = revived(parseJson(text), MAX_LEVELS);
  if (!isDocument(value)) {
    throw new Error('not a document');
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(MAY_NEED_MARKS.test(text) ? withInnerNames(text) : text);
  } catch {
    throw new Error('not valid JSON');
  }
}

/** JSON whose names are inner names. */
function withInnerNames(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    if (end - start <= MAX_MARKED_NAME && /^\s*:/.test(text.slice(end, end + 10))) {
      const name = JSON.parse(text.slice(start, end));
      parts.push(text.slice(copied, start), JSON.stringify(innerName(name)));
      copied = end;
    }
    start = text.indexOf('"', end);
  }
  return parts.join('') + text.slice(copied);
}

/** The position after a JSON string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') {
    if (end >= text.length) {
      throw new Error('a string without an end');
    }
    end += text[end] === '\\' ? 2 : 1;
  }
  return end + 1;
}

function revived(value: unknown, levels: number): unknown {
  if (levels === 0) {
    throw new Error(`more than ${MAX_LEVELS} levels`);
  }
  if (Array.isArray(value)) {
    return value.map((item) => revived(item, levels - 1));
  }
  if (!isDocument(value)) {
    return typeof value === 'number' ? plainNumber(value) : value;
  }
  const [name = '', ...others] = Object.keys(value);
  if (WRAPPERS.has(name) && (others.length === 0 || (name === '$code' && others[0] === '$scope'))) {
    return unwrapped(name, value);
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, revived(item, levels - 1)]));
}

/** A number of relaxed Extended JSON, which has only ints, longs and doubles. */
const plainNumber = (value: number): unknown =>
  Number.isSafeInteger(value) && !isInt32(value) ? Long.fromNumber(value) : value;

function unwrapped(name: string, wrapper: Document): unknown {
  let value: unknown;
  try {
    value = EJSON.deserialize(wrapper, { relaxed: false });
  } catch {
    // bson's message may quote the value.
  }
  const isNumber = NUMBERS[name]?.(String(wrapper[name])) ?? true;
  const isDate = !(value instanceof Date) || !Number.isNaN(value.getTime());
  if (value === undefined || value === null || isDocument(value) || !isNumber || !isDate) {
    throw new Error(`not a value of ${name}`);
  }
  return value;
}
