import { BSONRegExp, type Document, ObjectId, Timestamp } from 'bson';
import { demand } from '../base/errors.ts';
import { MAX_BSON_BYTES } from '../base/limits.ts';
import { decode, encode } from '../values/bson-codec.ts';
import { checkShape } from '../values/bson-shape.ts';
import { nextTimestamp } from '../values/next-timestamp.ts';
import { isDocument } from '../values/types.ts';

/** MongoDB's limit on nested documents and arrays, the document included (BSONDepth). Empty ones do not count. */
const MAX_LEVELS = 180;

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
  demand(raw.length <= MAX_BSON_BYTES, 'BSONObjectTooLarge', `the document exceeds ${MAX_BSON_BYTES} bytes`);
  checkShape(raw);
  const document = decode(raw);
  checkId(document._id, MAX_LEVELS);
  if (Object.keys(document)[0] !== '_id' || Object.values(document).some(isEmptyTime)) {
    return prepare(withTimes(document));
  }
  checkLevels(document, MAX_LEVELS);
  // No copy: LMDB copies the bytes of the message when it writes them.
  return { document, raw };
}

/** Prepares a changed or upserted document. `_id` comes first, and is created if it is absent. */
export function prepare(document: Document): Prepared {
  const { _id = new ObjectId() } = document;
  const withId = Object.keys(document)[0] === '_id' ? document : { _id, ...document };
  checkId(withId._id, 1);
  checkLevels(withId, MAX_LEVELS);
  const raw = encode(withId);
  demand(raw.length <= MAX_BSON_BYTES, 'BSONObjectTooLarge', `the document exceeds ${MAX_BSON_BYTES} bytes`);
  return { document: withId, raw };
}

/** An empty timestamp in a field of a new document, except `_id`, becomes the current time. */
export function withTimes(document: Document): Document {
  for (const [name, value] of Object.entries(document)) {
    if (name !== '_id' && isEmptyTime(value)) {
      document[name] = nextTimestamp();
    }
  }
  return document;
}

function isEmptyTime(value: unknown): boolean {
  return value instanceof Timestamp && value.isZero();
}

function checkLevels(value: unknown, left: number): void {
  const isArray = Array.isArray(value);
  if (!isArray && !isDocument(value)) {
    return;
  }
  const isTooDeep = left === 0 && Object.keys(value).length > 0;
  demand(!isTooDeep, 'Overflow', `Document exceeds maximum nesting depth of ${MAX_LEVELS}`);
  for (const item of isArray ? value : Object.values(value)) {
    if (typeof item === 'object') {
      checkLevels(item, left - 1);
    }
  }
}

/** @param levels how deep names are checked: an insert refuses dollars at every level, an update only at the first */
function checkId(id: unknown, levels: number): void {
  const isId = !Array.isArray(id) && !(id instanceof BSONRegExp);
  demand(isId, 'InvalidIdField', "The '_id' value cannot be an array or a pattern");
  const name = dollarIn(id, levels);
  demand(!name, 'DollarPrefixedFieldName', `_id may not contain the '$'-prefixed field ${name}`);
}

function dollarIn(value: unknown, levels: number): string | undefined {
  if (levels === 0 || !(isDocument(value) || Array.isArray(value))) {
    return undefined;
  }
  const isDollar = (name: string) => name.startsWith('$') && !['$ref', '$id', '$db'].includes(name);
  const found = Object.entries(value).map(([name, item]) =>
    isDollar(name) ? name : dollarIn(item, levels - 1),
  );
  return found.find(Boolean);
}
