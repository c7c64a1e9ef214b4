import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { openDataFolder, PARTIAL_MARK, restoreBackup } from '@auth-gateway/embedded-mongo/tools';
import { openDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { EMBEDDED_MONGO } from '../support/gateway-process.ts';

const execute = promisify(execFile);
const MEBIBYTE = 1024 * 1024;

let folder: string;
const inFolder = (name: string) => path.join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-backups-'));
});
afterEach(() => rm(folder, { recursive: true }));

const tool = (...words: string[]) => execute(process.execPath, [EMBEDDED_MONGO, ...words]);
const names = async () => (await readdir(folder)).sort();
const partials = async () => (await names()).filter((name) => name.includes(PARTIAL_MARK));

/** Makes a database with documents of 1 MiB, so that a copy of it takes some time. */
async function fill(dataDir: string, mebibytes: number): Promise<void> {
  const engine = await startEmbeddedMongo({ path: dataDir });
  const database = await openDatabase(engine.uri, 'd');
  for (let i = 0; i < mebibytes; i++) {
    await database.db.collection('c').insertOne({ text: 'x'.repeat(MEBIBYTE) });
  }
  await database.close();
  await engine.stop();
}

/** Starts a command of the engine, and kills it after a time, unless it has ended. */
async function killed(millis: number, ...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [EMBEDDED_MONGO, ...words], { stdio: 'ignore' });
  const ended = once(child, 'close');
  await Promise.race([ended, delay(millis)]);
  child.kill('SIGKILL');
  await ended;
}

async function documentsIn(dataDir: string): Promise<number> {
  const data = openDataFolder(dataDir);
  const { documents, problems } = data.verify();
  await data.close();
  expect(problems).toEqual([]);
  return documents;
}

test('a killed backup is never taken for one', async () => {
  await fill(inFolder('data'), 32);
  for (const millis of [100, 200, 300, 400, 600]) {
    await killed(millis, 'backup', '--path', inFolder('data'), '--out', inFolder('backup'));
    // Its process ends a moment after the one that has started it.
    await delay(1000);
    await eventually(async () => expect(await partials()).toEqual([]));
    if ((await names()).includes('backup')) {
      await restoreBackup(inFolder('restored'), inFolder('backup'), { replace: true });
      await rm(inFolder('backup'), { recursive: true });
    }
  }
});

test('a process for a backup makes none if the one that has started it is gone at once', async () => {
  await fill(inFolder('data'), 1);
  const program = path.join(path.dirname(EMBEDDED_MONGO), 'tools/backup/backup-process.js');
  const started = fork(program, [inFolder('data'), inFolder('backup')]);
  const ended = once(started, 'exit');
  started.disconnect();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await names()).toEqual(['data']);
});

test('a killed restore leaves the former database or the new one, and the next one works', async () => {
  await fill(inFolder('backed-up'), 16);
  await tool('backup', '--path', inFolder('backed-up'), '--out', inFolder('backup'));
  await fill(inFolder('data'), 1);
  const words = ['restore', '--path', inFolder('data'), '--from', inFolder('backup'), '--replace'];
  for (const millis of [100, 150, 200, 250, 300, 400, 600]) {
    await killed(millis, ...words);
    expect([1, 16]).toContain(await documentsIn(inFolder('data')));
  }
  await tool(...words);
  expect(await documentsIn(inFolder('data'))).toBe(16);
  expect(await readdir(inFolder('data'))).not.toContain('.embedded-mongo-staging');
});
