import { mongo } from 'mongoose';

const { BSON } = mongo;

/** Keeps the types of numbers, binary data and patterns. */
const EXACTLY = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };

/** https://bsonspec.org/spec.html */
const OBJECT = 3;
const ARRAY = 4;

/**
 * Decodes BSON into what the driver encodes as the same bytes, because the driver has no way to send bytes as they are.
 * @returns undefined if the driver would change the document: two fields with one name, or a type that is long deprecated
 */
export function exactDocument(raw: Uint8Array): mongo.Document | undefined {
  return roundTrip(raw, asObject) ?? roundTrip(raw, exactFields);
}

function roundTrip(raw: Uint8Array, decode: (raw: Uint8Array) => mongo.Document): mongo.Document | undefined {
  try {
    const document = decode(raw);
    return Buffer.compare(BSON.serialize(document), raw) === 0 ? document : undefined;
  } catch {
    return undefined;
  }
}

const asObject = (raw: Uint8Array): mongo.Document => BSON.deserialize(raw, EXACTLY);

/** The fields of a document in their order. JavaScript objects put names that are whole numbers first. */
export function exactFields(raw: Uint8Array, at = 0): Map<string, unknown> {
  return new Map(elementsOf(raw, at));
}

function* elementsOf(raw: Uint8Array, at: number): Generator<[string, unknown]> {
  for (const [type, nameAt, nameLength, valueAt, length] of BSON.onDemand.parseToElements(raw, at)) {
    const name = Buffer.from(raw.buffer, raw.byteOffset + nameAt, nameLength).toString();
    if (type === OBJECT) {
      yield [name, exactFields(raw, valueAt)];
    } else if (type === ARRAY) {
      yield [name, [...elementsOf(raw, valueAt)].map(([, value]) => value)];
    } else {
      // The type is the byte before the name.
      yield [name, asObject(asDocument(raw.subarray(nameAt - 1, valueAt + length)))[name]];
    }
  }
}

/** The bytes of the `_id` with their type, as a text. A stored document begins with its `_id`. */
export const idKey = (raw: Uint8Array): string => Buffer.from(idElement(raw)).toString('latin1');

/** The value of the `_id`, for a query. */
export function idOf(raw: Uint8Array): unknown {
  const element = idElement(raw);
  return exactFields(asDocument(element)).get('_id');
}

function idElement(raw: Uint8Array): Uint8Array {
  const [first] = BSON.onDemand.parseToElements(raw);
  if (!first) {
    throw new Error('a stored document has an _id');
  }
  const [, nameAt, , valueAt, length] = first;
  return raw.subarray(nameAt - 1, valueAt + length);
}

/** A document with this one field. */
function asDocument(element: Uint8Array): Uint8Array {
  const document = Buffer.alloc(element.length + 5);
  document.writeInt32LE(document.length);
  document.set(element, 4);
  return document;
}
