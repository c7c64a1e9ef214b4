import { type Document, Double, Long } from 'bson';
import { findDocuments } from '../src/query/find-documents.ts';
import { append, intervalsOf, toKeyRanges, WHOLE_RANGE } from '../src/query/key-ranges.ts';
import { planQuery } from '../src/query/planner.ts';
import type { Collection } from '../src/storage/collection.ts';
import { encode } from '../src/values/bson-codec.ts';
import { openBareEngine } from './support/bare-engine.ts';

const SIZE = 21_000;

// The tests count what its collections read.
const { engine, run, close } = openBareEngine();

const insert = (name: string, documents: Document[]) =>
  run({ insert: name, documents: documents.map(encode) });

const collectionOf = (name: string) => engine.catalog.find(`test.${name}`) as Collection;

/** Runs `work`, and counts the documents that it reads by index entries, and the scans. */
async function counting<T>(collection: Collection, work: () => T | Promise<T>) {
  const counts = { reads: 0, scans: 0, plans: 0 };
  const { read, scanDocuments } = collection;
  const counted = Object.assign(collection, {
    read: (record: number) => {
      counts.reads++;
      return read.call(collection, record);
    },
    scanDocuments: (...range: [boolean?, number?]) => {
      counts.scans++;
      return scanDocuments.call(collection, ...range);
    },
  });
  // Every plan looks at the indexes once.
  Object.defineProperty(counted, 'indexes', {
    configurable: true,
    get: () => {
      counts.plans++;
      return collection.allIndexes;
    },
  });
  try {
    return { result: await work(), ...counts };
  } finally {
    for (const name of ['read', 'scanDocuments', 'indexes']) {
      Reflect.deleteProperty(collection, name);
    }
  }
}

const find = (collection: Collection, filter: Document) =>
  counting(collection, () => [...findDocuments(collection, { filter })].filter(Boolean).length);

beforeAll(async () => {
  await run({
    createIndexes: 'many',
    indexes: [
      { key: { email: 1 }, name: 'email', unique: true },
      { key: { group: -1 }, name: 'group' },
      { key: { tags: 1 }, name: 'tags' },
    ],
  });
  const documents = Array.from({ length: SIZE }, (_, i) => ({
    ...{ _id: i, email: `user${i}@example.org`, group: Math.floor(i / 3) },
    ...(i < 10 && { tags: [i, i + 1] }),
  }));
  await insert('many', documents);
});
afterAll(close);

const listOf = <T>(size: number, value: (i: number) => T) => ({
  $in: Array.from({ length: size }, (_, i) => value(i)),
});

test('$in with many values reads only its documents', async () => {
  const collection = collectionOf('many');
  const ids = await find(collection, { _id: listOf(20_000, (i) => i) });
  expect(ids).toMatchObject({ result: 20_000, reads: 20_000, scans: 0 });
  const email = listOf(1_000, (i) => `user${SIZE - 1 - i}@example.org`);
  expect(await find(collection, { email })).toMatchObject({ result: 1_000, reads: 1_000, scans: 0 });
  expect(await find(collection, { _id: listOf(100_001, (i) => i) })).toMatchObject({
    result: SIZE,
    scans: 1,
  });
  // Half of the values are in no document, and every group has three.
  const group = listOf(1_000, (i) => (i % 2 ? -i : i / 2));
  expect(await find(collection, { group })).toMatchObject({ result: 1_500, reads: 1_500, scans: 0 });
});

test('a long $in finds what a short one finds, and each value once', async () => {
  const collection = collectionOf('many');
  const some = Array.from({ length: 4_000 }, (_, i) => (i * 7) % 1_500);
  const emails = some.map((i) => `user${i}@example.org`);
  const found = { _id: { $in: some }, email: { $in: emails }, group: { $in: some }, tags: { $in: some } };
  const counts = { _id: 1_500, email: 1_500, group: 4_500, tags: 10 };
  for (const [path, count] of Object.entries(counts)) {
    const filter = { [path]: found[path as keyof typeof found] };
    expect(await find(collection, filter)).toMatchObject({ result: count, reads: count, scans: 0 });
  }
  const explained = await run({ explain: { find: 'many', filter: { tags: found.tags } } });
  expect(explained.executionStats).toMatchObject({ totalKeysExamined: 20, totalDocsExamined: 10 });
});

test('long values that differ only behind the stored part of a key are found once', async () => {
  const [a, b] = ['a', 'b'].map((end) => 'p'.repeat(3_000) + end);
  const indexes = [
    { key: { s: 1 }, name: 's' },
    { key: { n: -1, s: -1 }, name: 'n_s' },
  ];
  await run({ createIndexes: 'long', indexes });
  await insert('long', [
    { _id: 1, n: 1, s: a },
    { _id: 2, n: 1, s: b },
  ]);
  const collection = collectionOf('long');
  for (const rest of [[], Array.from({ length: 2_000 }, (_, i) => `x${i}`)]) {
    const s = { $in: [a, b, ...rest] };
    expect(await find(collection, { s })).toMatchObject({ result: 2, reads: 2, scans: 0 });
    expect(await find(collection, { n: 1, s })).toMatchObject({ result: 2, reads: 2, scans: 0 });
  }
  const update = { q: { s: { $in: [a, b] } }, u: { $inc: { n: 1 } }, multi: true };
  expect(await run({ update: 'long', updates: [update] })).toMatchObject({ nModified: 2 });
});

test('the run of a long $in makes its ranges, and pauses meanwhile', () => {
  const values = Array.from({ length: 4_000 }, (_, i) => (i * 7) % 4_000);
  for (const [path, isUnique] of Object.entries({ _id: true, group: false })) {
    const [scan] = planQuery(collectionOf('many'), { [path]: { $in: values } }, {}).scans;
    const given = [...(scan?.ranges ?? [])];
    const points = intervalsOf([{ operator: '$in', operand: values }], false) ?? [];
    const ranges = points.map((point) => append(WHOLE_RANGE, point, scan?.index.directions[0] ?? 1));
    expect(given.filter(Boolean)).toEqual(toKeyRanges(ranges, false, isUnique));
    // It pauses after each of four sorted runs, and while it merges them.
    expect(given.findIndex(Boolean)).toBeGreaterThan(4);
  }
});

test('$or with an index for each branch reads only their documents, each once', async () => {
  const collection = collectionOf('many');
  const branches = [{ _id: 7 }, { email: 'user8@example.org' }, { tags: { $in: [7, 8] } }, { group: 2 }];
  // 6, 7 and 8 are in group 2, and 6, 7 and 8 have the tag 7 or 8.
  expect(await find(collection, { $or: branches })).toMatchObject({ result: 3, reads: 3, scans: 0 });
  const nested = { $and: [{ $or: [{ _id: 7 }, { $or: [{ _id: 8 }, { _id: 9 }] }] }, { name: null }] };
  expect(await find(collection, nested)).toMatchObject({ result: 3, reads: 3, scans: 0 });
  const unindexed = { $or: [{ _id: 7 }, { name: 'x' }] };
  expect(await find(collection, unindexed)).toMatchObject({ result: 1, reads: 0, scans: 1 });
  const explained = await run({
    explain: { find: 'many', filter: { $or: branches.slice(0, 2) } },
    verbosity: 'queryPlanner',
  });
  expect(explained.queryPlanner.winningPlan).toMatchObject({
    stage: 'FETCH',
    inputStage: { stage: 'OR', inputStages: [{ indexName: '_id_' }, { indexName: 'email' }] },
  });
});

test('the keys of a unique index answer only what asks for nothing else', async () => {
  const collection = collectionOf('many');
  const others = [{ $or: [{ group: 2 }] }, { $nor: [{ group: 3 }] }, { $expr: { $eq: ['$group', 2] } }];
  for (const other of others) {
    expect(await find(collection, { $and: [{ _id: 9 }, other] })).toMatchObject({ result: 0, reads: 1 });
    expect(await find(collection, { $and: [{ email: 'user8@example.org' }, other] })).toMatchObject({
      result: 1,
    });
  }
  const q = { $and: [{ _id: 9 }, { $or: [{ group: 2 }] }] };
  expect(await run({ delete: 'many', deletes: [{ q, limit: 1 }] })).toMatchObject({ n: 0, ok: 1 });
});

test('countDocuments of everything reads no document', async () => {
  const pipeline = [{ $match: {} }, { $group: { _id: 1, n: { $sum: 1 } } }];
  const count = () => run({ aggregate: 'many', pipeline, cursor: {} });
  const { result, reads, scans } = await counting(collectionOf('many'), count);
  expect([reads, scans]).toEqual([0, 0]);
  expect(result.cursor.firstBatch.documents).toEqual([encode({ _id: 1, n: SIZE })]);
  await run({ create: 'empty' });
  const empty = await run({ aggregate: 'empty', pipeline, cursor: {} });
  expect(empty.cursor.firstBatch.documents).toEqual([]);
});

test('a write plans its search once', async () => {
  const update = { q: { email: 'user1@example.org' }, u: { $set: { name: 'Ada' } } };
  const { result, plans } = await counting(collectionOf('many'), () =>
    run({ update: 'many', updates: [update] }),
  );
  expect(result).toMatchObject({ n: 1, nModified: 1, ok: 1 });
  expect(plans).toBe(1);
});

test('a write does not use a plan that a write before it has outdated', async () => {
  const index = { key: { a: 1 }, name: 'a', unique: true };
  const update = { q: { a: 5 }, u: { $inc: { n: 1 } } };
  await run({ createIndexes: 'outdated', indexes: [index] });
  // The index becomes multikey.
  const [, afterArray] = await Promise.all([
    insert('outdated', [{ _id: 1, a: [1, 5] }]),
    run({ update: 'outdated', updates: [update] }),
  ]);
  expect(afterArray).toMatchObject({ n: 1, ok: 1 });
  const [, afterDrop] = await Promise.all([
    run({ dropIndexes: 'outdated', index: 'a' }),
    run({ update: 'outdated', updates: [update] }),
  ]);
  expect(afterDrop).toMatchObject({ n: 1, ok: 1 });
  const [, , afterAll] = await Promise.all([
    run({ drop: 'outdated' }),
    insert('outdated', [{ _id: 2, a: [1, 5] }]),
    run({ update: 'outdated', updates: [{ q: { _id: 2 }, u: { $inc: { n: 1 } } }] }),
  ]);
  expect(afterAll).toMatchObject({ n: 1, ok: 1 });
});

test('an update moves the entries of exactly the indexes whose values it changes', async () => {
  const collection = collectionOf('many');
  const change = async (u: Document) => {
    const { removeSync } = engine.store.entries;
    let removed = 0;
    engine.store.entries.removeSync = (key: Buffer) => {
      removed++;
      return (removeSync as (key: Buffer) => boolean).call(engine.store.entries, key);
    };
    const updates = [{ q: { _id: 100 }, u }];
    await run({ update: 'many', updates }).finally(() => {
      engine.store.entries.removeSync = removeSync;
    });
    return removed;
  };
  expect(await change({ $set: { name: 'x' } })).toBe(0);
  // The same number in another type has the same key.
  expect(await change({ $set: { group: new Double(33) } })).toBe(0);
  expect(await change({ $set: { group: Long.fromNumber(-1), email: 'new@example.org' } })).toBe(2);
  expect(await change({ $set: { tags: ['new'] }, $unset: { email: 1 } })).toBe(2);
  expect(await find(collection, { group: -1, tags: 'new' })).toMatchObject({ result: 1 });
  expect(await find(collection, { email: 'new@example.org' })).toMatchObject({ result: 0 });
});
