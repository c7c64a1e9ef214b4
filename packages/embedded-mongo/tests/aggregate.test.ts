import type { Document as AnyDocument } from 'mongodb';
import { useEngine } from './support/engine.ts';

const mongo = useEngine();

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

/** The order in which work and a `ping` that is sent after it are answered. Rejects as the work does. */
async function orderBesidePing(work: () => Promise<unknown>): Promise<('work' | 'ping')[]> {
  const ping = () => mongo.client.db('test').command({ ping: 1 });
  // Two connections are open then, and both commands are sent at once.
  await Promise.all([ping(), ping()]);
  const answered: ('work' | 'ping')[] = [];
  const working = work().finally(() => answered.push('work'));
  await ping();
  answered.push('ping');
  await working;
  return answered;
}

/** The stages, accumulators and expressions are in the table of truth. */
describe('aggregation', () => {
  beforeAll(() => mongo.collection('one').insertOne({ _id: 1 }));

  test.each(UNBOUNDED)('%s cannot grow without end', async (_, x, code) => {
    const pipeline = [{ $project: { n: { $size: [[x]] } } }];
    await expect(mongo.collection('one').aggregate(pipeline).toArray()).rejects.toMatchObject({ code });
  });

  test('aggregate gives its result in batches', async () => {
    const collection = mongo.collection('many');
    await collection.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id })));
    expect(await collection.aggregate([{ $sort: { _id: -1 } }], { batchSize: 50 }).toArray()).toHaveLength(
      300,
    );
  });

  test('other commands go first during a large $lookup', async () => {
    const ids = Array.from({ length: 250 }, (_, _id) => ({ _id }));
    await mongo.collection('joined').insertMany(ids);
    const $lookup = { from: 'joined', pipeline: [{ $match: { $expr: { $gt: ['$_id', -1] } } }], as: 'all' };
    let counted: unknown;
    const count = async () => {
      counted = await mongo
        .collection('joined')
        .aggregate([{ $lookup }, { $count: 'n' }])
        .toArray();
    };
    expect(await orderBesidePing(count)).toEqual(['ping', 'work']);
    expect(counted).toEqual([{ n: 250 }]);
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
    const doubled = mongo
      .collection('one')
      .aggregate([{ $set: { text: LONG_TEXT } }, ...doubling])
      .toArray();
    await expect(doubled).rejects.toMatchObject({ code: 238 });
  });
});
