import type { Document as AnyDocument } from 'mongodb';
import { useEngine } from './support/engine.ts';

const mongo = useEngine();

const command = (fields: AnyDocument) => mongo.client.db('test').command(fields);

describe('explain', () => {
  beforeAll(async () => {
    const documents = Array.from({ length: 20 }, (_, i) => ({ _id: i, a: i % 5, b: i, tags: ['x', i] }));
    await mongo.collection('c').insertMany(documents);
    await command({
      createIndexes: 'c',
      indexes: [
        { key: { a: 1, b: -1 }, name: 'a_b' },
        { key: { tags: 1 }, name: 'tags', sparse: true },
      ],
    });
  });

  const planOf = async (explain: AnyDocument) => {
    const { queryPlanner } = await command({ explain, verbosity: 'queryPlanner' });
    return queryPlanner.winningPlan;
  };
  const scan = { stage: 'IXSCAN', indexName: 'a_b', keyPattern: { a: 1, b: -1 }, direction: 'forward' };

  test.each<[string, AnyDocument, AnyDocument]>([
    ['a scan', { filter: { b: 1 } }, { stage: 'COLLSCAN', filter: { b: 1 }, direction: 'forward' }],
    ['a backward scan', { sort: { $natural: -1 } }, { stage: 'COLLSCAN', direction: 'backward' }],
    [
      'an index',
      { filter: { a: 1 } },
      { stage: 'FETCH', filter: { a: 1 }, inputStage: { ...scan, isMultiKey: false, isUnique: false } },
    ],
    [
      'the order of an index, backward',
      { filter: { a: 1 }, sort: { b: 1 }, skip: 2, limit: 3 },
      {
        ...{ stage: 'LIMIT', limitAmount: 3 },
        inputStage: {
          ...{ stage: 'SKIP', skipAmount: 2 },
          inputStage: { stage: 'FETCH', inputStage: { ...scan, direction: 'backward' } },
        },
      },
    ],
    [
      'an index and a sort',
      { filter: { a: 1 }, sort: { tags: 1 } },
      { stage: 'SORT', sortPattern: { tags: 1 }, inputStage: { stage: 'FETCH', inputStage: scan } },
    ],
    [
      'an index of arrays',
      { filter: { tags: 'x' } },
      { inputStage: { indexName: 'tags', isMultiKey: true, isSparse: true, isPartial: false } },
    ],
    ['a hint', { filter: { a: 1 }, hint: { $natural: 1 } }, { stage: 'COLLSCAN' }],
  ])('of a find shows %s', async (_, find, plan) => {
    expect(await planOf({ find: 'c', ...find })).toMatchObject(plan);
  });

  const statistics = async (find: AnyDocument) => {
    const { executionStats } = await command({
      explain: { find: 'c', ...find },
      verbosity: 'executionStats',
    });
    return executionStats;
  };

  test.each<[string, AnyDocument, AnyDocument, AnyDocument]>([
    [
      'a scan',
      { filter: { a: 1 }, hint: { $natural: 1 } },
      { nReturned: 4, totalKeysExamined: 0, totalDocsExamined: 20 },
      { stage: 'COLLSCAN', nReturned: 4, docsExamined: 20 },
    ],
    [
      'an index whose documents are tested',
      { filter: { a: 1, c: 1 } },
      { nReturned: 0, totalKeysExamined: 4, totalDocsExamined: 4 },
      { stage: 'FETCH', nReturned: 0, docsExamined: 4, inputStage: { nReturned: 4, keysExamined: 4 } },
    ],
    [
      'an index until the limit',
      { filter: { a: 1 }, sort: { b: 1 }, skip: 1, limit: 2 },
      { nReturned: 2, totalKeysExamined: 3, totalDocsExamined: 3 },
      {
        ...{ stage: 'LIMIT', nReturned: 2 },
        inputStage: { stage: 'SKIP', nReturned: 2, inputStage: { stage: 'FETCH', nReturned: 3 } },
      },
    ],
    [
      'an index of arrays, in which two keys may have one document',
      { filter: { tags: { $in: ['x', 3] } } },
      { nReturned: 20, totalKeysExamined: 21, totalDocsExamined: 20 },
      { stage: 'FETCH', inputStage: { nReturned: 20, keysExamined: 21 } },
    ],
    [
      'the branches of an $or, which may share a document',
      { filter: { $or: [{ a: 1 }, { _id: 1 }] } },
      { nReturned: 4, totalKeysExamined: 5, totalDocsExamined: 4 },
      {
        stage: 'FETCH',
        inputStage: { stage: 'OR', nReturned: 4, inputStages: [{ keysExamined: 4 }, { keysExamined: 1 }] },
      },
    ],
    [
      'a unique index',
      { filter: { _id: 7 } },
      { nReturned: 1, totalKeysExamined: 1, totalDocsExamined: 1 },
      { stage: 'FETCH', nReturned: 1, inputStage: { indexName: '_id_', keysExamined: 1 } },
    ],
    [
      'a sort',
      { filter: { b: { $gte: 5 } }, sort: { a: 1 }, skip: 2, limit: 3, hint: { $natural: 1 } },
      { nReturned: 3, totalKeysExamined: 0, totalDocsExamined: 20 },
      {
        inputStage: {
          stage: 'SKIP',
          inputStage: { stage: 'SORT', nReturned: 5, inputStage: { nReturned: 15 } },
        },
      },
    ],
  ])('counts what a run examines and returns: %s', async (_, find, totals, executionStages) => {
    expect(await statistics(find)).toMatchObject({ executionSuccess: true, ...totals, executionStages });
  });

  test('answers the error that ends the run', async () => {
    const projection = { x: { $divide: [1, { $subtract: ['$b', 3] }] } };
    const failed = await statistics({ projection });
    expect(failed).toMatchObject({ executionSuccess: false, nReturned: 3, totalDocsExamined: 4 });
    expect(failed).toMatchObject({ errorCode: 2, errorMessage: expect.stringContaining('divide by zero') });
  });

  test("is what the driver's cursors ask for", async () => {
    const cursor = () => mongo.collection('c').find({ a: 1 });
    const { executionStats } = await cursor().explain();
    expect(executionStats).toMatchObject({ nReturned: 4, totalDocsExamined: 4, allPlansExecution: [] });
    expect(await cursor().explain('executionStats')).not.toHaveProperty('executionStats.allPlansExecution');
    expect(await cursor().explain('queryPlanner')).not.toHaveProperty('executionStats');
    expect(await command({ explain: { find: 'c' }, verbosity: null })).toHaveProperty('executionStats');
  });

  test('of a collection that does not exist shows no stages', async () => {
    expect(await planOf({ find: 'nothing' })).toEqual({ stage: 'EOF' });
  });

  test.each<[string, AnyDocument, number]>([
    ['a write', { explain: { update: 'c', updates: [] }, verbosity: 'queryPlanner' }, 238],
    ['a count', { explain: { count: 'c' }, verbosity: 'queryPlanner' }, 238],
    ['an aggregate', { aggregate: 'c', pipeline: [], explain: true }, 238],
    ['an unknown field', { explain: { find: 'c', foo: 1 }, verbosity: 'queryPlanner' }, 40415],
    [
      'an unknown operator',
      { explain: { find: 'c', filter: { a: { $foo: 1 } } }, verbosity: 'queryPlanner' },
      2,
    ],
    [
      'a sort in no direction',
      { explain: { find: 'nothing', sort: { a: 2 } }, verbosity: 'queryPlanner' },
      15975,
    ],
    ['a string', { explain: 'c' }, 14],
    [
      'a verbosity that drivers know and servers do not',
      { explain: { find: 'c' }, verbosity: 'queryPlannerExtended' },
      2,
    ],
  ])('of %s is refused', async (_, fields, code) => {
    await expect(command(fields)).rejects.toMatchObject({ code });
  });
});

describe('collMod', () => {
  const change = (index: AnyDocument) => command({ collMod: 'mod', index });
  beforeAll(async () => {
    const ttl = { name: 'ttl', expireAfterSeconds: 50 };
    const indexes = [
      { key: { at: 1 }, ...ttl },
      { key: { a: 1 }, name: 'a' },
      { key: { a: 1, b: 1 }, name: 'ab' },
      { key: { k: 1 }, name: 'k1', sparse: true },
      { key: { k: 1 }, name: 'k2', partialFilterExpression: { k: 1 } },
    ];
    await command({ createIndexes: 'mod', indexes });
  });
  const optionsOf = async (wanted: string) =>
    (await mongo.collection('mod').listIndexes().toArray()).find(({ name }) => name === wanted);

  test('changes the time of a TTL index, and gives other indexes one', async () => {
    const reply = await change({ keyPattern: { at: 1 }, expireAfterSeconds: 100 });
    expect(reply).toMatchObject({ expireAfterSeconds_old: 50, expireAfterSeconds_new: 100, ok: 1 });
    expect(await optionsOf('ttl')).toMatchObject({ expireAfterSeconds: 100 });
    expect(await change({ name: 'a', expireAfterSeconds: 9 })).toEqual({ expireAfterSeconds_new: 9, ok: 1 });
    expect(await optionsOf('a')).toMatchObject({ expireAfterSeconds: 9 });
  });

  test.each<[string, AnyDocument, number]>([
    ['neither a name nor a key', { expireAfterSeconds: 1 }, 72],
    ['a name and a key', { name: 'ttl', keyPattern: { at: 1 }, expireAfterSeconds: 1 }, 72],
    ['no change', { name: 'ttl' }, 72],
    ['an unknown index', { name: 'nothing', expireAfterSeconds: 1 }, 27],
    ['an unknown key', { keyPattern: { at: -1 }, expireAfterSeconds: 1 }, 27],
    ['a key of two indexes', { keyPattern: { k: 1 }, expireAfterSeconds: 1 }, 181],
    ['a string for seconds', { name: 'ttl', expireAfterSeconds: '1' }, 14],
    ['negative seconds', { name: 'ttl', expireAfterSeconds: -1 }, 72],
    ['a compound index', { name: 'ab', expireAfterSeconds: 1 }, 72],
    ['the index of _id', { name: '_id_', expireAfterSeconds: 1 }, 72],
    ['to hide an index', { name: 'a', hidden: true }, 238],
    ['an unknown field', { name: 'ttl', foo: 1 }, 40415],
  ])('refuses %s', async (_, index, code) => {
    await expect(change(index)).rejects.toMatchObject({ code });
  });

  test('refuses a collection that does not exist and other options', async () => {
    await expect(command({ collMod: 'nothing' })).rejects.toMatchObject({ code: 26 });
    await expect(command({ collMod: 'mod', validator: {} })).rejects.toMatchObject({ code: 238 });
    await expect(change({ name: 'a', unique: true })).rejects.toMatchObject({ code: 238 });
    expect(await command({ collMod: 'mod' })).toEqual({ ok: 1 });
  });
});
