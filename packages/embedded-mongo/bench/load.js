// Measures the engine and the driver together, and their memory. It runs in a process of its own.
import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

const CONCURRENCY = 32;

/** The highest resident memory of this process so far, in MB. Outside Linux, the present one. */
function peakMegabytes() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  } catch {
    return process.memoryUsage.rss() / 1024 / 1024;
  }
}

/** Runs an operation `count` times, 32 at a time. Gives operations a second and latencies in milliseconds. */
async function measure(count, operation) {
  const latencies = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < count) {
        const i = next++;
        const before = performance.now();
        await operation(i);
        latencies.push(performance.now() - before);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (part) => latencies[Math.floor(latencies.length * part)];
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99) };
}

const client = async (uri, options = {}) =>
  new MongoClient(uri, { maxPoolSize: CONCURRENCY, ...options }).connect();

/** The three operations of the targets, on documents with two indexes besides _id. */
async function speed(uri) {
  const document = (i) => ({
    _id: `id${i}`,
    email: `user${i}@example.org`,
    account: `account ${i % 1000}`,
    name: `Name of user ${i}`,
    createdAt: new Date(),
    n: i,
  });
  const connection = await client(uri);
  const users = connection.db('bench').collection('users');
  const journaled = connection.db('bench').collection('users', { writeConcern: { w: 'majority', j: true } });
  await users.createIndex({ email: 1 }, { unique: true });
  await users.createIndex({ account: 1 });
  await users.insertMany(Array.from({ length: 1000 }, (_, i) => document(i)));
  const email = () => `user${Math.floor(Math.random() * 1000)}@example.org`;
  const findOne = () => users.findOne({ email: email() });
  await measure(10_000, findOne);
  const results = {
    'findOne by unique key': await measure(20_000, findOne),
    'insertOne, two indexes': await measure(20_000, (i) => users.insertOne(document(1000 + i))),
    'insertOne, journaled': await measure(20_000, (i) => journaled.insertOne(document(21_000 + i))),
    'updateOne by key': await measure(20_000, () =>
      users.updateOne({ email: email() }, { $set: { n: Math.random() } }),
    ),
  };
  await connection.close();
  return { results };
}

/** Loading, memory and look-ups of many small documents with one unique index besides _id. */
async function volume(uri, size) {
  const connection = await client(uri);
  const users = connection.db('bench').collection('users');
  await users.createIndex({ email: 1 }, { unique: true });
  const started = performance.now();
  for (let i = 0; i < size; i += 1000) {
    const batch = Array.from({ length: 1000 }, (_, k) => ({
      _id: `id${i + k}`,
      email: `user${i + k}@example.org`,
      n: i + k,
    }));
    await users.insertMany(batch, { ordered: false });
  }
  const loadRate = size / ((performance.now() - started) / 1000);
  const loadPeak = peakMegabytes();
  const findOne = () => users.findOne({ email: `user${Math.floor(Math.random() * size)}@example.org` });
  await measure(10_000, findOne);
  const results = { [`findOne among ${size}`]: await measure(20_000, findOne) };
  await connection.close();
  return { loadRate, loadPeak, results };
}

const [path, size] = [process.argv[2], Number(process.argv[3])];
const started = performance.now();
const engine = await startEmbeddedMongo({ path });
const startMilliseconds = performance.now() - started;
const idleMegabytes = process.memoryUsage.rss() / 1024 / 1024;
const figures = size ? await volume(engine.uri, size) : await speed(engine.uri);
console.log(JSON.stringify({ startMilliseconds, idleMegabytes, ...figures }));
await engine.stop();
