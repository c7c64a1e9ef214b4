import { BSONRegExp, type Document, ObjectId } from 'bson';
import { mongoError } from '../base/errors.ts';
import { MAX_BSON_BYTES } from '../wire/wire.ts';
import { bsonTypeName, decode, encode, isDocument, MISSING } from './values.ts';

/** A document ready to be stored: decoded for the indexes, and as the bytes that are kept. */
export interface Prepared {
  document: Document;
  raw: Buffer;
}

/**
 * Makes a document storable as mongod does: an _id in first place, made when absent, of an allowed type.
 * @param raw the client's bytes, stored as they are when nothing had to change
 */
export function prepareInsert(raw: Buffer): Prepared {
  if (raw.length > MAX_BSON_BYTES) {
    throw mongoError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_BSON_BYTES}`,
    );
  }
  const document = decode(raw);
  checkId(document._id);
  // A copy: the client's bytes are a slice of a whole message, which would stay in memory with it.
  if (Object.keys(document)[0] === '_id') return { document, raw };
  const { _id = new ObjectId(), ...rest } = document;
  return prepare({ _id, ...rest });
}

/** A changed or upserted document as it is stored; `_id` is made when absent. */
export function prepare(document: Document): Prepared {
  const withId = document._id === MISSING ? { _id: new ObjectId(), ...document } : document;
  checkId(withId._id);
  const raw = encode(withId);
  if (raw.length > MAX_BSON_BYTES) {
    throw mongoError(
      'BSONObjectTooLarge',
      `Resulting document after update is larger than ${MAX_BSON_BYTES}`,
    );
  }
  return { document: withId, raw };
}

function checkId(id: unknown): void {
  if (Array.isArray(id) || id instanceof BSONRegExp) {
    throw mongoError('InvalidIdField', `The '_id' value cannot be of type ${bsonTypeName(id)}`);
  }
  const dollar =
    isDocument(id) &&
    Object.keys(id).find((name) => name.startsWith('$') && !['$ref', '$id', '$db'].includes(name));
  if (dollar) {
    throw mongoError(
      'DollarPrefixedFieldName',
      `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
    );
  }
}
