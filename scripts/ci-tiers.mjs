/**
 * Runs all tiers of the tests. The last line of its output is "N passed, N failed"; the exit code is 1 where anything
 * has failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runTiers, TIERS } from './tiers.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-reports-'));

async function run({ script }, file) {
  const reportFile = path.join(folder, 'report.json');
  await rm(reportFile, { force: true });
  const only = file ? ['--runTestsByPath', file] : [];
  const words = ['run', script, '--', '--ci', '--json', `--outputFile=${reportFile}`, ...only];
  const [code] = await once(spawn('npm', words, { stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
  const report = await readFile(reportFile, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  return { code, report };
}

const { passed, failed } = await runTiers(TIERS, run, say);
await rm(folder, { recursive: true });
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
