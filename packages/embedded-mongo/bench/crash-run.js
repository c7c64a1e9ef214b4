import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

const CHILD = fileURLToPath(new URL('./crash-child.js', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/**
 * Kills a writing process again and again. After each restart it checks that every acknowledged write exists, that no
 * unique index is violated, and that index entries and documents agree.
 *
 * In every second round LMDB opens what it had flushed to disk, not what it had committed, as after a power cut. Those
 * rounds write with { w: 'majority', j: true }, the others with { w: 1 }.
 */
export async function runCrashTest({ path, kills, onRound = () => {} }) {
  const documents = new Map();
  const summary = { kills: 0, acknowledged: 0, lost: 0, problems: [] };
  for (let round = 1; round <= kills; round++) {
    const isPowerCut = round % 2 === 0;
    summary.acknowledged += await writeUntilKilled(path, round, isPowerCut, documents);
    summary.kills++;
    await verify(path, isPowerCut, summary);
    summary.lost += await countLost(path, documents, summary);
    onRound(round, summary);
  }
  return summary;
}

/**
 * Runs the child, kills it at a random moment after its first write, and records its output. Gives the number of
 * acknowledged writes.
 */
async function writeUntilKilled(path, round, isPowerCut, documents) {
  const child = spawn(process.execPath, [CHILD, path, String(round), isPowerCut ? 'journaled' : 'default'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind, id, version] = line.split(' ');
    if (kind === 'try') {
      documents.set(id, { ...documents.get(id), pending: Number(version) });
    }
    if (kind === 'done') {
      if (acknowledged === 0) {
        setTimeout(() => child.kill('SIGKILL'), 50 + Math.random() * 450);
      }
      documents.set(id, { acknowledged: Number(version) });
      acknowledged++;
    }
  }
  await exited;
  if (acknowledged === 0) {
    throw new Error('the child ended before it wrote anything');
  }
  return acknowledged;
}

async function verify(path, isPowerCut, summary) {
  const env = { ...process.env, ...(isPowerCut && { LMDB_RESTORE: 'safe' }) };
  try {
    await promisify(execFile)(process.execPath, [CLI, 'verify', '--path', path], { env });
  } catch (error) {
    summary.problems.push(error.stdout || error.message);
  }
}

/** Each stored version must be the last acknowledged one, or the one that was being written when the process died. */
async function countLost(path, documents, summary) {
  const engine = await startEmbeddedMongo({ path });
  const client = await new MongoClient(engine.uri).connect();
  const stored = new Map();
  for await (const { _id, version } of client.db('crash').collection('documents').find()) {
    stored.set(_id, version);
  }
  await client.close();
  await engine.stop();
  let lost = 0;
  for (const [id, { acknowledged = 0, pending }] of documents) {
    const found = stored.get(id) ?? 0;
    if (found !== acknowledged && found !== pending) {
      lost++;
      summary.problems.push(
        `${id}: version ${found} stored, ${acknowledged} acknowledged, ${pending} pending`,
      );
    }
    documents.set(id, { acknowledged: found });
    stored.delete(id);
  }
  for (const id of stored.keys()) {
    summary.problems.push(`${id}: stored, but never written`);
  }
  return lost;
}
