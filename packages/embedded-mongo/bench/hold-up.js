// node bench/hold-up.js [documents]: how long other commands wait while an index is built over many documents or dropped,
// and while a collection is dropped. It prints and asserts nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

const SIZE = Number(process.argv[2] ?? 1_000_000);
/** A drop answers first and makes room later, so the others are watched for longer than the command takes. */
const AFTERMATH_MILLIS = 8_000;

const path = mkdtempSync(join(tmpdir(), 'hold-up-'));
const engine = await startEmbeddedMongo({ path });
const client = await new MongoClient(engine.uri).connect();
const database = client.db('bench');
const many = database.collection('many');
const other = database.collection('other');
await other.insertOne({ _id: 1, n: 0 });
for (let i = 0; i < SIZE; i += 1000) {
  const batch = Array.from({ length: 1000 }, (_, k) => ({
    _id: i + k,
    email: `user${i + k}@example.org`,
    n: k,
  }));
  await many.insertMany(batch, { ordered: false });
}

/** Runs a command, and other commands one after the other meanwhile. */
async function during(name, run) {
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
  await delay(AFTERMATH_MILLIS);
  isOver = true;
  await Promise.all(watched);
  const waits = Object.entries(longest).map(([kind, millis]) => `${kind} ${Math.round(millis)} ms`);
  const megabytes = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  console.log(
    `${name}: ${seconds.toFixed(1)} s; longest wait of others: ${waits.join(', ')}; ${megabytes} MB resident`,
  );
}

await during('nothing', () => {});
await during('createIndex', () => many.createIndex({ n: 1 }));
await during('createIndex, unique', () => many.createIndex({ email: 1 }, { unique: true }));
await during('dropIndexes', () => many.dropIndexes());
await during('drop', () => many.drop());
await client.close();
await engine.stop();
rmSync(path, { recursive: true });
