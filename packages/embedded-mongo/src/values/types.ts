import { BSONValue, Code, type Document } from 'bson';

/** A field that does not exist. $exists and sparse indexes tell it from null; equality and order do not. */
export const MISSING = undefined;

/** The value of an empty array in an index or a sort. It is below null. */
export const EMPTY_ARRAY = Symbol('empty array');

/** True if BSON writes this JavaScript number as an int32. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** True for a plain (sub)document; false for a scalar, an array or a BSON type. */
export function isDocument(value: unknown): value is Document {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof BSONValue) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof RegExp)
  );
}

/** MongoDB's comparison order of types (BSON comparison/sort order in its manual). All numbers are one type. */
export const ORDER = {
  minKey: 1,
  undefined: 2,
  null: 3,
  number: 4,
  string: 5,
  object: 6,
  array: 7,
  binary: 8,
  objectId: 9,
  bool: 10,
  date: 11,
  timestamp: 12,
  regex: 13,
  dbPointer: 14,
  code: 15,
  codeWithScope: 16,
  maxKey: 17,
} as const;

/** The position of a value's type in MongoDB's comparison order. */
export function orderOf(value: unknown): number {
  if (value === undefined || value === null) {
    return ORDER.null;
  }
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return ORDER.number;
    case 'string':
      return ORDER.string;
    case 'boolean':
      return ORDER.bool;
    case 'symbol':
      return ORDER.undefined;
    default:
      return orderOfObject(value);
  }
}

const ORDER_OF_BSON: Record<string, number> = {
  ObjectId: ORDER.objectId,
  Timestamp: ORDER.timestamp,
  Double: ORDER.number,
  Long: ORDER.number,
  Decimal128: ORDER.number,
  Binary: ORDER.binary,
  BSONRegExp: ORDER.regex,
  BSONSymbol: ORDER.string,
  Code: ORDER.code,
  MinKey: ORDER.minKey,
  MaxKey: ORDER.maxKey,
};

function orderOfObject(value: object): number {
  if (value instanceof BSONValue) {
    const hasScope = value instanceof Code && value.scope;
    return hasScope ? ORDER.codeWithScope : (ORDER_OF_BSON[value._bsontype] ?? ORDER.object);
  }
  if (Array.isArray(value)) {
    return ORDER.array;
  }
  if (value instanceof Date) {
    return ORDER.date;
  }
  if (value instanceof RegExp) {
    return ORDER.regex;
  }
  return value instanceof Uint8Array ? ORDER.binary : ORDER.object;
}
