import { type Document as AnyDocument, MongoClient } from 'mongodb';
import { useEngine } from './support/engine.ts';
import { isOfVersion, printLeftOut, versionOf } from './support/versions.ts';

/** MongoDB has the command since 8.0. */
const uri = process.env.TEST_MONGODB_URI;
const version = await versionOf(uri);
const isThere = isOfVersion(version, { since: '8.0' });
const mongo = useEngine(uri);
let all = 0;
/** A test of the command, which is left out on a server that does not have it. */
const test = (name: string, run: () => Promise<void>) => {
  all += 1;
  (isThere ? globalThis.test : globalThis.test.skip)(name, run);
};

interface Numbered {
  _id: number;
  n?: number;
  r?: boolean;
}

/** The namespace of a collection of its own for each test. */
let namespace: string;
let tests = 0;
beforeEach(async () => {
  namespace = `bulk.c${++tests}`;
  await mongo.client.db('bulk').collection(`c${tests}`).drop();
});
const documents = () =>
  mongo.client.db('bulk').collection(`c${tests}`).find().sort({ _id: 1 }).project({}).toArray();

/** Runs the command itself: `ops` on the test's collection, which is number 0, and on `bulk.other`, number 1. */
function run(ops: AnyDocument[], options: AnyDocument = {}): Promise<AnyDocument> {
  const nsInfo = [{ ns: namespace }, { ns: 'bulk.other' }];
  return mongo.client.db('admin').command({ bulkWrite: 1, ops, nsInfo, ...options });
}

const insert = (...ids: unknown[]) => ids.map((_id) => ({ insert: 0, document: { _id, n: 1 } }));

test('the client writes to several collections of several databases, in order', async () => {
  const id = { namespace, filter: { _id: 1 } };
  await mongo.client.db('bulk2').collection('c').deleteMany({});
  const result = await mongo.client.bulkWrite<Record<string, Numbered>>(
    [
      { namespace, name: 'insertOne', document: { _id: 1, n: 1 } },
      { namespace: 'bulk2.c', name: 'insertOne', document: { _id: 1 } },
      { ...id, name: 'updateOne', update: { $inc: { n: 1 } } },
      { namespace, name: 'updateMany', filter: { _id: 2 }, update: { $set: { n: 0 } }, upsert: true },
      { ...id, name: 'replaceOne', replacement: { r: true } },
      { namespace: 'bulk2.c', name: 'deleteMany', filter: {} },
    ],
    { verboseResults: true },
  );
  expect(result).toMatchObject({ insertedCount: 2, matchedCount: 2, modifiedCount: 2, upsertedCount: 1 });
  expect(result.deletedCount).toBe(1);
  expect([...(result.updateResults ?? [])]).toEqual([
    [2, { matchedCount: 1, modifiedCount: 1, didUpsert: false }],
    [3, { matchedCount: 1, modifiedCount: 0, didUpsert: true, upsertedId: 2 }],
    [4, { matchedCount: 1, modifiedCount: 1, didUpsert: false }],
  ]);
  expect([...(result.deleteResults ?? [])]).toEqual([[5, { deletedCount: 1 }]]);
  expect(await documents()).toEqual([
    { _id: 1, r: true },
    { _id: 2, n: 0 },
  ]);
});

test('an ordered command ends at the first error, with one result a write', async () => {
  const update = { update: 0, filter: { _id: 1 }, updateMods: { $inc: { n: 1 } } };
  const { cursor, ok, ...totals } = await run([...insert(1, 2), update, ...insert(3, 1, 4), update]);
  expect(ok).toBe(1);
  expect(totals).toEqual({
    ...{ nErrors: 1, nInserted: 3, nMatched: 1, nModified: 1, nUpserted: 0, nDeleted: 0 },
  });
  expect(cursor).toMatchObject({ id: 0, ns: 'admin.$cmd.bulkWrite' });
  expect(cursor.firstBatch).toEqual([
    { ok: 1, idx: 0, n: 1 },
    { ok: 1, idx: 1, n: 1 },
    { ok: 1, idx: 2, n: 1, nModified: 1 },
    { ok: 1, idx: 3, n: 1 },
    {
      ...{ ok: 0, idx: 4, code: 11000, errmsg: expect.stringContaining('E11000'), n: 0 },
      ...{ keyPattern: { _id: 1 }, keyValue: { _id: 1 } },
    },
  ]);
  expect(await documents()).toHaveLength(3);
});

test('an unordered command tries every write; errorsOnly leaves out the results of the others', async () => {
  const ops = [
    ...insert(1, 1, 2),
    { update: 0, filter: { _id: 2 }, updateMods: { $set: { _id: 3 } } },
    { update: 0, filter: { _id: 9 }, updateMods: { $set: { n: 9 } }, upsert: true },
    { delete: 0, filter: { $foo: 1 } },
    { delete: 0, filter: { _id: 1 } },
  ];
  const reply = await run(ops, { ordered: false, errorsOnly: true });
  expect(reply).toMatchObject({ nErrors: 3, nInserted: 2, nMatched: 0, nUpserted: 1, nDeleted: 1 });
  expect(reply.cursor.firstBatch).toMatchObject([
    { ok: 0, idx: 1, code: 11000, n: 0 },
    { ok: 0, idx: 3, code: 66, n: 0, nModified: 0 },
    { ok: 0, idx: 5, code: 2, n: 0 },
  ]);
  expect(await documents()).toMatchObject([{ _id: 2 }, { _id: 9 }]);
  const { cursor } = await run([{ update: 0, filter: { _id: 7 }, updateMods: [], upsert: true }]);
  expect(cursor.firstBatch).toEqual([{ ok: 1, idx: 0, n: 1, nModified: 0, upserted: { _id: 7 } }]);
});

test('the cursor gives the results in batches', async () => {
  const first = await run(insert(1, 2, 3), { cursor: { batchSize: 2 } });
  expect(first.cursor.firstBatch).toHaveLength(2);
  const next = { getMore: first.cursor.id, collection: '$cmd.bulkWrite' };
  const { cursor } = await mongo.client.db('admin').command(next);
  expect(cursor).toEqual({ id: 0, ns: 'admin.$cmd.bulkWrite', nextBatch: [{ ok: 1, idx: 2, n: 1 }] });
});

test('writes take the options of update and delete', async () => {
  const strength = { locale: 'en', strength: 2 };
  await run(['a', 'A', 'b'].map((k, _id) => ({ insert: 0, document: { _id, k, list: [1, 5] } })));
  const update = (filter: AnyDocument, set: AnyDocument, options: AnyDocument) => ({
    ...{ update: 0, filter, updateMods: { $set: set }, ...options },
  });
  const reply = await run(
    [
      update({}, { 'list.$[big]': 9 }, { multi: true, arrayFilters: [{ big: { $gt: 4 } }] }),
      update({ k: 'a' }, { same: 1 }, { multi: true, collation: strength }),
      update({}, { last: 1 }, { sort: { _id: -1 } }),
      { update: 0, filter: { $expr: { $eq: ['$k', '$$b'] } }, updateMods: [{ $set: { v: '$$b' } }] },
      update({ _id: 0 }, { hinted: 1 }, { hint: '_id_' }),
      update({ _id: 0 }, { hinted: 2 }, { hint: { nothing: 1 } }),
      { delete: 0, filter: { k: 'A' }, multi: true, collation: strength, hint: { _id: 1 } },
    ],
    { let: { b: 'b' }, ordered: false },
  );
  expect(reply).toMatchObject({ nErrors: 1, nMatched: 8, nModified: 8, nDeleted: 2 });
  expect(reply.cursor.firstBatch[5]).toMatchObject({ ok: 0, code: 2 });
  expect(await documents()).toEqual([{ _id: 2, k: 'b', list: [1, 9], last: 1, v: 'b' }]);
});

/** A right operation and then a wrong one. */
const wrong = (op: AnyDocument) => ({ ops: [...insert(1), op] });

const REFUSED: [string, AnyDocument, number][] = [
  ['no operation', { ops: [] }, 16],
  ['more than 100,000 operations', { ops: Array(100_001).fill({ delete: 0, filter: {} }) }, 16],
  ['an unknown position in nsInfo', wrong({ insert: 2, document: {} }), 2],
  ['a negative position in nsInfo', wrong({ insert: -1, document: {} }), 51024],
  ['a position that is no number', wrong({ insert: 'c', document: {} }), 14],
  ['an unknown kind of operation', wrong({ constructor: 0, document: {} }), 40415],
  ['an unknown field', wrong({ delete: 0, filter: {}, upsert: true }), 40415],
  ['a missing filter', wrong({ update: 0, updateMods: {} }), 40414],
  ['a document that is a string', wrong({ insert: 0, document: 'x' }), 14],
  ['an option of the wrong type', wrong({ delete: 0, filter: {}, multi: 'yes' }), 14],
  ['no nsInfo', { nsInfo: undefined }, 40414],
  ['a namespace without a collection', { nsInfo: [{ ns: 'bulk' }] }, 73],
  ['a namespace that is a number', { nsInfo: [{ ns: 1 }] }, 14],
  ['a wrong type of ordered', { ordered: 'no' }, 14],
  ['an unknown field of the command', { multi: true }, 40415],
];

for (const [name, options, code] of REFUSED) {
  test(`${name} is refused before anything is written`, async () => {
    await expect(run(insert(1), options)).rejects.toMatchObject({ code });
    expect(await documents()).toEqual([]);
  });
}

test('bulkWrite runs only against the database admin', async () => {
  const command = { bulkWrite: 1, ops: insert(1), nsInfo: [{ ns: namespace }] };
  await expect(mongo.client.db('bulk').command(command)).rejects.toMatchObject({ code: 13 });
});

test('a bad name of a collection is an error of its own writes', async () => {
  const ops = [...insert(1), { insert: 1, document: {} }, ...insert(2)];
  const nsInfo = [{ ns: namespace }, { ns: 'bulk.$bad' }];
  const reply = await run(ops, { nsInfo, ordered: false });
  expect(reply.cursor.firstBatch).toMatchObject([{ ok: 1 }, { ok: 0, idx: 1, code: 73 }, { ok: 1 }]);
});

test('unacknowledged writes are done before the next command of the connection', async () => {
  const client = await new MongoClient(mongo.uri, { maxPoolSize: 1 }).connect();
  const models = [1, 1, 2].map((_id) => ({
    ...{ namespace, name: 'insertOne' as const, document: { _id } },
  }));
  const result = await client.bulkWrite<Record<string, Numbered>>(models, {
    ordered: false,
    writeConcern: { w: 0 },
  });
  expect(result.acknowledged).toBe(false);
  const count = await client.db('bulk').collection(`c${tests}`).countDocuments();
  await client.close();
  expect(count).toBe(2);
});

if (uri === undefined) {
  // MongoDB has them.
  test('constants are refused, not ignored', async () => {
    const op = { update: 0, filter: {}, updateMods: [{ $set: { a: '$$c' } }], constants: { c: 1 } };
    await expect(run([op])).rejects.toMatchObject({ code: 40415 });
  });
}

// Not in a hook: no hook runs if all tests are left out.
printLeftOut('bulkWrite', version, { left: isThere ? 0 : all, all });
