import { cpus, hostname } from 'node:os';
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

  test('of a collection that does not exist shows no stages', async () => {
    expect(await planOf({ find: 'nothing' })).toEqual({ stage: 'EOF' });
  });

  test('counts what a find reads, as the driver asks by default', async () => {
    const stats = { executionSuccess: true, nReturned: 2, totalKeysExamined: 4, totalDocsExamined: 4 };
    const filter = { a: 1, tags: { $in: [6, 11] } };
    const hinted = await mongo.collection('c').find(filter).hint('a_b').explain();
    expect(hinted.executionStats).toMatchObject(stats);
    const limited = await mongo
      .collection('c')
      .find({ b: { $gte: 10 } })
      .limit(1)
      .explain('executionStats');
    expect(limited.executionStats).toMatchObject({
      nReturned: 1,
      totalKeysExamined: 0,
      totalDocsExamined: 11,
    });
  });

  test('of count, distinct and aggregate shows the plan of their query', async () => {
    const plan = { stage: 'FETCH', inputStage: scan };
    expect(await planOf({ count: 'c', query: { a: 1 } })).toMatchObject(plan);
    expect(await planOf({ distinct: 'c', key: 'b', query: { a: 1 } })).toMatchObject(plan);
    const pipeline = [{ $match: { a: 1 } }, { $group: { _id: '$b' } }];
    const { stages } = await mongo.collection('c').aggregate(pipeline).explain('queryPlanner');
    expect(stages).toMatchObject([{ $cursor: { queryPlanner: { winningPlan: plan } } }, pipeline[1]]);
    const { queryPlanner } = await command({
      aggregate: 'c',
      pipeline: [{ $match: { a: 1 } }],
      explain: true,
    });
    expect(queryPlanner).toMatchObject({ namespace: 'test.c', winningPlan: plan, rejectedPlans: [] });
  });

  test.each<[string, AnyDocument, number]>([
    ['a write', { explain: { update: 'c', updates: [] }, verbosity: 'queryPlanner' }, 238],
    ['statistics of a count', { explain: { count: 'c' }, verbosity: 'executionStats' }, 238],
    ['an unknown verbosity', { explain: { find: 'c' }, verbosity: 'all' }, 2],
    ['an unknown field', { explain: { find: 'c', foo: 1 }, verbosity: 'queryPlanner' }, 40415],
    ['an unknown stage', { aggregate: 'c', pipeline: [{ $foo: 1 }], explain: true }, 40324],
    [
      'an unknown operator',
      { explain: { find: 'c', filter: { a: { $foo: 1 } } }, verbosity: 'queryPlanner' },
      2,
    ],
    [
      'a sort in no direction',
      { explain: { find: 'nothing', sort: { a: 2 } }, verbosity: 'queryPlanner' },
      2,
    ],
    ['a string', { explain: 'c' }, 14],
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

  test('hides an index from the planner and shows it again', async () => {
    await command({ createIndexes: 'hide', indexes: [{ key: { a: 1 }, name: 'a' }] });
    const hide = (hidden: boolean) => command({ collMod: 'hide', index: { name: 'a', hidden } });
    const stage = async () =>
      (await mongo.collection('hide').find({ a: 1 }).explain('queryPlanner')).queryPlanner.winningPlan.stage;
    expect(await hide(true)).toEqual({ hidden_old: false, hidden_new: true, ok: 1 });
    expect(await stage()).toBe('COLLSCAN');
    expect(await hide(true)).toEqual({ ok: 1 });
    expect(await hide(false)).toEqual({ hidden_old: true, hidden_new: false, ok: 1 });
    expect(await stage()).toBe('FETCH');
  });

  test.each<[string, AnyDocument, number]>([
    ['neither a name nor a key', { expireAfterSeconds: 1 }, 72],
    ['a name and a key', { name: 'ttl', keyPattern: { at: 1 }, expireAfterSeconds: 1 }, 72],
    ['no change', { name: 'ttl' }, 72],
    ['an unknown index', { name: 'nothing', hidden: true }, 27],
    ['an unknown key', { keyPattern: { at: -1 }, hidden: true }, 27],
    ['a key of two indexes', { keyPattern: { k: 1 }, hidden: true }, 181],
    ['a string for seconds', { name: 'ttl', expireAfterSeconds: '1' }, 14],
    ['negative seconds', { name: 'ttl', expireAfterSeconds: -1 }, 72],
    ['a compound index', { name: 'ab', expireAfterSeconds: 1 }, 72],
    ['the index of _id', { name: '_id_', expireAfterSeconds: 1 }, 72],
    ['to hide the index of _id', { name: '_id_', hidden: true }, 2],
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

test('the questions of mongosh and Compass at their start have an answer', async () => {
  const admin = mongo.client.db('admin');
  expect(await admin.command({ getLog: 'startupWarnings' })).toEqual({
    totalLinesWritten: 0,
    log: [],
    ok: 1,
  });
  const { featureCompatibilityVersion } = await admin.command({
    getParameter: 1,
    featureCompatibilityVersion: 1,
  });
  expect(featureCompatibilityVersion).toEqual({ version: '8.0' });
  await expect(admin.command({ getParameter: 'foo' })).rejects.toMatchObject({ code: 72 });
  const { authInfo } = await admin.command({ connectionStatus: 1 });
  expect(authInfo).toEqual({ authenticatedUsers: [], authenticatedUserRoles: [] });
  const { system } = await admin.command({ hostInfo: 1 });
  expect(system).toMatchObject({ hostname: hostname(), numCores: cpus().length });
});
