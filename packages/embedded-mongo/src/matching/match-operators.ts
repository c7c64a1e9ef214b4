import { BSONRegExp, type Document, MaxKey, MinKey } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { bsonTypeOf, isDocument, lookUp, MISSING, orderOf, TYPE_CODES } from '../values/values.ts';

/** What a filter may refer to besides the document. */
export interface MatchContext {
  /** The command's `let` variables, for `$expr`. */
  variables?: Document;
  /** How strings compare (the command's collation). */
  collator?: Intl.Collator | undefined;
}

export type ValueTest = (value: unknown) => boolean;

interface CompileContext extends MatchContext {
  compileFilter(filter: Document, context: MatchContext): (document: Document) => boolean;
}

interface LeafOperator {
  /** Whether the elements of an array at the end of the path are tested too. */
  expandsLast: boolean;
  compile(operand: unknown, siblings: Document, context: CompileContext): ValueTest;
}

/** `{ $gt: 1 }` as opposed to a document to be equal to; DBRef's fields are no operators. */
export function isOperatorObject(value: unknown): value is Document {
  if (!isDocument(value)) return false;
  const first = Object.keys(value)[0];
  return first?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(first);
}

/** The operators on values; `$not`, `$ne`, `$nin` and `$all` are made of these by the matcher. */
export const LEAF_OPERATORS: Record<string, LeafOperator> = {
  $eq: { expandsLast: true, compile: (operand, _, context) => equals(operand, context.collator) },
  $gt: { expandsLast: true, compile: ordered((order) => order > 0) },
  $gte: { expandsLast: true, compile: ordered((order) => order >= 0) },
  $lt: { expandsLast: true, compile: ordered((order) => order < 0) },
  $lte: { expandsLast: true, compile: ordered((order) => order <= 0) },
  $in: { expandsLast: true, compile: inList },
  $exists: { expandsLast: false, compile: () => (value) => value !== MISSING },
  $type: { expandsLast: true, compile: ofType },
  $size: { expandsLast: false, compile: ofSize },
  $mod: { expandsLast: true, compile: modulo },
  $regex: {
    expandsLast: true,
    compile: (operand, siblings) => matches(toRegex(operand, siblings.$options)),
  },
  $elemMatch: { expandsLast: false, compile: elementMatches },
  $bitsAllSet: { expandsLast: true, compile: bits((value, mask) => (value & mask) === mask) },
  $bitsAnySet: { expandsLast: true, compile: bits((value, mask) => (value & mask) !== 0n) },
  $bitsAllClear: { expandsLast: true, compile: bits((value, mask) => (value & mask) === 0n) },
  $bitsAnyClear: { expandsLast: true, compile: bits((value, mask) => (value & mask) !== mask) },
};

function equals(operand: unknown, collator?: Intl.Collator): ValueTest {
  if (operand instanceof BSONRegExp) return matches(operand);
  if (typeof operand === 'string' && !collator) return (value) => value === operand;
  const order = orderOf(operand);
  return (value) => orderOf(value) === order && equalValues(value, operand, collator);
}

/** Comparison operators only compare within a type, except with MinKey and MaxKey (type bracketing). */
function ordered(accept: (order: number) => boolean) {
  return (operand: unknown, _: Document, { collator }: CompileContext): ValueTest => {
    if (operand instanceof BSONRegExp) throw mongoError('BadValue', "Can't have RegEx as arg to predicate");
    const acrossTypes = operand instanceof MinKey || operand instanceof MaxKey;
    const type = orderOf(operand);
    const operandIsNaN = isNaNValue(operand);
    return (value) => {
      if (!acrossTypes && orderOf(value) !== type) return false;
      if (acrossTypes && value === MISSING) return false;
      // NaN is equal to NaN and neither above nor below any number.
      if (operandIsNaN || isNaNValue(value)) return operandIsNaN && isNaNValue(value) && accept(0);
      return accept(compareValues(value, operand, collator));
    };
  };
}

function isNaNValue(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isNaN(value)
    : String(value) === 'NaN' && typeof value === 'object';
}

function inList(operand: unknown, _: Document, context: CompileContext): ValueTest {
  if (!Array.isArray(operand)) throw mongoError('BadValue', '$in needs an array');
  if (operand.some(isOperatorObject)) throw mongoError('BadValue', 'cannot nest $ under $in');
  const strings = new Set(context.collator ? [] : operand.filter((item) => typeof item === 'string'));
  const others = operand.filter((item) => !strings.has(item)).map((item) => equals(item, context.collator));
  return (value) => strings.has(value as string) || others.some((test) => test(value));
}

function ofType(operand: unknown): ValueTest {
  const wanted = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(typeCodes));
  if (wanted.size === 0) throw mongoError('FailedToParse', '$type must match at least one type');
  return (value) => value !== MISSING && wanted.has(bsonTypeOf(value));
}

function typeCodes(name: unknown): number[] {
  if (name === 'number') return ['double', 'int', 'long', 'decimal'].flatMap(typeCodes);
  if (typeof name === 'string') {
    const code = lookUp(TYPE_CODES, name);
    if (code === undefined) throw mongoError('BadValue', `Unknown type name alias: ${name}`);
    return [code];
  }
  const code = Number(name);
  if (!Object.values(TYPE_CODES).includes(code))
    throw mongoError('BadValue', `Invalid numerical type code: ${name}`);
  return [code];
}

function ofSize(operand: unknown): ValueTest {
  const size = Number(operand);
  if (!Number.isInteger(size))
    throw mongoError('BadValue', `Failed to parse $size. Expected an integer: ${operand}`);
  if (size < 0)
    throw mongoError('BadValue', `Failed to parse $size. Expected a non-negative number in: ${size}`);
  return (value) => Array.isArray(value) && value.length === size;
}

function modulo(operand: unknown): ValueTest {
  if (!Array.isArray(operand) || operand.length !== 2) {
    throw mongoError('BadValue', 'malformed mod, needs to be an array of two elements');
  }
  const [divisor, remainder] = operand.map((item) => Math.trunc(Number(item)));
  if (!divisor) throw mongoError('BadValue', 'divisor cannot be 0');
  return (value) => isNumeric(value) && Math.trunc(Number(value)) % divisor === remainder;
}

function isNumeric(value: unknown): boolean {
  return orderOf(value) === orderOf(0);
}

function matches(pattern: BSONRegExp): ValueTest {
  const regex = compileRegex(pattern);
  return (value) => (typeof value === 'string' ? regex.test(value) : isSameRegex(value, pattern));
}

function isSameRegex(value: unknown, pattern: BSONRegExp): boolean {
  return value instanceof BSONRegExp && equalValues(value, pattern);
}

function toRegex(operand: unknown, options: unknown): BSONRegExp {
  if (options !== undefined && typeof options !== 'string')
    throw mongoError('BadValue', '$options has to be a string');
  if (operand instanceof BSONRegExp) return new BSONRegExp(operand.pattern, options ?? operand.options);
  if (typeof operand !== 'string') throw mongoError('BadValue', '$regex has to be a string');
  return new BSONRegExp(operand, options);
}

/** PCRE is not JavaScript's regex: what the two read differently (x, inline flags) is refused. */
function compileRegex({ pattern, options }: BSONRegExp): RegExp {
  const unsupported = /[^ims]/.exec(options.replace('u', ''));
  if (unsupported?.[0] === 'x')
    throw mongoError('NotImplemented', 'regex option x is not implemented by the embedded engine');
  if (unsupported) throw locationError(51108, `invalid flag in regex options: ${unsupported[0]}`);
  const flags = options.replace('u', '');
  for (const each of [`${flags}u`, flags]) {
    try {
      return new RegExp(pattern, each);
    } catch {
      // The u flag is stricter about escapes than PCRE is: tried without it next.
    }
  }
  throw locationError(51091, `Regular expression is invalid: ${pattern}`);
}

function elementMatches(operand: unknown, _: Document, context: CompileContext): ValueTest {
  if (!isDocument(operand)) throw mongoError('BadValue', '$elemMatch needs an Object');
  const first = Object.keys(operand)[0] ?? '';
  const isValueForm = isOperatorObject(operand) && !['$and', '$or', '$nor', '$expr'].includes(first);
  const test = isValueForm
    ? context.compileFilter({ value: operand }, context)
    : context.compileFilter(operand, context);
  return (value) =>
    Array.isArray(value) &&
    value.some((item) => (isValueForm ? test({ value: item }) : isDocument(item) && test(item)));
}

function bits(accept: (value: bigint, mask: bigint) => boolean) {
  return (operand: unknown): ValueTest => {
    const mask = Array.isArray(operand)
      ? operand.reduce((sum: bigint, position) => sum | (1n << BigInt(Number(position))), 0n)
      : toMask(operand);
    return (value) => {
      if (!isNumeric(value) || !Number.isInteger(Number(value))) return false;
      return accept(BigInt.asIntN(64, BigInt(String(value))), mask);
    };
  };
}

function toMask(operand: unknown): bigint {
  if (!isNumeric(operand) || !Number.isInteger(Number(operand)) || Number(operand) < 0) {
    throw mongoError(
      'BadValue',
      `bit mask must be a non-negative integer or an array of positions: ${operand}`,
    );
  }
  return BigInt(String(operand));
}
