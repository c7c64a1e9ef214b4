/*
 * Measures one row in its own process, which makes the load, so that rows do not affect each other. support/rows.js starts it,
 * and receives the rounds and then the row.
 */
import { Connection } from './support/connection.js';
import { cpuMillis } from './support/server.js';
import { median, spread } from './support/statistics.js';
import { CPU, YARDSTICK_CPU } from './support/table.js';

const [name, json] = process.argv.slice(2);
const options = JSON.parse(json);
const { row } = await import(`./rows/${name}.js`);
/** A row whose rounds take minutes has few. */
const countOfRounds = Math.min(options.rounds, row.mostRounds ?? options.rounds);

/** Runs one side, and measures the CPU time of its processes for an answer. */
async function runSide(side, run, pids, cpu) {
  const [cpuBefore, answersBefore] = [pids && cpuMillis(pids), Connection.answers];
  const value = await run();
  if (pids) {
    cpu[side] ??= [];
    cpu[side].push((cpuMillis(pids) - cpuBefore) / (Connection.answers - answersBefore));
  }
  return value;
}

/** First the yardstick, then the gateway, and again, so that other load on the machine affects both alike. */
async function measure({ yardstick, value, others = {}, notes = {}, processes = {}, close }) {
  const sides = { yardstick, value };
  const rounds = { yardstick: [], value: [], ratio: [], cpu: {} };
  const other = Object.fromEntries(Object.keys(others).map((what) => [what, []]));
  try {
    // Code that runs for the first time is not compiled yet.
    if (row.isWarm !== false) {
      for (const run of [yardstick, value]) {
        await run();
      }
    }
    for (let round = 1; round <= countOfRounds; round += 1) {
      for (const [side, run] of Object.entries(sides)) {
        rounds[side].push(await runSide(side, run, processes[side], rounds.cpu));
      }
      rounds.ratio.push(rounds.value.at(-1) / rounds.yardstick.at(-1));
      for (const [what, run] of Object.entries(others)) {
        other[what].push(await run());
      }
      process.send({ round, value: rounds.value.at(-1), ratio: rounds.ratio.at(-1) });
    }
  } finally {
    await close();
  }
  const { value: ofGateway, yardstick: ofYardstick } = rounds.cpu;
  if (ofGateway) {
    other[CPU] = ofGateway;
  }
  if (ofYardstick) {
    other[YARDSTICK_CPU] = ofYardstick;
  }
  return { rounds, other, notes };
}

const isReached = (ratio, reach) => ('least' in reach ? ratio >= reach.least : ratio <= reach.most);

function summary({ rounds, other, notes }) {
  const { what, yardstick, unit, reach } = row;
  const ratio = spread(rounds.ratio);
  const medians = Object.fromEntries(Object.entries(other).map(([each, values]) => [each, median(values)]));
  return {
    what,
    yardstick,
    unit,
    value: spread(rounds.value),
    yardstickValue: spread(rounds.yardstick),
    ratio,
    ...(reach && { reach, reached: isReached(ratio.median, reach) }),
    rounds: countOfRounds,
    others: { ...medians, ...notes },
  };
}

const missing = await row.missing?.();
process.send(missing ? { missing } : { row: summary(await measure(await row.open(options))) });
process.disconnect();
