// Longer than most files: its tables have one entry for each update.
import type { Document as AnyDocument } from 'mongodb';
import { type Document, useEngine } from './support/engine.ts';

/** [name of the test, the document before, the update, the document after, options] */
const UPDATES: [string, AnyDocument, unknown, AnyDocument, AnyDocument?][] = [
  ['$set creates documents on the way', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set pads an array with null', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
  [
    'new fields are added in the order of their names',
    {},
    { $set: { b: 1, a: 2 }, $inc: { aa: 3 } },
    { a: 2, aa: 3, b: 1 },
  ],
  [
    '$unset removes a field and empties an element',
    { a: 1, b: [1, 2] },
    { $unset: { a: '', 'b.0': '', c: '' } },
    { b: [null, 2] },
  ],
  ['$inc and $mul start from zero', { a: 2 }, { $inc: { a: 3, b: 4 }, $mul: { c: 5 } }, { a: 5, b: 4, c: 0 }],
  [
    '$min and $max compare across types',
    { a: 5, b: 5 },
    { $min: { a: 'x', c: 1 }, $max: { b: 'x' } },
    { a: 5, b: 'x', c: 1 },
  ],
  ['$rename moves a value', { a: { b: 1 } }, { $rename: { 'a.b': 'c.d' } }, { a: {}, c: { d: 1 } }],
  ['$push creates an array', {}, { $push: { a: 1 } }, { a: [1] }],
  [
    '$push with its modifiers',
    { a: [5, 1] },
    { $push: { a: { $each: [3, 4], $sort: 1, $slice: -3 } } },
    { a: [3, 4, 5] },
  ],
  ['$push at a position', { a: [1, 2] }, { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 9, 2] }],
  [
    '$push sorts by a field',
    { a: [{ n: 2 }] },
    { $push: { a: { $each: [{ n: 1 }], $sort: { n: 1 } } } },
    { a: [{ n: 1 }, { n: 2 }] },
  ],
  [
    '$addToSet adds values that are not in the array',
    { a: [1] },
    { $addToSet: { a: { $each: [1, 2, 2] } } },
    { a: [1, 2] },
  ],
  [
    '$pop removes from either end',
    { a: [1, 2, 3], b: [1, 2] },
    { $pop: { a: 1, b: -1 } },
    { a: [1, 2], b: [2] },
  ],
  [
    '$pull accepts values and conditions',
    { a: [1, 2, 3], b: [{ x: 1 }, { x: 2, y: 1 }] },
    { $pull: { a: { $gte: 2 }, b: { x: 2 } } },
    { a: [1], b: [{ x: 1 }] },
  ],
  ['$pullAll accepts a list', { a: [1, 2, 1, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
  ['$bit', { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
  [
    '$ is the element that the filter found',
    { a: [1, 2, 3] },
    { $set: { 'a.$': 9 } },
    { a: [1, 9, 3] },
    { filter: { a: 2 } },
  ],
  [
    '$ in an array of documents',
    {
      a: [
        { k: 1, v: 0 },
        { k: 2, v: 0 },
      ],
    },
    { $set: { 'a.$.v': 7 } },
    {
      a: [
        { k: 1, v: 0 },
        { k: 2, v: 7 },
      ],
    },
    { filter: { 'a.k': 2 } },
  ],
  [
    '$ with $elemMatch',
    {
      a: [
        { k: 1, v: 1 },
        { k: 1, v: 2 },
      ],
    },
    { $inc: { 'a.$.v': 5 } },
    {
      a: [
        { k: 1, v: 1 },
        { k: 1, v: 7 },
      ],
    },
    { filter: { a: { $elemMatch: { k: 1, v: 2 } } } },
  ],
  ['$[] is every element', { a: [1, 2] }, { $mul: { 'a.$[]': 10 } }, { a: [10, 20] }],
  [
    '$[name] is every element that the array filter matches',
    { a: [{ n: 1 }, { n: 5 }] },
    { $set: { 'a.$[big].hit': true } },
    { a: [{ n: 1 }, { n: 5, hit: true }] },
    { arrayFilters: [{ 'big.n': { $gt: 2 } }] },
  ],
  [
    'a pipeline reads the fields of the document',
    { a: 1, b: 2 },
    [{ $set: { c: { $add: ['$a', '$b'] } } }, { $unset: 'a' }],
    { b: 2, c: 3 },
  ],
  ['a pipeline can replace the document', { a: { x: 1 } }, [{ $replaceWith: '$a' }], { x: 1 }],
  [
    '$set of a field named __proto__ adds the field',
    {},
    { $set: { ['__proto__']: 1, a: 1 } },
    JSON.parse('{"__proto__":1,"a":1}'),
  ],
];

/** [what is refused, the document before, the update, MongoDB's code, options] */
const REFUSED: [string, AnyDocument, unknown, number, AnyDocument?][] = [
  ['an unknown operator', {}, { $foo: { a: 1 } }, 9],
  ['two updates of one path', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ['an update of a path and its part', {}, { $set: { a: {}, 'a.b': 1 } }, 40],
  ['a path through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
  ['a path through null', { a: null }, { $set: { 'a.b': 1 } }, 28],
  ['$inc of a string', { a: 'x' }, { $inc: { a: 1 } }, 14],
  ['$inc by a string', { a: 1 }, { $inc: { a: 'x' } }, 14],
  ['$push to a number', { a: 1 }, { $push: { a: 1 } }, 2],
  ['$pop of a number', { a: 1 }, { $pop: { a: 1 } }, 14],
  ['another _id', {}, { $set: { _id: 'other' } }, 66],
  ['an empty field name', {}, { $set: { 'a..b': 1 } }, 56],
  ['$ without a match', { a: [1] }, { $set: { 'a.$': 1 } }, 2],
  ['$[name] without its filter', { a: [1] }, { $set: { 'a.$[x]': 1 } }, 2],
  ['$[] of a number', { a: 1 }, { $set: { 'a.$[]': 1 } }, 2],
  ['$rename with a number', {}, { $rename: 1 }, 9],
  ['the operator "constructor"', {}, { $set: { a: 1 }, constructor: { b: 1 } }, 9],
  ['an unused array filter', { a: [1] }, { $set: { b: 1 } }, 9, { arrayFilters: [{ x: 1 }] }],
  ['a $group in an update', {}, [{ $group: { _id: 1 } }], 72],
];

describe('updates', () => {
  const mongo = useEngine();

  async function run(before: AnyDocument, update: unknown, { filter = {}, ...options }: AnyDocument = {}) {
    const collection = mongo.collection('updates');
    await collection.deleteMany({});
    await collection.insertOne({ _id: 1, ...before } as Document);
    await collection.updateOne({ _id: 1, ...filter }, update as never, options);
    const after = await collection.findOne({}, { projection: { _id: 0 } });
    return after;
  }

  for (const [name, before, update, after, options] of UPDATES) {
    test(name, async () => {
      expect(JSON.stringify(await run(before, update, options))).toBe(JSON.stringify(after));
    });
  }

  for (const [name, before, update, code, options] of REFUSED) {
    test(`${name} is refused, and the document stays as it was`, async () => {
      await expect(run(before, update, options)).rejects.toMatchObject({ code });
      expect(await mongo.collection('updates').findOne({})).toEqual({ _id: 1, ...before });
    });
  }

  test('an update reports how many documents it matched and changed', async () => {
    const collection = mongo.collection('counts');
    await collection.insertMany([{ n: 1 }, { n: 2 }, { n: 2 }]);
    expect(await collection.updateMany({}, { $set: { n: 2 } })).toMatchObject({
      matchedCount: 3,
      modifiedCount: 1,
    });
    expect(await collection.updateMany({ n: 9 }, { $set: { n: 2 } })).toMatchObject({
      matchedCount: 0,
      modifiedCount: 0,
    });
    expect(await collection.replaceOne({ n: 2 }, { n: 3 })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 1,
    });
  });

  test('an upsert starts from the equalities of the filter', async () => {
    const collection = mongo.collection('upserts');
    const filter = { a: 1, 'b.c': { $eq: 2 }, d: { $gt: 5 }, $and: [{ e: { $in: [3] } }] };
    const result = await collection.updateOne(
      filter,
      { $set: { f: 4 }, $setOnInsert: { g: 5 } },
      { upsert: true },
    );
    expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1 });
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual({
      a: 1,
      b: { c: 2 },
      e: 3,
      f: 4,
      g: 5,
    });
    await collection.replaceOne({ _id: 7 }, { x: 1 }, { upsert: true });
    expect(await collection.findOne({ _id: 7 })).toEqual({ _id: 7, x: 1 });
    await expect(
      collection.updateOne({ a: 1, $and: [{ a: 2 }] }, { $set: { z: 1 } }, { upsert: true }),
    ).rejects.toMatchObject({ code: 54 });
  });

  test('findOneAndUpdate, -Replace and -Delete give the document before or after', async () => {
    const collection = mongo.collection('find and modify');
    await collection.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    expect(await collection.findOneAndUpdate({}, { $set: { n: 9 } }, { sort: { n: -1 } })).toEqual({
      _id: 2,
      n: 2,
    });
    expect(
      await collection.findOneAndUpdate(
        { _id: 2 },
        { $set: { n: 8 } },
        { returnDocument: 'after', projection: { n: 1, _id: 0 } },
      ),
    ).toEqual({ n: 8 });
    expect(await collection.findOneAndDelete({ n: 8 })).toEqual({ _id: 2, n: 8 });
    expect(
      await collection.findOneAndReplace({ _id: 5 }, { x: 1 }, { upsert: true, returnDocument: 'after' }),
    ).toEqual({ _id: 5, x: 1 });
    expect(await collection.findOneAndDelete({ n: 8 })).toBeNull();
  });

  test('an update never meets a document again that it moves in its index', async () => {
    const collection = mongo.collection('halloween');
    await collection.createIndex({ n: 1 });
    await collection.insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    expect(await collection.updateMany({ n: { $gte: 0 } }, { $inc: { n: 100 } } as never)).toMatchObject({
      modifiedCount: 50,
    });
    expect(await collection.countDocuments({ n: { $gte: 100, $lt: 150 } })).toBe(50);
  });

  test('ordered and unordered batches of updates report the same errors', async () => {
    const collection = mongo.client.db('test').collection<{ _id: number; n: number }>('batches');
    await collection.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id, n: 0 })));
    const operations = Array.from({ length: 250 }, (_, n) => ({
      // Every tenth fails, because an _id cannot change.
      updateOne: { filter: { _id: n }, update: n % 10 === 9 ? { $set: { _id: -n } } : { $inc: { n: 1 } } },
    }));
    const wrong = Array.from({ length: 25 }, (_, n) => expect.objectContaining({ index: n * 10 + 9 }));
    await expect(collection.bulkWrite(operations, { ordered: false })).rejects.toMatchObject({
      modifiedCount: 225,
      writeErrors: wrong,
    });
    await expect(collection.bulkWrite(operations, { ordered: true })).rejects.toMatchObject({
      modifiedCount: 9,
      writeErrors: wrong.slice(0, 1),
    });
    expect(await collection.countDocuments({ n: 2 })).toBe(9);
    const same = Array.from({ length: 250 }, () => ({
      updateOne: { filter: { _id: 0 }, update: { $inc: { n: 1 } } },
    }));
    expect(await collection.bulkWrite(same, { ordered: false })).toMatchObject({ modifiedCount: 250 });
    expect(await collection.findOne({ _id: 0 })).toMatchObject({ n: 252 });
  });
});
