/*
 * npm run bench:guard [-- <row> ...]: measures again and compares the ratios with those in results.json. Fails where one
 * has lost more than 15 %. Ratios, because another machine, or the same one on another day, is as slow for the yardstick.
 */
import { readOptions } from './support/options.js';
import { readResults } from './support/results.js';
import { runRows } from './support/rows.js';

const MOST_LOSS = 0.15;

const { names, options } = readOptions();
const known = readResults()?.rows;
if (!known) {
  console.error('there is nothing to compare with: run `npm run bench` first');
  process.exit(1);
}
const { rows, failed } = await runRows(names, options);

/** Which part of its ratio a row has lost; below 0 where it has gained. */
function lossOf(name) {
  const [before, now] = [known[name].ratio.median, rows[name].ratio.median];
  return 'least' in rows[name].reach ? 1 - now / before : now / before - 1;
}

const compared = Object.keys(rows).filter((name) => known[name]);
for (const name of Object.keys(rows).filter((each) => !known[each])) {
  console.log(`${name} has no result yet`);
}
const lost = compared.filter((name) => lossOf(name) > MOST_LOSS);
console.table(
  compared.map((name) => ({
    row: name,
    before: known[name].ratio.median.toFixed(2),
    now: rows[name].ratio.median.toFixed(2),
    loss: `${(100 * lossOf(name)).toFixed(0)} %`,
    verdict: lossOf(name) > MOST_LOSS ? 'LOST' : 'kept',
  })),
);
if (failed.length > 0) {
  console.error(`could not be measured: ${failed.join(', ')}`);
}
if (failed.length + lost.length > 0) {
  process.exitCode = 1;
}
