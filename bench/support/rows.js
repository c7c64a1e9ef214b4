import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROW_PROCESS = fileURLToPath(new URL('../row-process.js', import.meta.url));

/** The files in bench/rows, in the order of the table. */
export const ROWS = [
  'login',
  'login-burst',
  'me',
  'introspection',
  'forward-auth',
  'logout',
  'registration',
  'me-beside-logins',
  'mixed-work',
  'large-accounts',
  'cold-start',
  'cold-start-embedded',
  'memory',
  'memory-at-rest',
  'legacy-import',
];

/** Measures one row; undefined if that failed. Its process has printed the reason. */
async function runRow(name, options) {
  const env = { ...process.env, BENCH_PROFILE: options.profile ?? '' };
  const child = fork(ROW_PROCESS, [name, JSON.stringify(options)], { env });
  let result;
  child.on('message', ({ round, value, ratio, ...rest }) => {
    if (round === undefined) {
      result = rest;
    } else {
      console.error(`${name}, round ${round}: ${value.toPrecision(4)}, ${ratio.toFixed(3)} of the yardstick`);
    }
  });
  const [code] = await once(child, 'exit');
  return code === 0 ? result : undefined;
}

/**
 * Measures rows one after another.
 * @returns the results by name, and the names of the rows that failed
 */
export async function runRows(names, options) {
  const rows = {};
  const failed = [];
  for (const name of names) {
    const result = await runRow(name, options);
    if (result?.row) {
      rows[name] = result.row;
    } else if (result?.missing) {
      console.error(`${name} is left out: ${result.missing}`);
    } else {
      failed.push(name);
    }
  }
  return { rows, failed };
}
