// node bench/hold-up.js [documents] [part of a name]: how long other commands wait
// beside commands that read, write, index or drop many documents. It prints and asserts nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

const SIZE = Number(process.argv[2] ?? 1_000_000);
const WANTED = process.argv[3] ?? '';
/** A drop answers first and makes room later, so the others are watched for longer than the command takes. */
const AFTERMATH_MILLIS = 3_000;
/** The commands that run at the same time, where several do. */
const AT_ONCE = 10;

const path = mkdtempSync(join(tmpdir(), 'hold-up-'));
const engine = await startEmbeddedMongo({ path });
// To open a connection takes several turns of the engine's loop, so all are open before the first measurement.
const client = await new MongoClient(engine.uri, { minPoolSize: 2 * AT_ONCE }).connect();
const database = client.db('bench');
const many = database.collection('many');
const other = database.collection('other');
await other.insertOne({ _id: 1, n: 0 });
const made = (i) => ({ _id: i, email: `user${i}@example.org`, n: i % 1000, half: i % 2, at: new Date(i) });
for (let i = 0; i < SIZE; i += 1000) {
  await many.insertMany(
    Array.from({ length: 1000 }, (_, k) => made(i + k)),
    { ordered: false },
  );
}

/** Runs a command, and other commands one after the other meanwhile. */
async function during(name, run, aftermathMillis = 0) {
  if (!name.includes(WANTED)) {
    return;
  }
  const longest = { ping: 0, findOne: 0, updateOne: 0 };
  const others = {
    ping: () => database.command({ ping: 1 }),
    findOne: () => other.findOne({ _id: 1 }),
    updateOne: () => other.updateOne({ _id: 1 }, { $inc: { n: 1 } }),
  };
  let isOver = false;
  const watched = Object.entries(others).map(async ([kind, act]) => {
    while (!isOver) {
      const before = performance.now();
      await act();
      longest[kind] = Math.max(longest[kind], performance.now() - before);
      await delay(1);
    }
  });
  const started = performance.now();
  await run();
  const seconds = (performance.now() - started) / 1000;
  await delay(aftermathMillis);
  isOver = true;
  await Promise.all(watched);
  const waits = Object.entries(longest).map(([kind, millis]) => `${kind} ${Math.round(millis)} ms`);
  const megabytes = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  console.log(
    `${name}: ${seconds.toFixed(1)} s; longest wait of others: ${waits.join(', ')}; ${megabytes} MB resident`,
  );
}

const atOnce = (run) => () => Promise.all(Array.from({ length: AT_ONCE }, run));
/** As many as a part of the collection has. */
const PART = Math.min(SIZE, 60_000);

await during('nothing', () => delay(2_000));
await during('find that matches nothing', () => many.findOne({ n: -1 }));
await during(
  `find that matches nothing, ${AT_ONCE} at once`,
  atOnce(() => many.findOne({ n: -1 })),
);
await during('find, sorted without an index, of 10', () =>
  many.find().sort({ email: -1 }).limit(10).toArray(),
);
await during('find, sorted without an index, of all', async () => {
  const cursor = many.find({ _id: { $lt: 10 * PART } }, { batchSize: 1 }).sort({ n: -1 });
  await cursor.next();
  await cursor.close();
});
await during('count', () => many.countDocuments({ half: 1 }));
await during('count command', () => database.command({ count: 'many', query: { half: 1 } }));
await during('distinct', () => many.distinct('n'));
await during('updateOne that matches nothing', () => many.updateOne({ n: -1 }, { $set: { n: -1 } }));
await during('updateOne by a wide range', () =>
  many.updateOne({ _id: { $gte: 0 }, n: -1 }, { $set: { n: 1 } }),
);
await during('updateMany', () => many.updateMany({ _id: { $lt: PART } }, { $inc: { n: 1 } }));
await during(
  `updateMany, ${AT_ONCE} at once`,
  atOnce((_, i) => many.updateMany({ _id: { $gte: i * 1000, $lt: (i + 1) * 1000 } }, { $inc: { n: 1 } })),
);
await during('createIndex', () => many.createIndex({ n: 1 }), AFTERMATH_MILLIS);
await during('createIndex, unique', () => many.createIndex({ email: 1 }, { unique: true }), AFTERMATH_MILLIS);
await during('deleteMany', () => many.deleteMany({ _id: { $lt: PART } }));
await during('insertMany', () => many.insertMany(Array.from({ length: PART }, (_, i) => made(i))));
await during('dropIndexes', () => many.dropIndexes(), AFTERMATH_MILLIS);
await during('drop', () => many.drop(), AFTERMATH_MILLIS);
await client.close();
await engine.stop();
rmSync(path, { recursive: true });
