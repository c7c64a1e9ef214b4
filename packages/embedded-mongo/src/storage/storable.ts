import { BSONRegExp, type Document, ObjectId } from 'bson';
import { mongoError } from '../base/errors.ts';
import { MAX_BSON_BYTES } from '../base/limits.ts';
import { decode, encode } from '../values/bson-codec.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';

/** A document ready to be stored: decoded for the indexes, and as the bytes that are kept. */
interface Prepared {
  document: Document;
  raw: Buffer;
}

/**
 * Prepares a document of an insert as mongod does: `_id` comes first, is created if it is absent, and has an allowed type.
 * @param raw the client's bytes, which are stored as they are if nothing has to change
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
  if (Object.keys(document)[0] === '_id') {
    // No copy: LMDB copies the bytes of the message when it writes them.
    return { document, raw };
  }
  const { _id = new ObjectId(), ...rest } = document;
  return prepare({ _id, ...rest });
}

/** Prepares a changed or upserted document. `_id` is created if it is absent. */
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
