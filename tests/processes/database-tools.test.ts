import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { runCommandLine } from '@auth-gateway/embedded-mongo/tools';
import { openDatabase } from '../support/database.ts';
import { collectOutputs, runProgram } from '../support/program.ts';

let folder: string;
const inFolder = (name: string) => path.join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-tools-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `npm run db:<command>`. No setting but DATA_DIR is valid. */
const db = (command: string, dataDir: string, ...words: string[]) =>
  runProgram('auth-gateway.js', ['db', command, ...words], {
    DATA_DIR: dataDir,
    PORT: 'none',
    NODE_ENV: 'production',
  });

test('the data folder of DATA_DIR is backed up beside its engine, and restored', async () => {
  const engine = await startEmbeddedMongo({ path: inFolder('data') });
  const database = await openDatabase(engine.uri, 'auth_gateway');
  await database.db.collection('notes').insertOne({ text: 'kept' });
  const backup = await db('backup', inFolder('data'), '--out', inFolder('backup'));
  expect(backup).toMatchObject({ code: 0, stderr: '' });
  expect(backup.stdout).toContain(`${inFolder('backup')}: 1 collections, 1 documents`);
  await database.db.collection('notes').insertOne({ text: 'too late' });
  const early = await db('restore', inFolder('data'), '--from', inFolder('backup'), '--replace');
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by process') });
  const settings = { DATA_DIR: inFolder('data'), STORAGE_DIR: inFolder('storage'), PORT: '0' };
  const second = await runProgram('auth-gateway.js', ['start'], settings);
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('use another folder (DATA_DIR).\n'),
  });
  await database.close();
  await engine.stop();

  const unasked = await db('restore', inFolder('data'), '--from', inFolder('backup'));
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  const restored = await db('restore', inFolder('data'), '--from', inFolder('backup'), '--replace');
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  const former = (await readdir(inFolder('data'))).find((name) => name.startsWith('replaced-')) ?? '';
  expect(restored.stdout).toContain(`The former database is in ${path.join(folder, 'data', former)}.`);
  expect((await db('verify', inFolder('data'))).stdout).toMatch(
    /^1 collections, 1 documents, .* 0 problems\n$/,
  );
  const formerly = await db('verify', inFolder('data'), '--path', path.join(folder, 'data', former));
  expect(formerly.stdout).toContain('2 documents');
});

test('an export is imported into another folder', async () => {
  const engine = await startEmbeddedMongo({ path: inFolder('source') });
  const database = await openDatabase(engine.uri, 'auth_gateway');
  await database.db.collection('notes').insertOne({ text: 'kept' });
  await database.close();
  await engine.stop();
  await db('export', inFolder('source'), '--out', inFolder('export'));
  const imported = await db('import', inFolder('target'), '--from', inFolder('export'));
  expect(imported).toMatchObject({
    code: 0,
    stdout: `${inFolder('target')}: 1 collections, 1 documents\n`,
  });
  const again = await db('import', inFolder('target'), '--from', inFolder('export'));
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('auth_gateway.notes already');
});

test('a database in memory has no folder for other programs, unless one is named', async () => {
  const refused = await db('verify', ':memory:');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('DATA_DIR is :memory:, so only the gateway itself has its data.');
  const named = await db('verify', ':memory:', '--path', inFolder('nothing'));
  expect(named.stderr).toBe(`There is no embedded database in ${inFolder('nothing')}.\n`);
});

test.each([
  ['without --out', ['backup'], 'This command needs --out FOLDER.'],
  ['without --from', ['restore'], 'This command needs --from FOLDER.'],
  ['with the option of another one', ['verify', '--replace'], 'The command verify has no option --replace.'],
  ['with an unknown option', ['backup', '--to', 'x'], "Unknown option '--to'.\n"],
  ['that does not exist', ['erase'], 'There is no command erase.'],
  ['with a port that is none', ['serve', '--port', 'x'], '--port must be a number from 0 to 65535.'],
])('a command %s ends with 2', async (_, words, problem) => {
  const usage = 'auth-gateway db COMMAND [options]';
  const defaults = { usage, defaultPath: () => inFolder('unused'), defaultPathName: 'DATA_DIR' };
  const { code, stderr } = await collectOutputs((outputs) =>
    runCommandLine(words, { ...defaults, ...outputs }),
  );
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toContain(`usage: ${usage}`);
  expect(await readdir(folder)).not.toContain('unused');
});
