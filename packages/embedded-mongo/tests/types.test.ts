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

  async function stored(name: string) {
    const collection = mongo.collection(name);
    const documents = ORDERED.flatMap((values, rank) => values.map((value) => ({ rank, value })));
    await collection.insertMany(shuffled(documents));
    return collection;
  }

  const ranks = (documents: readonly object[]) => documents.map((each) => (each as { rank?: unknown }).rank);
  const sortedRanks = ORDERED.flatMap((values, rank) => values.map(() => rank));

  test('values of all types sort in MongoDB’s order without an index', async () => {
    const collection = await stored('sort');
    expect(ranks(await collection.find().sort({ value: 1 }).toArray())).toEqual(sortedRanks);
    expect(ranks(await collection.find().sort({ value: -1 }).toArray())).toEqual([...sortedRanks].reverse());
  });

  test('values of all types sort in MongoDB’s order with an ascending and with a descending index', async () => {
    for (const direction of [1, -1] as const) {
      const collection = await stored(`index${direction}`);
      await collection.createIndex({ value: direction });
      expect(ranks(await collection.find().sort({ value: 1 }).toArray())).toEqual(sortedRanks);
      expect(ranks(await collection.find().sort({ value: -1 }).toArray())).toEqual(
        [...sortedRanks].reverse(),
      );
    }
  });

  test('$eq finds equal values of other types, with an index and without', async () => {
    const collection = await stored('equal');
    for (const hint of [{ $natural: 1 } as const, undefined]) {
      if (!hint) {
        await collection.createIndex({ value: 1 });
      }
      for (const [rank, values] of ORDERED.entries()) {
        for (const value of values) {
          if (value instanceof BSONRegExp) {
            continue;
          }
          const found = await collection.find({ value: { $eq: value } }, hint ? { hint } : {}).toArray();
          expect(ranks(found)).toEqual(values.map(() => rank));
        }
      }
    }
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

  test('values keep their types, also after an update of another field', async () => {
    const collection = mongo.collection('types');
    const values = [
      new Int32(1),
      new Double(1),
      new Double(1.5),
      Long.ONE,
      Decimal128.fromString('1'),
      [new Double(2), { a: Long.ONE }],
    ];
    await collection.insertOne({ _id: 1, values });
    await collection.updateOne({ _id: 1 }, { $set: { other: 1 } });
    const raw = await collection.findOne({ _id: 1 }, { promoteValues: false });
    expect(raw?.values).toEqual(values);
  });

  test('$inc keeps the wider type, and an int that overflows becomes a long', async () => {
    const collection = mongo.collection('arithmetic');
    const document = {
      _id: 1,
      int: 2147483647,
      long: Long.fromNumber(5),
      double: 0.5,
      decimal: Decimal128.fromString('0.1'),
    };
    await collection.insertOne(document);
    const increment = { int: 1, long: 1, double: 0.5, decimal: Decimal128.fromString('0.2') };
    await collection.updateOne({ _id: 1 }, { $inc: increment as never });
    const after = await collection.findOne({ _id: 1 }, { promoteValues: false });
    expect(after).toMatchObject({
      int: Long.fromString('2147483648'),
      long: Long.fromNumber(6),
      double: new Double(1),
      decimal: Decimal128.fromString('0.3'),
    });
  });

  test('comparisons match only values of the type of the operand', async () => {
    const collection = mongo.collection('bracketing');
    await collection.insertMany([
      { v: 5 },
      { v: '5' },
      { v: null },
      { v: new Date(5) },
      { v: [7] },
      {},
      { v: Number.NaN },
    ]);
    for (const hint of [{ $natural: 1 } as const, { v: 1 } as const]) {
      if ('v' in hint) {
        await collection.createIndex({ v: 1 });
      }
      expect(await collection.countDocuments({ v: { $gt: 4 } }, { hint })).toBe(2);
      expect(await collection.countDocuments({ v: { $lt: 6 } }, { hint })).toBe(1);
      expect(await collection.countDocuments({ v: { $gte: '' } }, { hint })).toBe(1);
      expect(await collection.countDocuments({ v: null }, { hint })).toBe(2);
      expect(await collection.countDocuments({ v: { $gte: null } }, { hint })).toBe(2);
    }
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
