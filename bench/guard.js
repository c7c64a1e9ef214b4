/*
 * npm run bench:guard [-- <row> ...]: measures again and compares the ratios with those in results.json. Fails if one is more
 * than 15 % worse. It compares ratios, because a slower machine is slower for the yardstick, too.
 */
import { readOptions } from './support/options.js';
import { isSame, readResults } from './support/results.js';
import { runRows } from './support/rows.js';

const MAX_LOSS = 0.15;

const { names, options } = readOptions();
const known = readResults()?.rows;
if (!known) {
  console.error(`there are no results of Node.js ${process.version}: run \`npm run bench\` first`);
  process.exit(1);
}
const { rows, failed } = await runRows(names, options);

/** The part of its ratio that a row has lost; below 0 if the row is better. */
function lossOf(name) {
  const [before, now] = [known[name].ratio.median, rows[name].ratio.median];
  return 'least' in rows[name].reach ? 1 - now / before : now / before - 1;
}

/** Rows without a target are figures, and some of them are only noise. */
const measured = Object.keys(rows).filter((name) => rows[name].reach);
const compared = measured.filter((name) => isSame(known[name], rows[name]));
for (const name of measured.filter((each) => !compared.includes(each))) {
  console.log(`${name} has no result yet`);
}
const lost = compared.filter((name) => lossOf(name) > MAX_LOSS);
console.table(
  compared.map((name) => ({
    row: name,
    before: known[name].ratio.median.toFixed(2),
    now: rows[name].ratio.median.toFixed(2),
    loss: `${(100 * lossOf(name)).toFixed(0)} %`,
    verdict: lossOf(name) > MAX_LOSS ? 'LOST' : 'kept',
  })),
);
if (failed.length > 0) {
  console.error(`could not be measured: ${failed.join(', ')}`);
}
if (failed.length + lost.length > 0) {
  process.exitCode = 1;
}
