import { copyFile, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../support/consumer.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DRIVER = 'mysql2';

const folder = temporaryFolder();
let program: string;
beforeAll(async () => {
  program = path.join(folder, 'dist/auth-gateway.js');
  await cp(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  await copyFile(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  await mkdir(path.join(folder, 'node_modules'));
  for (const name of await readdir(path.join(ROOT, 'node_modules'))) {
    if (![DRIVER, '@aws-sdk', '.cache'].includes(name)) {
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    }
  }
});

test('without the driver of the legacy database, a command says in one line what to install, and changes nothing', async () => {
  const settings = {
    DATA_DIR: path.join(folder, 'data'),
    STORAGE_DIR: path.join(folder, 'storage'),
    LEGACY_DATABASE_URL: 'mysql://move:secret@127.0.0.1:1/legacy',
  };
  const before = await readdir(folder);
  const { code, stdout, stderr } = await runProgram(program, ['legacy', 'import', '--yes'], settings);
  const { peerDependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const install = `npm install --no-save --save-prod --omit=dev mysql2@${peerDependencies[DRIVER]}`;
  expect(stderr).toBe(
    `auth-gateway legacy: The driver of the legacy database is not installed. Install it: ${install}\n`,
  );
  expect([code, stdout]).toEqual([2, '']);
  expect(await readdir(folder)).toEqual(before);
  // The tests run with what the message names.
  expect(devDependencies[DRIVER]).toBe(peerDependencies[DRIVER]);
});

test('without the credentials of Amazon, a command that needs a bucket says in one line what to install', async () => {
  const { code, stderr } = await runProgram(program, ['sweep', '--dry-run'], {
    MONGODB_URI: process.env.TEST_DATABASE_URI ?? '',
    DATA_DIR: path.join(folder, 'data'),
    STORAGE_DIR: path.join(folder, 'storage'),
    DOCUMENT_STORE: 's3',
    S3_BUCKET: 'documents',
    S3_ENDPOINT: 'http://127.0.0.1:1',
  });
  const name = '@aws-sdk/credential-provider-node';
  const { peerDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(stderr).toContain(
    `Install it: npm install --no-save --save-prod --omit=dev ${name}@${peerDependencies[name]}\n`,
  );
  expect(code).toBe(1);
});

test('the help needs no driver', async () => {
  const { code, stdout, stderr } = await runProgram(program, ['legacy', '--help'], {});
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('usage: auth-gateway legacy <command>');
});
