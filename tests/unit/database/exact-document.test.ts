import {
  Binary,
  BSON,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { exactDocument, exactFields, idKey, idOf } from '../../../src/database/move/exact-document.ts';

/** The bytes of a document, with the fields in this order. */
const bytesOf = (...fields: [string, unknown][]): Uint8Array => BSON.serialize(new Map(fields));

/** A document with these names, which no object has in this order. */
const inOrder = (...names: string[]) => new Map(names.map((name, index) => [name, index]));

/** A document of elements as BSON writes them: type, name, value. */
function rawOf(...elements: (readonly [type: number, name: string, value: Buffer])[]): Uint8Array {
  const body = Buffer.concat(
    elements.flatMap(([type, name, value]) => [Buffer.of(type), Buffer.from(`${name}\0`), value]),
  );
  const size = Buffer.alloc(4);
  size.writeInt32LE(body.length + 5);
  return Buffer.concat([size, body, Buffer.of(0)]);
}

test.each<[string, unknown]>([
  ['a double that looks like an integer', new Double(1)],
  ['minus zero', new Double(-0)],
  ['not a number', new Double(Number.NaN)],
  ['a fraction', 1.5],
  ['an int', new Int32(-7)],
  ['a small long', Long.fromNumber(7)],
  ['the largest long', Long.MAX_VALUE],
  ['a decimal with zeros at its end', Decimal128.fromString('1.500')],
  ['a text', 'Zoë \u{1f600}\0'],
  ['a date before 1970', new Date(-1)],
  ['a timestamp', new Timestamp({ t: 5, i: 6 })],
  ['an id', new ObjectId()],
  ['a UUID', new UUID()],
  ['bytes', new Binary(Buffer.from([0, 255]))],
  ['bytes of a subtype of users', new Binary(Buffer.from([1]), 128)],
  ['a pattern', new BSONRegExp('^a(?=b)', 'im')],
  ['a symbol', new BSONSymbol('s')],
  ['code', new Code('f()')],
  ['code with a scope', new Code('f()', { a: 1 })],
  ['the smallest key', new MinKey()],
  ['the largest key', new MaxKey()],
  ['null', null],
  ['an empty document', {}],
  ['an empty array', []],
  ['an array of documents', [{ b: new Double(2), a: [null] }]],
  ['names that are whole numbers', inOrder('b', '10', '9')],
  ['names that are whole numbers, in a list', [inOrder('1', '0')]],
  ['names that JavaScript has itself', inOrder('__proto__', 'constructor', 'toJSON')],
  ['a field _bsontype', new Map([['_bsontype', 'ObjectId']])],
  [
    'what looks like a reference',
    new Map<string, unknown>([...inOrder('$id', 'z'), ['$ref', 'c'], ['$db', 'd']]),
  ],
])('%s comes back as the same bytes', (_, value) => {
  for (const raw of [
    bytesOf(['_id', 1], ['value', value]),
    bytesOf(['_id', 1], ['list', [value, { value }]]),
  ]) {
    expect(Buffer.from(BSON.serialize(exactDocument(raw) ?? {}))).toEqual(Buffer.from(raw));
    expect(Buffer.from(BSON.serialize(exactFields(raw)))).toEqual(Buffer.from(raw));
  }
});

test('a document that the driver would change is not decoded', () => {
  const twice = [16, 'a', Buffer.of(1, 0, 0, 0)] as const;
  expect(exactDocument(rawOf(twice, twice))).toBeUndefined();
  const pointer = [12, 'p', Buffer.concat([Buffer.of(2, 0, 0, 0, 97, 0), Buffer.alloc(12)])] as const;
  expect(exactDocument(rawOf(pointer))).toBeUndefined();
  expect(exactDocument(rawOf([6, 'undefined', Buffer.alloc(0)]))).toBeUndefined();
  expect(exactDocument(rawOf([2, 'text', Buffer.of(2, 0, 0, 0, 0xff, 0)]))).toBeUndefined();
});

test('ids of different types have different keys, and come back as they are', () => {
  const numbers = [new Int32(1), new Double(1), Long.fromNumber(1)];
  const ids = [...numbers, '1', null, new Date(1), inOrder('1', '0')];
  const documents = ids.map((id) => bytesOf(['_id', id], ['a', 1]));
  expect(new Set(documents.map(idKey)).size).toBe(ids.length);
  for (const raw of documents) {
    expect(Buffer.from(bytesOf(['_id', idOf(raw)], ['a', 1]))).toEqual(Buffer.from(raw));
  }
});
