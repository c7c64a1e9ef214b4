import { BSON, BSONSymbol, DBRef, type DeserializeOptions, type Document, Double, Int32 } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isDocument, isInt32 } from './types.ts';

/** MongoDB's limit on nesting in a stored document (BSONDepth). */
const MAX_DEPTH = 180;

/**
 * Decodes BSON and keeps every type: int32 and fractional doubles become numbers, int64 stays a Long, and a double that
 * JavaScript would write as an int32 (1.0) stays a Double. `encode` of the result gives the same bytes.
 */
export function decode(bytes: Uint8Array, options: DeserializeOptions = {}): Document {
  const document = BSON.deserialize(bytes, { promoteValues: false, bsonRegExp: true, ...options });
  return plain(document, 0) as Document;
}

/** Encodes a document in the form that `decode` gives. */
export function encode(document: Document): Buffer {
  const { buffer, byteOffset, byteLength } = BSON.serialize(document, { ignoreUndefined: true });
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Unwraps numbers, in place. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth > MAX_DEPTH) {
    throw mongoError('Overflow', `Object too deeply nested (more than ${MAX_DEPTH} levels)`);
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      value[i] = plain(value[i], depth + 1);
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
    return plain(value.toJSON(), depth);
  }
  if (value instanceof BSONSymbol || !isDocument(value)) {
    return value;
  }
  for (const key of Object.keys(value)) {
    value[key] = plain(value[key], depth + 1);
  }
  return value;
}
