import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

// The generator needs the JavaScript API of TypeScript 5, so the consumer is a project of its own, far from ours.
const INSTALL_TIMEOUT_MILLIS = 600_000;
const run = promisify(execFile);
const app = useTestApp();
const folder = temporaryFolder();

// TypeScript 5 can compile the consumer, too, but takes five times as long as ours.
const TSC = path.resolve('node_modules/typescript/bin/tsc');
const tsc = (...args: string[]) => run('node', [TSC, ...args], { cwd: folder });

beforeAll(async () => {
  await cp('tests/openapi/consumer', folder, { recursive: true });
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options], { cwd: folder });
  await run('node', ['generate.mjs', path.resolve('schema/openapi.yaml')], { cwd: folder });
}, INSTALL_TIMEOUT_MILLIS);

test('a client generated from the document registers, logs in, reads errors and logs out', async () => {
  await tsc();
  const { stdout } = await run('node', ['built/consumer.js', app.url], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    role: 'patient',
    status: 422,
    texts: ['The email has already been taken.'],
    message: 'Logged out',
    certification: expect.stringMatching(/\/storage\/certifications\//),
  });
});

test('the generated types refuse a missing field, an unknown path and a field that no answer has', async () => {
  const failure = await tsc('--project', 'tsconfig.mistaken.json').catch(
    (error: { stdout: string }) => error,
  );
  const lines = [...failure.stdout.matchAll(/^mistaken\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  expect(lines).toEqual([7, 8, 10]);
});
