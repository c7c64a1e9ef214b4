import type { Document } from 'bson';
import { encode } from '../src/values/bson-codec.ts';
import { openBareEngine } from './support/bare-engine.ts';

const COMMANDS = 5;
const SIZE = 250;

const { engine, run, close } = openBareEngine();
/** The writes that wait for a transaction or its commit, and the most so far. */
let [waiting, most] = [0, 0];

beforeAll(() => {
  const { store } = engine;
  const { write } = store;
  store.write = <T>(work: () => T): Promise<T> => {
    most = Math.max(most, ++waiting);
    const written: Promise<T> = write.call(store, work) as Promise<T>;
    return written.finally(() => waiting--);
  };
});
beforeEach(() => {
  most = 0;
});
afterAll(close);

/** Runs commands at the same time, each with ids of its own. */
const runAll = (commandOf: (ids: number[]) => Document) =>
  Promise.all(
    Array.from({ length: COMMANDS }, (_, k) =>
      run(commandOf(Array.from({ length: SIZE }, (_, i) => k * SIZE + i))),
    ),
  );

test('simultaneous inserts of many documents take turns', async () => {
  const answers = await runAll((ids) => ({ insert: 'c', documents: ids.map((_id) => encode({ _id })) }));
  expect(answers).toEqual(Array(COMMANDS).fill(expect.objectContaining({ ok: 1, n: SIZE })));
  expect(most).toBe(1);
});

test('of simultaneous unordered updates, at most a hundred wait for one transaction', async () => {
  const updates = (ids: number[]) => ids.map((_id) => ({ q: { _id }, u: { $set: { n: 1 } } }));
  const answers = await runAll((ids) => ({ update: 'c', updates: updates(ids), ordered: false }));
  expect(answers).toEqual(Array(COMMANDS).fill(expect.objectContaining({ ok: 1, nModified: SIZE })));
  expect(most).toBe(100);
});

test('simultaneous small batches share a transaction, and a large one waits for them', async () => {
  const insert = (first: number, count: number) =>
    run({
      insert: 'small',
      documents: Array.from({ length: count }, (_, i) => encode({ _id: first + i })),
    });
  const answers = await Promise.all([insert(0, 50), insert(50, 50)]);
  expect(answers).toEqual([expect.objectContaining({ n: 50 }), expect.objectContaining({ n: 50 })]);
  expect(most).toBe(2);
  most = 0;
  await Promise.all([insert(1000, 50), insert(2000, 51), insert(3000, 50), insert(4000, 50)]);
  expect(most).toBe(2);
});

test('a batch with errors does not hold up the next one', async () => {
  const [failed, next] = await Promise.all([
    run({ insert: 'c', documents: [encode({ _id: 1 }), encode({ _id: -1 })] }),
    run({ insert: 'c', documents: [encode({ _id: -2 }), encode({ _id: -3 })] }),
  ]);
  expect(failed).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 11000 }] });
  expect(next).toMatchObject({ n: 2 });
});
