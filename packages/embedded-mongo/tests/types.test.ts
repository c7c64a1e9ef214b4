import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { useEngine } from './support/engine.ts';
import { randomFrom } from './support/random.ts';

/** Values in MongoDB's comparison order. Equal values share a list. */
const ORDERED: unknown[][] = [
  [new MinKey()],
  [null],
  [Number.NaN, Decimal128.fromString('NaN')],
  [Number.NEGATIVE_INFINITY, Decimal128.fromString('-Infinity')],
  [Decimal128.fromString('-1E6000')],
  [-Number.MAX_VALUE],
  [Long.MIN_VALUE, -(2 ** 63)],
  [Long.MIN_VALUE.add(1)],
  [-1.5],
  [new Int32(-1), new Double(-1), Long.fromNumber(-1), Decimal128.fromString('-1.0')],
  [-Number.MIN_VALUE],
  [Decimal128.fromString('-1E-6000')],
  [0, new Double(-0), Long.ZERO, Decimal128.fromString('0E+3')],
  [Decimal128.fromString('1E-6000')],
  [Number.MIN_VALUE],
  [Decimal128.fromString('0.1')],
  // The double nearest to 0.1 is above it.
  [0.1],
  [new Int32(1), new Double(1), Long.ONE, Decimal128.fromString('1.000')],
  [2 ** 53, Long.fromString('9007199254740992')],
  [Long.fromString('9007199254740993'), Decimal128.fromString('9007199254740993')],
  [2 ** 53 + 2],
  [Long.MAX_VALUE],
  [2 ** 63],
  [Number.MAX_VALUE],
  [Decimal128.fromString('1E6000')],
  [Decimal128.fromString('2E6000')],
  [Number.POSITIVE_INFINITY],
  [''],
  ['\0'],
  ['A'],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['a!'],
  ['aa'],
  ['\uffff'],
  // Above U+FFFF by code point, though its UTF-16 units are below.
  ['\u{10000}'],
  [{}],
  [{ a: 1 }, { a: new Double(1) }],
  [{ a: 1, b: 0 }],
  [{ b: 0 }],
  [{ a: 'x' }],
  [Binary.createFromBase64('')],
  [Binary.createFromBase64('/w==')],
  [new Binary(new Uint8Array([0]), 5)],
  [Binary.createFromBase64('AAA=')],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('ff0000000000000000000000')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Date(8.64e15)],
  [new Timestamp({ t: 1, i: 2 })],
  [new Timestamp({ t: 2, i: 1 })],
  [new BSONRegExp('a', '')],
  [new BSONRegExp('a', 'i')],
  [new BSONRegExp('b', '')],
  [new MaxKey()],
];

const random = randomFrom(1);

function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

describe('values of all BSON types', () => {
  const mongo = useEngine();

  const all = () => mongo.collection('all');
  beforeAll(async () => {
    const documents = ORDERED.flatMap((values, rank) => values.map((value) => ({ rank, value })));
    await all().insertMany(shuffled(documents));
    await all().createIndexes([{ key: { value: 1 } }, { key: { value: -1 } }]);
  });

  const ranks = (documents: readonly object[]) => documents.map((each) => (each as { rank?: unknown }).rank);
  const sortedRanks = ORDERED.flatMap((values, rank) => values.map(() => rank));

  describe.each<{ hint: Record<string, 1 | -1> }>([
    { hint: { $natural: 1 } },
    { hint: { value: 1 } },
    { hint: { value: -1 } },
  ])('with the hint $hint', (options) => {
    test('values of all types sort in MongoDB’s order', async () => {
      const sorted = async (value: 1 | -1) => ranks(await all().find({}, options).sort({ value }).toArray());
      expect(await sorted(1)).toEqual(sortedRanks);
      expect(await sorted(-1)).toEqual([...sortedRanks].reverse());
    });

    test('$eq finds equal values of other types', async () => {
      for (const [rank, values] of ORDERED.entries()) {
        for (const value of values.filter((each) => !(each instanceof BSONRegExp))) {
          const found = await all()
            .find({ value: { $eq: value } }, options)
            .toArray();
          expect(ranks(found)).toEqual(values.map(() => rank));
        }
      }
    });
  });

  test('a unique index refuses equal values of other types, and no others', async () => {
    const collection = mongo.collection('unique');
    await collection.createIndex({ value: 1 }, { unique: true });
    for (const [rank, values] of ORDERED.entries()) {
      const results = await Promise.allSettled(values.map((value) => collection.insertOne({ rank, value })));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    await expect(collection.insertOne({ rank: 'missing is null' })).rejects.toMatchObject({ code: 11000 });
  });

  test('strings longer than an index key are distinct, found and ordered', async () => {
    const collection = mongo.collection('long');
    await collection.createIndex({ text: 1 }, { unique: true });
    const texts = ['a', 'b', 'c'].map((end) => `${'x'.repeat(5000)}${end}`);
    await collection.insertMany([...texts].reverse().map((text) => ({ text })));
    await expect(collection.insertOne({ text: texts[1] })).rejects.toMatchObject({ code: 11000 });
    expect(await collection.countDocuments({ text: texts[1] })).toBe(1);
    expect(await collection.countDocuments({ text: { $gt: texts[0], $lte: texts[2] } })).toBe(2);
    const sorted = await collection.find().sort({ text: 1 }).toArray();
    expect(sorted.map(({ text }) => text)).toEqual(texts);
  });
});
