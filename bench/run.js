/*
 * npm run bench [-- <row> ...]: compares the gateway with yardsticks, prints a table, and writes results.json, results.svg and
 * the last section of README.md. bench/profiling.md has what was learned. It fails only if a row could not be measured; bench/guard.js fails
 * if a row is too slow.
 */
import { readOptions } from './support/options.js';
import { writeReport } from './support/report.js';
import { machine, writeResults } from './support/results.js';
import { ROWS, runRows } from './support/rows.js';
import { besidesOf, cellsOf } from './support/table.js';

const { names, options } = readOptions();
const { node, cpu, cores } = machine();
console.log(`Node.js ${node}, ${cpu}, ${cores} cores`);
const { rows, failed } = await runRows(names, options);

console.table(Object.values(rows).map(cellsOf));
for (const line of besidesOf(rows)) {
  console.log(line);
}
if (options.quick || options.scale < 1 || options.profile) {
  console.log('This was to try: no results were written.');
} else if (Object.keys(rows).length > 0) {
  writeReport(writeResults(ROWS, rows, options.rounds));
}
if (failed.length > 0) {
  console.error(`could not be measured: ${failed.join(', ')}`);
  process.exitCode = 1;
}
