import { Double, Long } from 'bson';
import type { Document as AnyDocument } from 'mongodb';
import { orderBesidePing } from './support/beside-ping.ts';
import { useEngine } from './support/engine.ts';

const ORDERS = [
  { _id: 1, customer: 'a', total: 10, items: ['x', 'y'] },
  { _id: 2, customer: 'b', total: 5, items: [] },
  { _id: 3, customer: 'a', total: Long.fromNumber(7) },
  { _id: 4, customer: 'c', total: null, items: ['x'] },
];

/** [name of the test, the pipeline, its result] */
const PIPELINES: [string, AnyDocument[], AnyDocument[]][] = [
  [
    '$match, $sort, $skip and $limit',
    [
      { $match: { total: { $gt: 1 } } },
      { $sort: { total: -1 } },
      { $skip: 1 },
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
    [{ _id: 3 }],
  ],
  [
    '$limit before $sort',
    [{ $limit: 2 }, { $sort: { total: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 2 }, { _id: 1 }],
  ],
  [
    '$group with its accumulators',
    [
      {
        $group: {
          _id: '$customer',
          n: { $sum: 1 },
          sum: { $sum: '$total' },
          max: { $max: '$total' },
          first: { $first: '$_id' },
          ids: { $push: '$_id' },
        },
      },
      { $sort: { _id: 1 } },
      { $limit: 2 },
    ],
    [
      { _id: 'a', n: 2, sum: 17, max: 10, first: 1, ids: [1, 3] },
      { _id: 'b', n: 1, sum: 5, max: 5, first: 2, ids: [2] },
    ],
  ],
  [
    '$avg is a double and ignores null',
    [
      {
        $group: {
          _id: null,
          avg: { $avg: '$total' },
          min: { $min: '$total' },
          set: { $addToSet: '$customer' },
        },
      },
    ],
    [{ _id: null, avg: 22 / 3, min: 5, set: ['a', 'b', 'c'] }],
  ],
  [
    '$group by a document',
    [{ $group: { _id: { c: '$customer' }, n: { $sum: 1 } } }, { $sort: { '_id.c': -1 } }, { $limit: 1 }],
    [{ _id: { c: 'c' }, n: 1 }],
  ],
  ['$count', [{ $match: { customer: 'a' } }, { $count: 'orders' }], [{ orders: 2 }]],
  ['$count of no documents gives no document', [{ $match: { customer: 'z' } }, { $count: 'orders' }], []],
  [
    '$unwind',
    [{ $unwind: '$items' }, { $project: { items: 1 } }],
    [
      { _id: 1, items: 'x' },
      { _id: 1, items: 'y' },
      { _id: 4, items: 'x' },
    ],
  ],
  [
    '$unwind with preserveNullAndEmptyArrays and includeArrayIndex',
    [
      { $match: { _id: { $lt: 4 } } },
      { $unwind: { path: '$items', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
      { $project: { items: 1, i: 1 } },
    ],
    [
      { _id: 1, items: 'x', i: 0 },
      { _id: 1, items: 'y', i: 1 },
      { _id: 2, i: null },
      { _id: 3, i: null },
    ],
  ],
  [
    '$project computes fields and nests them',
    [
      { $match: { _id: 1 } },
      { $project: { _id: 0, name: { $concat: ['customer ', '$customer'] }, deep: { total: '$total' } } },
    ],
    [{ name: 'customer a', deep: { total: 10 } }],
  ],
  [
    '$project accepts arrays, and $slice as an expression',
    [
      { $match: { _id: 1 } },
      { $project: { _id: 0, pair: ['$customer', 1], none: [], part: { $slice: ['$items', 1] } } },
    ],
    [{ pair: ['a', 1], none: [], part: ['x'] }],
  ],
  [
    '$set and $unset',
    [
      { $match: { _id: 2 } },
      { $set: { half: { $divide: ['$total', 2] }, 'a.b': 1 } },
      { $unset: ['items', 'customer'] },
    ],
    [{ _id: 2, total: 5, half: 2.5, a: { b: 1 } }],
  ],
  ['$replaceRoot', [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: { id: '$_id' } } }], [{ id: 1 }]],
  [
    '$lookup by equal fields',
    [
      { $match: { _id: { $lte: 2 } } },
      { $lookup: { from: 'customers', localField: 'customer', foreignField: '_id', as: 'who' } },
      { $project: { who: 1 } },
    ],
    [
      { _id: 1, who: [{ _id: 'a', name: 'Alice' }] },
      { _id: 2, who: [] },
    ],
  ],
  [
    '$lookup by a pipeline',
    [
      { $match: { _id: 1 } },
      {
        $lookup: {
          from: 'customers',
          let: { c: '$customer' },
          pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$c'] } } }, { $project: { _id: 0 } }],
          as: 'who',
        },
      },
      { $project: { _id: 0, who: 1 } },
    ],
    [{ who: [{ name: 'Alice' }] }],
  ],
  [
    '$cond, $ifNull and comparisons across types',
    [
      {
        $project: {
          big: { $cond: [{ $gte: ['$total', 7] }, 'yes', 'no'] },
          items: { $ifNull: ['$items', 'none'] },
        },
      },
      { $match: { _id: { $in: [3, 4] } } },
    ],
    [
      { _id: 3, big: 'yes', items: 'none' },
      { _id: 4, big: 'no', items: ['x'] },
    ],
  ],
];

/** An expression that calls another one 60 times with its own result as `$$value`. */
function repeated(initialValue: unknown, body: unknown): AnyDocument {
  return { $reduce: { input: { $range: [0, 60] }, initialValue, in: body } };
}

const LONG_TEXT = 'x'.repeat(100_000);

/** [name of the test, an expression that would grow beyond all bounds, the error] */
const UNBOUNDED: [string, AnyDocument, number][] = [
  ['a string', repeated('a', { $concat: ['$$value', '$$value'] }), 238],
  ['an array', repeated([LONG_TEXT], { $concatArrays: ['$$value', '$$value'] }), 238],
  ['lists', repeated([1], ['$$value', '$$value']), 238],
  ['documents', repeated({ a: 1 }, { a: '$$value', b: '$$value' }), 238],
  ['a result of $map', { $map: { input: { $range: [0, 2000] }, in: LONG_TEXT } }, 238],
  ['levels', { $reduce: { input: { $range: [0, 1000] }, initialValue: 1, in: ['$$value'] } }, 15],
];

describe('aggregation', () => {
  const mongo = useEngine();
  beforeAll(async () => {
    await mongo.collection('orders').insertMany(ORDERS);
    await mongo.collection('customers').insertMany([
      { _id: 'a', name: 'Alice' },
      { _id: 'c', name: 'Carol' },
    ]);
  });

  for (const [name, pipeline, expected] of PIPELINES) {
    test(name, async () => {
      expect(await mongo.collection('orders').aggregate(pipeline).toArray()).toEqual(expected);
    });
  }

  test('$sum and $divide keep the types of numbers', async () => {
    const pipeline = [{ $group: { _id: '$customer', sum: { $sum: '$total' } } }, { $sort: { _id: 1 } }];
    const sums = await mongo.collection('orders').aggregate(pipeline, { promoteValues: false }).toArray();
    expect(sums[0]?.sum).toEqual(Long.fromNumber(17));
    const divided = await mongo
      .collection('orders')
      .aggregate([{ $match: { _id: 1 } }, { $project: { half: { $divide: ['$total', 2] } } }], {
        promoteValues: false,
      })
      .toArray();
    expect(divided[0]?.half).toEqual(new Double(5));
  });

  test.each(UNBOUNDED)('%s cannot grow without end', async (_, x, code) => {
    const pipeline = [{ $match: { _id: 1 } }, { $project: { n: { $size: [[x]] } } }];
    await expect(mongo.collection('orders').aggregate(pipeline).toArray()).rejects.toMatchObject({ code });
  });

  test('aggregate gives its result in batches', async () => {
    const collection = mongo.collection('many');
    await collection.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id })));
    expect(await collection.aggregate([{ $sort: { _id: -1 } }], { batchSize: 50 }).toArray()).toHaveLength(
      300,
    );
  });

  test('other commands go first during a large $lookup', async () => {
    const ids = Array.from({ length: 400 }, (_, _id) => ({ _id }));
    await mongo.collection('joined').insertMany(ids);
    const $lookup = { from: 'joined', pipeline: [{ $match: { $expr: { $gt: ['$_id', -1] } } }], as: 'all' };
    let counted: unknown;
    const count = async () => {
      counted = await mongo
        .collection('joined')
        .aggregate([{ $lookup }, { $count: 'n' }])
        .toArray();
    };
    expect(await orderBesidePing(mongo.client, count)).toEqual(['ping', 'work']);
    expect(counted).toEqual([{ n: 400 }]);
  });

  test('a $group ends above 100 MiB', async () => {
    const positions = Array.from({ length: 101 }, (_, i) => i);
    await mongo.collection('large').insertOne({ _id: 1, text: 'x'.repeat(2 ** 20), positions });
    const grouped = mongo
      .collection('large')
      .aggregate([{ $unwind: '$positions' }, { $group: { _id: null, texts: { $push: '$text' } } }])
      .toArray();
    await expect(grouped).rejects.toMatchObject({ code: 292 });
  });

  test('a result above 16 MiB is an error', async () => {
    const texts = mongo
      .collection('large')
      .aggregate([
        { $unwind: '$positions' },
        { $limit: 20 },
        { $group: { _id: null, texts: { $push: '$text' } } },
      ])
      .toArray();
    await expect(texts).rejects.toMatchObject({ code: 10334 });
  });

  test('stages that double a document end with an error', async () => {
    const doubling = Array.from({ length: 60 }, () => ({ $set: { a: '$$ROOT', b: '$$ROOT' } }));
    const doubled = mongo.collection('orders').aggregate(doubling).toArray();
    await expect(doubled).rejects.toMatchObject({ code: 238 });
  });
});
