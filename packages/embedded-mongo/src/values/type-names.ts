import { BSONSymbol, Decimal128, Double } from 'bson';
import { isInt32, ORDER, orderOf } from './types.ts';

/** BSON's type numbers by the names that `$type` accepts. */
export const TYPE_CODES: Record<string, number> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};

/** Numbers and strings are missing: each is several types. */
const NAME_OF_ORDER: Record<number, string> = {
  [ORDER.minKey]: 'minKey',
  [ORDER.undefined]: 'undefined',
  [ORDER.null]: 'null',
  [ORDER.object]: 'object',
  [ORDER.array]: 'array',
  [ORDER.binary]: 'binData',
  [ORDER.objectId]: 'objectId',
  [ORDER.bool]: 'bool',
  [ORDER.date]: 'date',
  [ORDER.timestamp]: 'timestamp',
  [ORDER.regex]: 'regex',
  [ORDER.code]: 'javascript',
  [ORDER.codeWithScope]: 'javascriptWithScope',
  [ORDER.maxKey]: 'maxKey',
};

/** The name of a value's BSON type, as the expression `$type` gives it. */
export function bsonTypeName(value: unknown): string {
  if (typeof value === 'number') {
    return isInt32(value) ? 'int' : 'double';
  }
  if (value instanceof Double) {
    return 'double';
  }
  if (value instanceof Decimal128) {
    return 'decimal';
  }
  if (value instanceof BSONSymbol) {
    return 'symbol';
  }
  if (typeof value === 'string') {
    return 'string';
  }
  return NAME_OF_ORDER[orderOf(value)] ?? 'long';
}

/** The number of a value's BSON type. */
export function bsonTypeOf(value: unknown): number {
  return TYPE_CODES[bsonTypeName(value)] as number;
}
