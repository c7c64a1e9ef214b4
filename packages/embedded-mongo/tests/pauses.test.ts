import { jest } from '@jest/globals';
import type { Document } from 'bson';
import { SLICE_MILLIS } from '../src/base/limits.ts';
import { slices } from '../src/base/slices.ts';
import { encode } from '../src/values/bson-codec.ts';
import { openBareEngine } from './support/bare-engine.ts';

const COUNT = 50;

const { engine, run, close } = openBareEngine();

beforeEach(async () => {
  const documents = Array.from({ length: COUNT }, (_, _id) =>
    encode({ _id, n: COUNT - _id, group: _id % 5 }),
  );
  await run({ insert: 'c', documents });
  await run({ createIndexes: 'c', indexes: [{ key: { group: 1 }, name: 'group' }] });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await run({ drop: 'c' });
});
afterAll(close);

/** From now on, each slice is over as soon as it has begun. */
function letTimeFly(): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 2 * SLICE_MILLIS));
}

const ABSENT = { n: -1 };
const set = { $set: { seen: true } };

test.each<[string, Document, number]>([
  ['a find', { find: 'c', filter: ABSENT }, COUNT],
  ['a find by an index', { find: 'c', filter: { group: 1, ...ABSENT } }, COUNT / 5],
  ['a find that gives documents', { find: 'c' }, COUNT],
  ['a sorted find', { find: 'c', sort: { n: 1 } }, COUNT],
  ['a count', { count: 'c', query: ABSENT }, COUNT],
  ['an explain', { explain: { find: 'c', filter: ABSENT }, verbosity: 'executionStats' }, COUNT],
  ['a distinct', { distinct: 'c', key: 'group' }, COUNT],
  ['an aggregation', { aggregate: 'c', pipeline: [{ $group: { _id: '$group' } }], cursor: {} }, COUNT],
  ['an update of one', { update: 'c', updates: [{ q: ABSENT, u: set }] }, COUNT],
  [
    'an update of one by an index',
    { update: 'c', updates: [{ q: { group: 1, ...ABSENT }, u: set }] },
    COUNT / 5,
  ],
  ['an update of many', { update: 'c', updates: [{ q: { group: 1 }, u: set, multi: true }] }, COUNT / 5],
  ['a delete of one', { delete: 'c', deletes: [{ q: ABSENT, limit: 1 }] }, COUNT],
  ['a delete of many', { delete: 'c', deletes: [{ q: { _id: { $gte: 0 } }, limit: 0 }] }, COUNT],
  ['a findAndModify', { findAndModify: 'c', query: ABSENT, update: set }, COUNT],
])('%s pauses whenever its slice is over', async (_, command, least) => {
  letTimeFly();
  const pause = jest.spyOn(slices, 'pause');
  expect(await run(command)).toMatchObject({ ok: 1 });
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(least);
});

test.each<[string, Document, Document, number]>([
  ['an insert', { insert: 'd', documents: [1, 2, 3].map((_id) => encode({ _id })) }, { n: 3 }, 3],
  [
    'an update of many',
    { update: 'c', updates: [{ q: { group: 1 }, u: set, multi: true }] },
    { n: COUNT / 5, nModified: COUNT / 5 },
    COUNT / 5,
  ],
  ['a delete of many', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, { n: COUNT }, COUNT],
])('%s is cut into transactions', async (_, command, answer, transactions) => {
  letTimeFly();
  const write = jest.spyOn(engine.store, 'write');
  expect(await run(command)).toMatchObject({ ok: 1, ...answer });
  expect(write).toHaveBeenCalledTimes(transactions);
});

test('an insert in order ends at its first error, in whichever slice it is', async () => {
  letTimeFly();
  const documents = [100, 101, 1, 102].map((_id) => encode({ _id }));
  expect(await run({ insert: 'c', documents })).toMatchObject({
    n: 2,
    writeErrors: [{ index: 2, code: 11000 }],
  });
  expect(await run({ count: 'c', query: { _id: { $gte: 100 } } })).toMatchObject({ n: 2 });
});

test('a find ends with an error after its time', async () => {
  letTimeFly();
  let nowMillis = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => (nowMillis += 1000));
  expect(await run({ find: 'c', filter: ABSENT, maxTimeMS: 10 })).toMatchObject({ ok: 0, code: 50 });
});

test('an update of many ends after its time, and what it has written stays', async () => {
  letTimeFly();
  const { write } = engine.store;
  let transactions = 0;
  jest.spyOn(engine.store, 'write').mockImplementation((work) => {
    transactions += 1;
    if (transactions === 3) {
      jest.spyOn(Date, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER);
    }
    return write.call(engine.store, work) as ReturnType<typeof engine.store.write>;
  });
  const updates = [{ q: { group: 1 }, u: set, multi: true }];
  const answer = await run({ update: 'c', updates, maxTimeMS: 60_000 });
  expect(answer).toMatchObject({ writeErrors: [{ code: 50 }] });
  expect(await run({ count: 'c', query: { seen: true } })).toMatchObject({ n: 3 });
});

test('a document that no longer matches when it is its turn stays as it is', async () => {
  letTimeFly();
  const updates = [{ q: { group: 1 }, u: set, multi: true }];
  const updating = run({ update: 'c', updates });
  const moving = run({ update: 'c', updates: [{ q: { _id: 46 }, u: { $set: { group: 2 } } }] });
  expect(await moving).toMatchObject({ nModified: 1 });
  expect(await updating).toMatchObject({ n: COUNT / 5 - 1 });
});

test('of two updates that want one free document, each gets one of its own', async () => {
  const free = { n: { $lte: 2 }, taken: { $exists: false } };
  const take = () => run({ findAndModify: 'c', query: free, update: { $set: { taken: true } } });
  const taken = await Promise.all([take(), take(), take()]);
  expect(taken.map(({ value }) => value?.n ?? 0).sort()).toEqual([0, 1, 2]);
});

test('in each turn of the loop, one of the commands that wait continues', async () => {
  const resumed: number[] = [];
  const waiting = [1, 2, 3].map((id) => slices.pause().then(() => resumed.push(id)));
  const counts: number[] = [];
  while (resumed.length < waiting.length) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(resumed.length);
  }
  expect(resumed).toEqual([1, 2, 3]);
  expect(counts.every((count, i) => count - (counts[i - 1] ?? 0) <= 1)).toBe(true);
});
