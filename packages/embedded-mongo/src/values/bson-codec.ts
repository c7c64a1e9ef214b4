import { BSON, BSONSymbol, DBRef, type DeserializeOptions, type Document, Double, Int32 } from 'bson';
import { mongoError, notImplemented } from '../base/errors.ts';
import { MAX_LEVELS } from '../base/limits.ts';
import { innerName, outerName } from './names.ts';
import { isDocument, isInt32 } from './types.ts';

/**
 * Decodes BSON and keeps every type and the order of the fields: int32 and fractional doubles become numbers, int64 stays a
 * Long, and a double that JavaScript would write as an int32 (1.0) stays a Double. Names are inner names (names.ts).
 * `encode` of the result gives the same bytes.
 */
export function decode(bytes: Uint8Array, options: DeserializeOptions = {}): Document {
  const document = BSON.deserialize(bytes, { promoteValues: false, bsonRegExp: true, ...options });
  const names = { lostOrder: false };
  const result = plain(document, 0, names) as Document;
  return names.lostOrder ? (reordered(result, bytes, 0) as Document) : result;
}

/** Encodes a document in the form that `decode` gives. Throws BSONObjectTooLarge (10334) above bson's limit of 17 MiB. */
export function encode(document: Document): Buffer {
  const outer = hasInnerNames(document) ? withOuterNames(document) : document;
  const { buffer, byteOffset, byteLength } = serialize(outer as Document);
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function serialize(document: Document): Uint8Array {
  try {
    return BSON.serialize(document, { ignoreUndefined: true });
  } catch (error) {
    throw error instanceof RangeError ? mongoError('BSONObjectTooLarge', 'BSONObj size is invalid') : error;
  }
}

/** Unwraps numbers, in place. `names.lostOrder` becomes true if bson changed the order of fields. */
function plain(value: unknown, depth: number, names: { lostOrder: boolean }): unknown {
  // An invalid Date would be written as another one.
  if (value === undefined || (value instanceof Date && Number.isNaN(value.getTime()))) {
    throw notImplemented(value ? "a date beyond JavaScript's range" : 'BSON undefined');
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth > MAX_LEVELS) {
    throw mongoError('Overflow', `Object too deeply nested (more than ${MAX_LEVELS} levels)`);
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      value[i] = plain(value[i], depth + 1, names);
    }
    return value;
  }
  if (value instanceof Int32) {
    return value.value;
  }
  if (value instanceof Double) {
    return isInt32(value.value) ? value : value.value;
  }
  if (value instanceof DBRef) {
    // bson puts its fields into an order of its own.
    names.lostOrder = true;
    return plain(value.toJSON(), depth, names);
  }
  if (value instanceof BSONSymbol || !isDocument(value)) {
    return value;
  }
  const keys = Object.keys(value);
  // Names that are whole numbers come first.
  names.lostOrder ||=
    (keys[0] !== undefined && innerName(keys[0]) !== keys[0]) || Object.hasOwn(value, '__proto__');
  for (const key of keys) {
    value[key] = plain(value[key], depth + 1, names);
  }
  return value;
}

/** A decoded value again, with inner names in the order of its bytes, which begin at `offset`. */
function reordered(value: unknown, bytes: Uint8Array, offset: number): unknown {
  const elements = [...BSON.onDemand.parseToElements(bytes, offset)];
  const again = (item: unknown, at: number) =>
    Array.isArray(item) || isDocument(item) ? reordered(item, bytes, at) : item;
  if (Array.isArray(value)) {
    return elements.map(([, , , at], i) => again(value[i], at));
  }
  const result: Document = {};
  for (const [, nameAt, nameLength, at] of elements) {
    const name = Buffer.from(bytes.buffer, bytes.byteOffset + nameAt, nameLength).toString();
    result[innerName(name)] = again((value as Document)[name], at);
  }
  return result;
}

function hasInnerNames(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(hasInnerNames);
  }
  if (!isDocument(value)) {
    return false;
  }
  for (const name in value) {
    if (name !== outerName(name) || hasInnerNames(value[name])) {
      return true;
    }
  }
  return false;
}

/** A copy with maps for documents: they keep any order. */
function withOuterNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withOuterNames);
  }
  if (!isDocument(value)) {
    return value;
  }
  return new Map(Object.entries(value).map(([name, item]) => [outerName(name), withOuterNames(item)]));
}
