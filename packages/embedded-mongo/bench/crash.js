// npm run bench:crash [-- <kills>]: kills a writing process, and looks for its acknowledged writes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCrashTest } from './crash-run.js';

const kills = Number(process.argv[2] ?? 50);
const path = mkdtempSync(join(tmpdir(), 'crash-'));
const { acknowledged, lost, problems } = await runCrashTest({
  path,
  kills,
  onRound: (round, summary) =>
    process.stdout.write(
      `\r${round}/${kills} kills, ${summary.acknowledged} writes acknowledged, ${summary.lost} lost, ${summary.problems.length} problems`,
    ),
});
for (const problem of problems) {
  console.log(`\n${problem}`);
}
console.log(
  `\n${kills} kills, ${acknowledged} acknowledged writes, ${lost} lost, ${problems.length} problems`,
);
rmSync(path, { recursive: true });
if (lost > 0 || problems.length > 0) {
  process.exitCode = 1;
}
