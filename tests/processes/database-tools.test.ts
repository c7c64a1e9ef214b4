import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { runCommandLine } from '@auth-gateway/embedded-mongo/tools';
import { openDatabase } from '../support/database.ts';
import { collectOutputs, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const inFolder = (name: string) => path.join(folder, name);
/** Runs `npm run db:<command>`. No setting but DATA_DIR is valid. */
const db = (command: string, dataDir: string, ...words: string[]) =>
  runProgram('auth-gateway.js', ['db', command, ...words], {
    DATA_DIR: dataDir,
    PORT: 'none',
    NODE_ENV: 'production',
  });

test('an export is imported into another folder, and a backup replaces that only if asked to', async () => {
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
  const from = ['--from', inFolder('backup')];
  const backup = await db('backup', inFolder('target'), '--out', inFolder('backup'));
  expect(backup.stdout).toContain(`${inFolder('backup')}: 1 collections, 1 documents`);
  const unasked = await db('restore', inFolder('target'), ...from);
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  const { stdout } = await db('restore', inFolder('target'), ...from, '--replace');
  const former = (await readdir(inFolder('target'))).find((name) => name.startsWith('replaced-'));
  expect(stdout).toContain(`The former database is in ${inFolder('target')}/${former}.`);
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
