// npm run bench: the engine's speed with the driver, 32 operations at a time, and its memory with a million documents.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const LOAD = fileURLToPath(new URL('./load.js', import.meta.url));
/** Targets: operations a second, the latency of the slowest 1 % in milliseconds, and resident memory. */
const TARGETS = { 'findOne by unique key': 4000, 'insertOne, two indexes': 3000, 'updateOne by key': 3000 };
const TARGET_P99 = 30;
const TARGET_MEGABYTES = 400;

/** Runs one measurement in a process and a folder of its own. */
async function run(size) {
  const path = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [LOAD, path, String(size)]);
    return JSON.parse(stdout);
  } finally {
    rmSync(path, { recursive: true });
  }
}

const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const whole = (number) => Math.round(number).toLocaleString('en');

const [speed, thousand, million] = [await run(0), await run(1000), await run(1_000_000)];
row('operation', 'per second', 'p50 ms', 'p99 ms', 'target');
row('---', '--:', '--:', '--:', '---');
for (const [name, { rate, p50, p99 }] of Object.entries({
  ...speed.results,
  ...thousand.results,
  ...million.results,
})) {
  const target = TARGETS[name];
  const verdict = target
    ? `>= ${whole(target)}, p99 < ${TARGET_P99}: ${rate >= target && p99 < TARGET_P99 ? 'reached' : 'missed'}`
    : '';
  row(name, whole(rate), p50.toFixed(1), p99.toFixed(1), verdict);
}
const ratio = thousand.results['findOne among 1000'].rate / million.results['findOne among 1000000'].rate;
console.log(
  `\nlook-up by unique key, 1,000 against 1,000,000 documents: ${ratio.toFixed(2)} times the rate (target: within 2)`,
);
console.log(
  `1,000,000 documents: loaded at ${whole(million.loadRate)} a second, ${whole(million.loadPeak)} MB resident at most (target: ${TARGET_MEGABYTES})`,
);
console.log(
  `start: ${whole(speed.startMilliseconds)} ms, ${whole(speed.idleMegabytes)} MB resident with the driver loaded`,
);
