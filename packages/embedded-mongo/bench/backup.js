import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

/*
 * Measures how long a backup holds up writes. It fills a database, and then writes one document after the other: first alone,
 * then while backups are written.
 *   node bench/backup.js [--mebibytes 1024] [--backups 3] [--folder FOLDER]
 */
const { values } = parseArgs({
  options: {
    mebibytes: { type: 'string', default: '1024' },
    backups: { type: 'string', default: '3' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const MEBIBYTE = 1024 * 1024;

async function fill(collection, file, bytes) {
  for (let id = 0; (await stat(file)).size < bytes; ) {
    const batch = Array.from({ length: 5000 }, () => aDocument(id++));
    await collection.insertMany(batch);
  }
}

const aDocument = (_id) => ({
  _id: String(_id),
  email: `person-${(_id * 7919) % 1e9}@example.org`,
  text: 'x'.repeat(1000),
  at: new Date(),
});

/** Writes until `until` settles. Gives the duration of each write, in milliseconds. */
async function writeUntil(collection, until) {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  const millis = [];
  while (!isOver) {
    const startedAt = performance.now();
    await collection.insertOne({ at: new Date() }, { writeConcern: { w: 'majority', j: true } });
    millis.push(performance.now() - startedAt);
  }
  return millis;
}

function report(name, millis) {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  const long = millis.filter((each) => each > 50).length;
  console.log(
    `${name} ${millis.length} writes, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${sorted.at(-1).toFixed(1)} ms, ${long} over 50 ms`,
  );
}

const folder = await mkdtemp(join(values.folder, 'embedded-mongo-backup-'));
const path = join(folder, 'data');
const engine = await startEmbeddedMongo({ path });
const client = await new MongoClient(engine.uri).connect();
try {
  const collection = client.db('bench').collection('people');
  await collection.createIndex({ email: 1 }, { unique: true });
  await fill(collection, join(path, 'data.mdb'), Number(values.mebibytes) * MEBIBYTE);
  const written = client.db('bench').collection('written');
  report('alone ', await writeUntil(written, new Promise((resolve) => setTimeout(resolve, 10_000))));
  for (let i = 0; i < Number(values.backups); i++) {
    const target = join(folder, 'backup');
    const startedAt = performance.now();
    const backup = engine.backup(target);
    const millis = await writeUntil(written, backup);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { bytes } = await backup;
    report('backup', millis);
    console.log(`       ${(bytes / MEBIBYTE).toFixed(0)} MiB in ${seconds} s`);
    await rm(target, { recursive: true });
  }
} finally {
  await client.close();
  await engine.stop();
  await rm(folder, { recursive: true });
}
