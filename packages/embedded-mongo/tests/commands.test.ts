import { type Document as AnyDocument, MongoClient } from 'mongodb';
import { type Document, useEngine } from './support/engine.ts';

/** [what the filter selects, the filter, the _ids of the DOCUMENTS that it finds] */
const QUERIES: [string, AnyDocument, number[]][] = [
  ['a path through an array of documents', { 'list.k': 2 }, [3]],
  ['a position in an array', { 'list.0.k': 1 }, [3]],
  ['a whole array or an element', { tags: 'x' }, [1, 2]],
  ['exactly this array', { tags: ['x', 'y'] }, [1]],
  ['exactly this document, in this order of fields', { sub: { a: 1, b: 2 } }, [4]],
  ['not that order', { sub: { b: 2, a: 1 } }, []],
  ['null and missing fields', { n: null }, [3, 4, 5]],
  ['an existing field', { n: { $exists: true } }, [1, 2, 5]],
  ['$nin, with missing fields', { n: { $nin: [1, null] } }, [2]],
  ['$not of a comparison', { n: { $not: { $gt: 1 } } }, [1, 3, 4, 5]],
  ['$or, $and and $nor', { $or: [{ n: 1 }, { $and: [{ tags: 'x' }, { $nor: [{ n: 1 }] }] }] }, [1, 2]],
  ['$all', { tags: { $all: ['y', 'x'] } }, [1]],
  ['$all of nothing', { tags: { $all: [] } }, []],
  ['$size', { tags: { $size: 1 } }, [2]],
  ['$type by name, in arrays too', { tags: { $type: 'string' } }, [1, 2]],
  ['$type array', { tags: { $type: 'array' } }, [1, 2]],
  ['$elemMatch on one element', { list: { $elemMatch: { k: 1, v: 2 } } }, []],
  ['two conditions on any elements', { 'list.k': 1, 'list.v': 2 }, [3]],
  ['$elemMatch of values', { tags: { $elemMatch: { $gte: 'y' } } }, [1]],
  ['$mod', { n: { $mod: [2, 0] } }, [2]],
  ['a regular expression', { name: /^AL/i }, [1]],
  ['$regex with options', { name: { $regex: '^b', $options: 'i' } }, [2]],
  ['$expr', { $expr: { $gt: ['$n', 1] } }, [2]],
  ['$eq with a document', { sub: { $eq: { a: 1, b: 2 } } }, [4]],
];

const DOCUMENTS = [
  { _id: 1, n: 1, tags: ['x', 'y'], name: 'Alice' },
  { _id: 2, n: 2, tags: ['x'], name: 'Bob' },
  {
    _id: 3,
    list: [
      { k: 1, v: 1 },
      { k: 2, v: 2 },
    ],
  },
  { _id: 4, sub: { a: 1, b: 2 } },
  { _id: 5, n: null },
];

/** [what is refused, the command, MongoDB's code and codeName] */
const REFUSED: [string, AnyDocument, number, string][] = [
  ['an unknown command', { shutdown: 1 }, 59, 'CommandNotFound'],
  ['an unknown field', { find: 'c', foo: 1 }, 40415, 'Location40415'],
  ['a field that find does not have', { find: 'c', nothing: true }, 40415, 'Location40415'],
  ['an unknown query operator', { find: 'c', filter: { a: { $foo: 1 } } }, 2, 'BadValue'],
  ['the operator "constructor"', { find: 'c', filter: { a: { $gt: 1, constructor: 1 } } }, 2, 'BadValue'],
  [
    'the stage "constructor"',
    { aggregate: 'c', pipeline: [{ constructor: 1 }], cursor: {} },
    40324,
    'Location40324',
  ],
  ['the command "constructor"', { constructor: 1 }, 59, 'CommandNotFound'],
  ['an unknown top-level operator', { find: 'c', filter: { $foo: 1 } }, 2, 'BadValue'],
  ['$where', { find: 'c', filter: { $where: 'true' } }, 238, 'NotImplemented'],
  ['$text', { find: 'c', filter: { $text: { $search: 'x' } } }, 27, 'IndexNotFound'],
  ['an empty $or', { find: 'c', filter: { $or: [] } }, 2, 'BadValue'],
  ['a projection of both kinds', { find: 'c', projection: { a: 1, b: 0 } }, 31254, 'Location31254'],
  ['a sort in no direction', { find: 'c', sort: { a: 2 } }, 15975, 'Location15975'],
  [
    'a collation of strength 5',
    { find: 'c', collation: { locale: 'de', strength: 5 } },
    238,
    'NotImplemented',
  ],
  [
    'a transaction',
    { find: 'c', lsid: { id: 1 }, txnNumber: 1, startTransaction: true, autocommit: false },
    20,
    'IllegalOperation',
  ],
  ['a write concern of two', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2, 'BadValue'],
  ['a snapshot read', { find: 'c', readConcern: { level: 'snapshot' } }, 123, 'NotAReplicaSet'],
  ['an unknown stage', { aggregate: 'c', pipeline: [{ $foo: 1 }], cursor: {} }, 40324, 'Location40324'],
  [
    'an unknown expression',
    { aggregate: 'c', pipeline: [{ $project: { a: { $foo: 1 } } }], cursor: {} },
    31325,
    'Location31325',
  ],
  ['an unknown cursor', { getMore: 1n, collection: 'c' }, 43, 'CursorNotFound'],
  ['a capped collection', { create: 'c2', capped: true, size: 1 }, 238, 'NotImplemented'],
  ['a bad collection name', { create: 'a$b' }, 73, 'InvalidNamespace'],
  ['no documents', { insert: 'c', documents: [] }, 16, 'InvalidLength'],
];

describe('commands', () => {
  const mongo = useEngine();

  test('serverStatus counts the connections, and getParameter knows the version of the format', async () => {
    const admin = mongo.client.db('admin');
    const { connections } = await admin.command({ serverStatus: 1 });
    expect(connections.current).toBeGreaterThanOrEqual(1);
    expect(connections.totalCreated).toBeGreaterThanOrEqual(connections.current);
    expect(await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 })).toMatchObject({
      featureCompatibilityVersion: { version: '8.0' },
    });
    await expect(admin.command({ getParameter: 1 })).rejects.toMatchObject({ code: 72 });
  });
  beforeAll(async () => {
    await mongo.collection('c').insertMany(DOCUMENTS);
  });

  for (const [name, filter, ids] of QUERIES) {
    test(`find selects ${name}`, async () => {
      expect(
        await mongo
          .collection('c')
          .find(filter)
          .map(({ _id }) => _id)
          .toArray(),
      ).toEqual(ids);
    });
  }

  for (const [name, command, code, codeName] of REFUSED) {
    test(`${name} is refused with MongoDB’s error`, async () => {
      await expect(mongo.client.db('test').command(command)).rejects.toMatchObject({ code, codeName });
    });
  }

  test('the server reports that it is standalone, so drivers neither retry writes nor start transactions', async () => {
    const hello = await mongo.client.db('admin').command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxWireVersion: 25,
      logicalSessionTimeoutMinutes: 30,
    });
    expect(hello).not.toHaveProperty('setName');
    expect(await mongo.client.db('admin').command({ buildInfo: 1 })).toMatchObject({ version: '8.0.0' });
    expect(await mongo.client.db('admin').command({ serverStatus: 1 })).toMatchObject({
      version: '8.0.0',
      ok: 1,
    });
  });

  test('find projects, skips, limits and sorts', async () => {
    const find = (projection: AnyDocument) => mongo.collection('c').find({ _id: 3 }, { projection }).next();
    expect(await find({ 'list.k': 1, _id: 0 })).toEqual({ list: [{ k: 1 }, { k: 2 }] });
    expect(await find({ 'list.k': 0 })).toEqual({ _id: 3, list: [{ v: 1 }, { v: 2 }] });
    expect(await find({ list: { $slice: -1 } })).toEqual({ _id: 3, list: [{ k: 2, v: 2 }] });
    expect(await find({ list: { $elemMatch: { k: 2 } } })).toEqual({ _id: 3, list: [{ k: 2, v: 2 }] });
    expect(await find({ size: { $size: '$list' }, _id: 0 })).toEqual({ size: 2 });
    const page = mongo
      .collection('c')
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(1)
      .limit(2);
    expect(await page.toArray()).toEqual([{ _id: 4 }, { _id: 3 }]);
  });

  test('a cursor gives 101 documents first, then batches of the wanted size', async () => {
    const collection = mongo.collection('batches');
    await collection.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id })));
    const database = mongo.client.db('test');
    const { cursor } = await database.command({ find: 'batches' });
    expect(cursor.firstBatch).toHaveLength(101);
    const next = await database.command({ getMore: cursor.id, collection: 'batches', batchSize: 100 });
    expect(next.cursor.nextBatch).toHaveLength(100);
    await database.command({ killCursors: 'batches', cursors: [cursor.id] });
    await expect(database.command({ getMore: cursor.id, collection: 'batches' })).rejects.toMatchObject({
      code: 43,
    });
    expect(await collection.find({}, { batchSize: 7 }).toArray()).toHaveLength(250);
  });

  test('a batch of large documents stays below 16 MiB', async () => {
    const collection = mongo.collection('large batches');
    await collection.insertMany(
      Array.from({ length: 5 }, (_, _id) => ({ _id, text: 'x'.repeat(5_000_000) })),
    );
    const { cursor } = await mongo.client.db('test').command({ find: 'large batches' });
    expect(cursor.firstBatch).toHaveLength(3);
    expect(await collection.find().toArray()).toHaveLength(5);
  });

  test('a query ends with an error after its maxTimeMS', async () => {
    const collection = mongo.collection('slow');
    await collection.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100) })));
    const search = collection.find({ text: { $regex: 'y(x*)*y' } }).maxTimeMS(1);
    await expect(search.toArray()).rejects.toMatchObject({ code: 50 });
  });

  test('a scan lets other commands go first', async () => {
    // Both connections exist already, so both commands are sent at once, and no stall of this process can separate them.
    const other = new MongoClient(`mongodb://${mongo.client.options.hosts.join()}`);
    await other.db('test').command({ ping: 1 });
    const ends: string[] = [];
    const scan = mongo.collection('slow').find({ text: 'not there' }).toArray();
    const lookUp = other.db('test').collection<Document>('c').findOne({ _id: 1 });
    await Promise.all([scan.then(() => ends.push('scan')), lookUp.then(() => ends.push('look-up'))]);
    await other.close();
    expect(ends).toEqual(['look-up', 'scan']);
  });

  test('count, distinct, listCollections and listDatabases give what exists', async () => {
    const collection = mongo.collection('c');
    expect(await collection.countDocuments({ tags: 'x' })).toBe(2);
    expect(await collection.estimatedDocumentCount()).toBe(5);
    expect(await collection.distinct('list.k')).toEqual([1, 2]);
    expect(await collection.distinct('tags', { n: 1 })).toEqual(['x', 'y']);
    const names = (await mongo.client.db('test').listCollections({ name: 'c' }).toArray()).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['c']);
    const { databases } = await mongo.client.db('admin').admin().listDatabases();
    expect(databases.map(({ name }) => name)).toEqual(['test']);
  });

  test('collections and databases can be created and dropped', async () => {
    const database = mongo.client.db('other');
    await database.createCollection('a');
    await expect(database.createCollection('a')).rejects.toMatchObject({ code: 48 });
    await database.collection('b').insertOne({});
    expect(await database.collection('a').drop()).toBe(true);
    await database.dropDatabase();
    expect(await database.listCollections().toArray()).toEqual([]);
  });
});
