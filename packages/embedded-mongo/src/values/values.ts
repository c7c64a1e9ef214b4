import {
  Binary,
  BSON,
  BSONRegExp,
  BSONSymbol,
  BSONValue,
  Code,
  DBRef,
  Decimal128,
  type DeserializeOptions,
  type Document,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { mongoError } from '../base/errors.ts';

/** Deeper nesting than MongoDB accepts in a stored document (BSONDepth, 180 while storing). */
const MAX_DEPTH = 180;

/** A field that is not there: unlike null in $exists and sparse indexes, like null in equality and order. */
export const MISSING = undefined;

/**
 * Decodes BSON without losing a type: int32 and fractional doubles become numbers, int64 stays Long, and a double
 * that JavaScript would write back as an int32 (1.0) stays a Double. `encode` of the result gives the same bytes.
 */
export function decode(bytes: Uint8Array, options: DeserializeOptions = {}): Document {
  const document = BSON.deserialize(bytes, { promoteValues: false, bsonRegExp: true, ...options });
  return plain(document, 0) as Document;
}

/** Encodes a document of the form `decode` gives. */
export function encode(document: Document): Buffer {
  const { buffer, byteOffset, byteLength } = BSON.serialize(document, { ignoreUndefined: true });
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH)
    throw mongoError('Overflow', `Object too deeply nested (more than ${MAX_DEPTH} levels)`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = plain(value[i], depth + 1);
    return value;
  }
  if (value instanceof Int32) return value.value;
  if (value instanceof Double) return isInt32(value.value) ? value : value.value;
  if (value instanceof DBRef) return plain(value.toJSON(), depth);
  if (value instanceof BSONSymbol) return value;
  if (!isDocument(value)) return value;
  for (const key of Object.keys(value)) value[key] = plain(value[key], depth + 1);
  return value;
}

/** Whether a JavaScript number is one that BSON writes as int32. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** A plain (sub)document, as opposed to a scalar, an array or a BSON type of its own. */
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

/** An entry of a table by a name that came from a client: "constructor" is in none of them. */
export function lookUp<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** MongoDB's comparison order of types (BSON comparison/sort order in its manual); numbers are one type. */
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

/** What an empty array is in an index or a sort: below null. */
export const EMPTY_ARRAY = Symbol('empty array');

/** The place of a value's type in MongoDB's comparison order. */
export function orderOf(value: unknown): number {
  if (value === undefined || value === null) return ORDER.null;
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

function orderOfObject(value: object): number {
  if (Array.isArray(value)) return ORDER.array;
  if (value instanceof ObjectId) return ORDER.objectId;
  if (value instanceof Date) return ORDER.date;
  // Timestamp extends Long: it goes first.
  if (value instanceof Timestamp) return ORDER.timestamp;
  if (value instanceof Double || value instanceof Long || value instanceof Decimal128) return ORDER.number;
  if (value instanceof Binary || value instanceof Uint8Array) return ORDER.binary;
  if (value instanceof BSONRegExp || value instanceof RegExp) return ORDER.regex;
  if (value instanceof BSONSymbol) return ORDER.string;
  if (value instanceof Code) return value.scope ? ORDER.codeWithScope : ORDER.code;
  if (value instanceof MinKey) return ORDER.minKey;
  if (value instanceof MaxKey) return ORDER.maxKey;
  return ORDER.object;
}

/** A value as MongoDB's error messages show it. */
export function display(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Double)
    return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Long) return value.toString();
  if (Array.isArray(value)) return `[ ${value.map(display).join(', ')} ]`;
  if (!isDocument(value)) return typeof value === 'object' && value ? EJSON.stringify(value) : String(value);
  const fields = Object.entries(value).map(([name, item]) => `${name}: ${display(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** BSON type numbers by the names `$type` takes. */
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

const CODE_OF_ORDER: Record<number, string> = {
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

/** The name of a value's BSON type, as `$type` (the expression) gives it. */
export function bsonTypeName(value: unknown): string {
  if (typeof value === 'number') return isInt32(value) ? 'int' : 'double';
  if (value instanceof Double) return 'double';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof BSONSymbol) return 'symbol';
  if (typeof value === 'string') return 'string';
  const name = CODE_OF_ORDER[orderOf(value)];
  return name ?? 'long';
}

/** The number of a value's BSON type. */
export function bsonTypeOf(value: unknown): number {
  return TYPE_CODES[bsonTypeName(value)] as number;
}
