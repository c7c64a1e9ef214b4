import { useEngine } from './support/engine.ts';

describe('indexes', () => {
  const mongo = useEngine();

  test('one of fifty simultaneous inserts of a unique key succeeds', async () => {
    const collection = mongo.collection('race');
    await collection.createIndex({ email: 1 }, { unique: true });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => collection.insertOne({ email: 'a@b.c', n })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@b.c' },
      message: 'E11000 duplicate key error collection: test.race index: email_1 dup key: { email: "a@b.c" }',
    });
  });

  test('one of fifty simultaneous upserts of a unique key inserts, and the others update', async () => {
    const collection = mongo.collection('upsert race');
    await collection.createIndex({ key: 1 }, { unique: true });
    const upsert = () =>
      collection.findOneAndUpdate({ key: 'k' }, { $inc: { n: 1 } } as never, { upsert: true });
    await Promise.allSettled(Array.from({ length: 50 }, upsert));
    expect(await collection.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ key: 'k', n: 50 }]);
  });

  test('a unique index is right after a refused update, and after updates that exchange keys', async () => {
    const collection = mongo.collection('moves');
    await collection.createIndex({ key: 1 }, { unique: true });
    await collection.insertMany([
      { _id: 1, key: 'a' },
      { _id: 2, key: 'b' },
    ]);
    await expect(collection.updateOne({ _id: 2 }, { $set: { key: 'a', other: 1 } })).rejects.toMatchObject({
      code: 11000,
    });
    expect(await collection.findOne({ key: 'b' })).toEqual({ _id: 2, key: 'b' });
    await collection.updateOne({ _id: 1 }, { $set: { key: 'c' } });
    await collection.updateOne({ _id: 2 }, { $set: { key: 'a' } });
    expect(await collection.countDocuments({ key: { $in: ['a', 'b', 'c'] } })).toBe(2);
  });

  test('an update that brings a document into a partial index is held to its uniqueness', async () => {
    const collection = mongo.collection('partial');
    await collection.createIndex({ state: 1 }, { unique: true, partialFilterExpression: { active: true } });
    await collection.insertMany([{ state: 's', active: true }, { state: 's', active: false }, {}]);
    await expect(collection.updateOne({ active: false }, { $set: { active: true } })).rejects.toMatchObject({
      code: 11000,
    });
    expect(await collection.countDocuments({ active: false })).toBe(1);
  });

  test('an index has an entry for each element of an array, until the element is pulled', async () => {
    const collection = mongo.collection('multikey');
    await collection.createIndex({ tags: 1 }, { unique: true });
    await collection.insertOne({ _id: 1, tags: ['x', 'y', 'x'] });
    await expect(collection.insertOne({ tags: ['z', 'y'] })).rejects.toMatchObject({
      code: 11000,
      keyValue: { tags: 'y' },
    });
    await collection.updateOne({ _id: 1 }, { $pull: { tags: 'y' } } as never);
    await collection.insertOne({ _id: 2, tags: 'y' });
    expect(await collection.distinct('tags')).toEqual(['x', 'y']);
  });

  test('createIndexes over existing documents creates all of its indexes or none', async () => {
    const collection = mongo.collection('built');
    await collection.insertMany([{ n: 1 }, { n: 2 }, { n: 1 }]);
    await expect(
      collection.createIndexes([{ key: { m: 1 } }, { key: { n: 1 }, unique: true }]),
    ).rejects.toMatchObject({ code: 11000 });
    expect(await collection.indexes()).toHaveLength(1);
    await collection.createIndex({ n: -1 });
    expect(
      await collection
        .find({ n: { $gte: 1 } }, { hint: 'n_-1' })
        .sort({ n: -1 })
        .map(({ n }) => n)
        .toArray(),
    ).toEqual([2, 1, 1]);
  });

  test('indexes are listed as they were created, created once, and dropped by name, by key or all', async () => {
    const collection = mongo.collection('listed');
    const options = { unique: true, partialFilterExpression: { a: { $gt: 1 } }, expireAfterSeconds: 60 };
    await collection.createIndex({ a: 1 }, options);
    await collection.createIndex({ a: 1 }, options);
    await collection.createIndex({ 'b.c': -1, d: 1 }, { name: 'compound', sparse: true });
    expect(await collection.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1 }, name: 'a_1', ...options },
      { v: 2, key: { 'b.c': -1, d: 1 }, name: 'compound', sparse: true },
    ]);
    await expect(collection.createIndex({ a: 1 }, { unique: false })).rejects.toMatchObject({ code: 86 });
    await expect(collection.createIndex({ d: 1 }, { name: 'compound' })).rejects.toMatchObject({ code: 86 });
    await expect(collection.createIndex({ a: 1 }, { ...options, name: 'other' })).rejects.toMatchObject({
      code: 85,
    });
    const partly = (name: string, a: number) =>
      collection.createIndex({ n: 1 }, { name, partialFilterExpression: { a } });
    expect([await partly('a', 1), await partly('b', 2)]).toEqual(['a', 'b']);
    const drop = () => mongo.client.db('test').command({ dropIndexes: 'listed', index: { n: 1 } });
    await expect(drop()).rejects.toMatchObject({ code: 181 });
    await collection.dropIndex('b');
    await drop();
    const twice = (name: string) => collection.createIndexes([{ key: { e: 1 } }, { key: { e: 1 }, name }]);
    await expect(twice('e_1')).rejects.toMatchObject({ code: 68 });
    await expect(twice('other')).rejects.toMatchObject({ code: 85 });
    await expect(collection.createIndex({ e: 1 }, { name: '*' })).rejects.toMatchObject({ code: 2 });
    await expect(collection.dropIndex('nothing')).rejects.toMatchObject({ code: 27 });
    await expect(collection.dropIndex('_id_')).rejects.toMatchObject({ code: 72 });
    await collection.dropIndex('compound');
    await mongo.client.db('test').command({ dropIndexes: 'listed', index: { a: 1 } });
    expect(await collection.indexes()).toHaveLength(1);
  });

  test('kinds of indexes that the engine does not have are refused', async () => {
    const collection = mongo.collection('refused');
    for (const key of [{ a: 'text' }, { a: 'hashed' }, { a: '2dsphere' }, { '$**': 1 }]) {
      await expect(collection.createIndex(key as never)).rejects.toMatchObject({
        codeName: 'CannotCreateIndex',
      });
    }
    await expect(collection.createIndex({ a: 1 }, { collation: { locale: 'de' } })).rejects.toMatchObject({
      codeName: 'NotImplemented',
    });
    await expect(collection.createIndex({ a: 1, b: 1 }, { expireAfterSeconds: 1 })).rejects.toMatchObject({
      code: 67,
    });
    for (const filter of [
      { a: { $ne: 1 } },
      { a: { $exists: false } },
      { a: /x/ },
      { $or: [{ a: { $size: 1 } }] },
    ]) {
      await expect(
        collection.createIndex({ a: 1 }, { partialFilterExpression: filter }),
      ).rejects.toMatchObject({ code: 67 });
    }
    await expect(collection.createIndex({ a: 1 }, { weights: { a: 1 } })).rejects.toMatchObject({
      code: 197,
    });
  });
});
