/*
 * Measures one row in a process of its own, which makes the load: no row warms or dirties another. Started by
 * support/rows.js, to which it tells its rounds and then the row.
 */
import { median, spread } from './support/statistics.js';

const [name, json] = process.argv.slice(2);
const options = JSON.parse(json);
const { row } = await import(`./rows/${name}.js`);

/** The yardstick first, then the gateway, and again: whatever else the machine does falls upon both alike. */
async function measure({ yardstick, value, others = {}, notes = {}, close }) {
  const rounds = { yardstick: [], value: [], ratio: [] };
  const other = Object.fromEntries(Object.keys(others).map((what) => [what, []]));
  try {
    // What runs for the first time is not compiled yet.
    if (row.isWarm !== false) for (const run of [yardstick, value]) await run();
    for (let round = 1; round <= options.rounds; round += 1) {
      rounds.yardstick.push(await yardstick());
      rounds.value.push(await value());
      rounds.ratio.push(rounds.value.at(-1) / rounds.yardstick.at(-1));
      for (const [what, run] of Object.entries(others)) other[what].push(await run());
      process.send({ round, value: rounds.value.at(-1), ratio: rounds.ratio.at(-1) });
    }
  } finally {
    await close();
  }
  return { rounds, other, notes };
}

function summary({ rounds, other, notes }) {
  const { what, yardstick, unit, reach } = row;
  const ratio = spread(rounds.ratio);
  const reached = 'least' in reach ? ratio.median >= reach.least : ratio.median <= reach.most;
  const medians = Object.fromEntries(Object.entries(other).map(([each, values]) => [each, median(values)]));
  return {
    what,
    yardstick,
    unit,
    value: spread(rounds.value),
    yardstickValue: spread(rounds.yardstick),
    ratio,
    reach,
    reached,
    others: { ...medians, ...notes },
  };
}

const missing = row.missing?.();
process.send(missing ? { missing } : { row: summary(await measure(await row.open(options))) });
process.disconnect();
