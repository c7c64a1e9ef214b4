import { parseArgs } from 'node:util';
import { ROWS } from './rows.js';

const USAGE = `usage: npm run bench -- [<row> ...] [--rounds 5] [--scale 1] [--quick] [--profile <folder>]
  --rounds  how often each row and its yardstick are measured
  --scale   the part of the million accounts that is used
  --quick   measures for a short time
  --profile where every gateway leaves a CPU profile, which slows it down
Results are written only without the last three.
rows: ${ROWS.join(' ')}`;

function fail(problem) {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '5' },
        scale: { type: 'string', default: '1' },
        quick: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    return fail(error.message);
  }
}

/** The rows of the command line, or all rows if it names none, and the options of the measurement. */
export function readOptions() {
  const { values, positionals } = parse();
  const options = { ...values, rounds: Number(values.rounds), scale: Number(values.scale) };
  const unknown = positionals.filter((name) => !ROWS.includes(name));
  if (unknown.length > 0) {
    fail(`there is no row ${unknown.join(', ')}`);
  }
  if (!(Number.isInteger(options.rounds) && options.rounds > 0)) {
    fail('--rounds must be a whole number');
  }
  if (!(options.scale > 0 && options.scale <= 1)) {
    fail('--scale must be above 0, and 1 at most');
  }
  return { names: positionals.length > 0 ? positionals : ROWS, options };
}
