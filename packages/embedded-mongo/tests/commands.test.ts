import type { Document as AnyDocument } from 'mongodb';
import { useEngine } from './support/engine.ts';

/** [what is refused, the command, MongoDB's code and codeName] */
const REFUSED: [string, AnyDocument, number, string][] = [
  ['an unknown field', { find: 'c', foo: 1 }, 40415, 'Location40415'],
  ['the operator "constructor"', { find: 'c', filter: { a: { $gt: 1, constructor: 1 } } }, 2, 'BadValue'],
  [
    'the stage "constructor"',
    { aggregate: 'c', pipeline: [{ constructor: 1 }], cursor: {} },
    40324,
    'Location40324',
  ],
  ['the command "constructor"', { constructor: 1 }, 59, 'CommandNotFound'],
  ['$where', { find: 'c', filter: { $where: 'true' } }, 238, 'NotImplemented'],
  ['$text', { find: 'c', filter: { $text: { $search: 'x' } } }, 27, 'IndexNotFound'],
  [
    'a transaction',
    { find: 'c', lsid: { id: 1 }, txnNumber: 1, startTransaction: true, autocommit: false },
    20,
    'IllegalOperation',
  ],
  ['a write concern of two', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2, 'BadValue'],
  ['a snapshot read', { find: 'c', readConcern: { level: 'snapshot' } }, 123, 'NotAReplicaSet'],
  ['an unknown cursor', { getMore: 1n, collection: 'c' }, 43, 'CursorNotFound'],
  ['a capped collection', { create: 'c2', capped: true, size: 1 }, 238, 'NotImplemented'],
  ['a bad collection name', { create: 'a$b' }, 73, 'InvalidNamespace'],
  ['no documents', { insert: 'c', documents: [] }, 16, 'InvalidLength'],
];

describe('commands', () => {
  const mongo = useEngine();

  test('serverStatus counts the connections, and getParameter knows the version of the format', async () => {
    const admin = mongo.client.db('admin');
    const { connections, version } = await admin.command({ serverStatus: 1 });
    expect(version).toBe('8.0.0');
    expect(connections.current).toBeGreaterThanOrEqual(1);
    expect(connections.totalCreated).toBeGreaterThanOrEqual(connections.current);
    expect(await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 })).toMatchObject({
      featureCompatibilityVersion: { version: '8.0' },
    });
    await expect(admin.command({ getParameter: 1 })).rejects.toMatchObject({ code: 72 });
  });

  test.each(REFUSED)('%s is refused with MongoDB’s error', async (_, command, code, codeName) => {
    await expect(mongo.client.db('test').command(command)).rejects.toMatchObject({ code, codeName });
  });

  test('the server reports that it is standalone, so drivers neither retry writes nor start transactions', async () => {
    const hello = await mongo.client.db('admin').command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxWireVersion: 25,
      logicalSessionTimeoutMinutes: 30,
    });
    expect(hello).not.toHaveProperty('setName');
    expect(await mongo.client.db('admin').command({ buildInfo: 1 })).toMatchObject({ version: '8.0.0' });
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
    const rest = await mongo.client.db('test').command({ getMore: cursor.id, collection: 'large batches' });
    expect(rest.cursor.nextBatch).toHaveLength(2);
  });

  test('collections and databases can be created, listed and dropped', async () => {
    const database = mongo.client.db('other');
    const listed = async () => (await database.listCollections().toArray()).map(({ name }) => name);
    const databases = async () => {
      const all = await mongo.client.db('admin').admin().listDatabases();
      return all.databases.map(({ name }) => name);
    };
    await database.createCollection('a');
    await expect(database.createCollection('a')).rejects.toMatchObject({ code: 48 });
    await database.collection('b').insertOne({});
    expect(await database.listCollections({ name: 'b' }).toArray()).toHaveLength(1);
    expect(await database.collection('a').drop()).toBe(true);
    expect(await listed()).toEqual(['b']);
    expect(await databases()).toContain('other');
    await database.dropDatabase();
    expect(await listed()).toEqual([]);
    expect(await databases()).not.toContain('other');
  });
});
