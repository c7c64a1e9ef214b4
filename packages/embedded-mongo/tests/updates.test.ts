import { useEngine } from './support/engine.ts';

/** The operators are in the table of truth: semantics/updates.json, updates-arrays.json and upserts.json. */
describe('updates', () => {
  const mongo = useEngine();

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

  test('an update of many documents sees those before it in an unordered batch', async () => {
    const collection = mongo.client.db('test').collection<{ _id: number; a: number }>('chain');
    await collection.insertMany([
      { _id: 1, a: 0 },
      { _id: 2, a: 0 },
    ]);
    const steps = [0, 1, 2].map((a) => ({ updateMany: { filter: { a }, update: { $inc: { a: 1 } } } }));
    expect(await collection.bulkWrite(steps, { ordered: false })).toMatchObject({ modifiedCount: 6 });
  });
});
