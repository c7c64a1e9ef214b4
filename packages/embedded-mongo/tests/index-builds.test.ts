import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { jest } from '@jest/globals';
import { type Collection, MongoClient } from 'mongodb';
import { startEngine } from '../src/engine.ts';
import { Catalog } from '../src/storage/catalog.ts';
import { Store } from '../src/storage/store.ts';
import { kill, startScript } from './support/folder.ts';

type Numbered = { _id: number; key?: number; tags?: number[] };

const DIST = new URL('../dist/', import.meta.url).href;
const SIZE = 40;

let path: string;
let client: MongoClient;
let engine: Awaited<ReturnType<typeof startEngine>>;
let many: Collection<Numbered>;
let isRunning = false;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'embedded-mongo-builds-'));
  await start();
  await many.insertMany(Array.from({ length: SIZE }, (_, i) => ({ _id: i, key: i })));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await stop();
  rmSync(path, { recursive: true });
});

async function start(): Promise<void> {
  engine = await startEngine({ path, port: 0 });
  client = await new MongoClient(`mongodb://127.0.0.1:${engine.port}`).connect();
  many = client.db('d').collection<Numbered>('many');
  isRunning = true;
}

/** A second call does nothing. */
async function stop(): Promise<void> {
  if (isRunning) {
    isRunning = false;
    await client.close();
    await engine.stop();
  }
}

/** Stops every build and every removal of leftovers once its slices have looked at the clock so often. */
function stopAfter(looks: number) {
  let left = looks;
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => {
    if (left > 0) {
      left--;
      return now;
    }
    now += 100;
    return now;
  });
  return {
    reached: async () => {
      while (left > 0) {
        await client.db('d').command({ ping: 1 });
      }
    },
    goOn: () => jest.restoreAllMocks(),
  };
}

/** Starts to build an index, and stops when about half of the documents are in it. */
async function halfBuilt(options: { unique?: boolean } = {}) {
  const clock = stopAfter(SIZE / 2);
  const build = many.createIndex({ key: 1 }, options);
  build.catch(() => {});
  await clock.reached();
  return { build, goOn: clock.goOn };
}

const indexNames = async () => (await many.indexes()).map(({ name }) => name);

/** Stops the engine and compares all index entries with all documents. */
async function verified() {
  await stop();
  const folder = openDataFolder(path);
  const result = folder.verify();
  await folder.close();
  return result;
}

test('an index that is being built is neither listed nor used, and holds the writes of that time', async () => {
  const { build, goOn } = await halfBuilt();
  expect(await indexNames()).toEqual(['_id_']);
  await expect(many.find({}, { hint: 'key_1' }).toArray()).rejects.toMatchObject({ code: 2 });
  await many.insertMany([{ _id: 100, key: 100 }, { _id: 101 }]);
  for (const _id of [0, SIZE - 1, 100]) {
    await many.updateOne({ _id }, { $set: { key: 200 + _id } });
  }
  await many.deleteMany({ _id: { $in: [1, SIZE - 2, 101] } });
  expect(await many.countDocuments({ key: { $gte: 0 } })).toBe(SIZE - 1);
  // Its removal must leave the entries of the new index alone.
  await client.db('d').collection('dropped').insertOne({});
  await client.db('d').dropCollection('dropped');
  goOn();
  await build;
  expect(await indexNames()).toEqual(['_id_', 'key_1']);
  expect(
    await many
      .find({ key: { $gte: 200 } }, { hint: 'key_1' })
      .map(({ _id }) => _id)
      .toArray(),
  ).toEqual([0, SIZE - 1, 100]);
  expect(await verified()).toMatchObject({ documents: SIZE - 1, entries: 2 * (SIZE - 1), problems: [] });
});

test('a write that violates a new unique index is done, and the build fails and leaves nothing', async () => {
  const { build, goOn } = await halfBuilt({ unique: true });
  await many.insertOne({ _id: 100, key: 0 });
  goOn();
  await expect(build).rejects.toMatchObject({ code: 11000, keyValue: { key: 0 } });
  expect(await indexNames()).toEqual(['_id_']);
  await many.deleteOne({ _id: 100 });
  await many.createIndex({ key: 1 }, { unique: true });
  await expect(many.insertOne({ key: 0 } as Numbered)).rejects.toMatchObject({ code: 11000 });
  expect(await verified()).toMatchObject({ entries: 2 * SIZE, problems: [] });
});

test('a duplicate that is gone before the build reaches it does not harm the entry of the other', async () => {
  await many.updateMany({ _id: { $in: [SIZE - 1, SIZE - 2] } }, { $set: { key: 0 } });
  const { build, goOn } = await halfBuilt({ unique: true });
  await many.deleteOne({ _id: SIZE - 1 });
  await many.updateOne({ _id: SIZE - 2 }, { $set: { key: SIZE } });
  goOn();
  await build;
  await expect(many.insertOne({ _id: 100, key: 0 })).rejects.toMatchObject({ code: 11000 });
  expect(await verified()).toMatchObject({ entries: 2 * (SIZE - 1), problems: [] });
});

test('builds on one collection follow each other, and the same index is built once', async () => {
  const { build, goOn } = await halfBuilt();
  const others = [many.createIndex({ key: 1 }), many.createIndex({ key: -1 })];
  await client.db('d').collection('small').createIndex({ key: 1 });
  expect(await indexNames()).toEqual(['_id_']);
  goOn();
  expect(await Promise.all([build, ...others])).toEqual(['key_1', 'key_1', 'key_-1']);
  expect(await indexNames()).toEqual(['_id_', 'key_1', 'key_-1']);
  expect(await verified()).toMatchObject({ entries: 3 * SIZE, problems: [] });
});

test('a drop of the collection or of the index ends its build', async () => {
  const first = await halfBuilt();
  await many.dropIndexes();
  await expect(first.build).rejects.toMatchObject({ code: 276 });
  first.goOn();
  const second = await halfBuilt();
  const waiting = many.createIndex({ other: 1 });
  await many.drop();
  await many.insertOne({ _id: 1, key: 7 });
  await expect(second.build).rejects.toMatchObject({ code: 276 });
  second.goOn();
  await waiting;
  expect(await indexNames()).toEqual(['_id_', 'other_1']);
  expect(await many.find().toArray()).toEqual([{ _id: 1, key: 7 }]);
});

test('a name is free at once after a drop, and a cursor on what was dropped ends with an error', async () => {
  await many.createIndex({ key: 1 });
  const cursors = [many.find(), many.find().sort({ key: 1 })].map((each) => each.batchSize(2));
  await Promise.all(cursors.map((cursor) => cursor.next()));
  const clock = stopAfter(10);
  await many.drop();
  await many.insertOne({ _id: 1 });
  expect(await many.find().toArray()).toEqual([{ _id: 1 }]);
  clock.goOn();
  for (const cursor of cursors) {
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  }
});

test('an engine that stops during a build or a removal stops at once, and the next one removes the rest', async () => {
  const dropped = client.db('d').collection<Numbered>('dropped');
  await dropped.insertMany(Array.from({ length: SIZE }, (_, i) => ({ _id: i })));
  await many.createIndex({ tags: 1 });
  await halfBuilt();
  await dropped.drop();
  // A first array changes what is stored of the collection.
  await many.insertOne({ _id: SIZE, tags: [] });
  await stop();
  jest.restoreAllMocks();
  const left = await leftoversAfter(async () => {});
  expect(left).toHaveLength(3);
  expect((await verified()).problems).toEqual([]);
  expect(await leftoversAfter((catalog) => catalog.leftovers.clean())).toEqual([]);
  expect(await verified()).toMatchObject({ collections: 1, entries: 2 * (SIZE + 1), problems: [] });
});

/** Opens the folder without an engine, and gives the ids of which something is left. */
async function leftoversAfter(act: (catalog: Catalog) => Promise<void>): Promise<number[]> {
  const store = Store.open(path);
  const catalog = new Catalog(store);
  await act(catalog);
  store.refresh();
  const { ids } = catalog.leftovers;
  await store.close();
  return ids;
}

test('a kill during a build or a removal leaves no half of an index or a collection', async () => {
  await client
    .db('d')
    .collection('dropped')
    .insertMany(Array.from({ length: SIZE }, () => ({})));
  await stop();
  // The clock of this process makes all slices short, and stops in the middle.
  const script = `
    const { startEngine } = await import('${DIST}engine.js');
    const { runCommand } = await import('${DIST}commands/run-command.js');
    const { Store } = await import('${DIST}storage/store.js');
    const { Catalog } = await import('${DIST}storage/catalog.js');
    const store = Store.open(${JSON.stringify(path)});
    const engine = { store, catalog: new Catalog(store) };
    let now = 0;
    let looks = 0;
    performance.now = () => (looks++ < ${SIZE / 2} ? now : (now += 100));
    void runCommand(engine, { createIndexes: 'many', indexes: [{ key: { key: 1 }, name: 'key_1' }], $db: 'd' }, 1);
    await runCommand(engine, { drop: 'dropped', $db: 'd' }, 1);
    console.log('dropped');`;
  await kill(await startScript(script));
  expect((await verified()).problems).toEqual([]);
  expect(await leftoversAfter(async () => {})).not.toEqual([]);
  await start();
  expect(await indexNames()).toEqual(['_id_']);
  expect((await client.db('d').listCollections().toArray()).map(({ name }) => name)).toEqual(['many']);
  await many.createIndex({ key: 1 }, { unique: true });
  expect(await verified()).toMatchObject({ documents: SIZE, entries: 2 * SIZE, problems: [] });
  expect(await leftoversAfter((catalog) => catalog.leftovers.clean())).toEqual([]);
});
