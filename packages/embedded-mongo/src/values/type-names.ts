import { BSONSymbol, Decimal128, Double } from 'bson';
import { isInt32, ORDER, orderOf } from './types.ts';

const NAMES = [
  ...[
    'double',
    'string',
    'object',
    'array',
    'binData',
    'undefined',
    'objectId',
    'bool',
    'date',
    'null',
    'regex',
  ],
  ...['dbPointer', 'javascript', 'symbol', 'javascriptWithScope', 'int', 'timestamp', 'long', 'decimal'],
];

/** BSON's type numbers by the names that `$type` accepts. */
export const TYPE_CODES: Record<string, number> = {
  ...Object.fromEntries(NAMES.map((name, i) => [name, i + 1])),
  minKey: -1,
  maxKey: 127,
};

/** The names in the keys of ORDER that differ from those of types. Numbers and strings are several types. */
const NAME_OF_KEY: Record<string, string> = {
  number: 'long',
  binary: 'binData',
  code: 'javascript',
  codeWithScope: 'javascriptWithScope',
};

const NAME_OF_ORDER = new Map<number, string>(
  Object.entries(ORDER).map(([key, order]) => [order, NAME_OF_KEY[key] ?? key]),
);

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
  return value instanceof BSONSymbol ? 'symbol' : (NAME_OF_ORDER.get(orderOf(value)) as string);
}

/** The number of a value's BSON type. */
export function bsonTypeOf(value: unknown): number {
  return TYPE_CODES[bsonTypeName(value)] as number;
}
