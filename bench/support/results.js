import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const FILE = new URL('../results.json', import.meta.url);

const major = process.versions.node.split('.')[0];

/** The last results by the major version of Node.js. */
const readAll = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {});

/** The last results of this version of Node.js; undefined before the first ones. */
export const readResults = () => readAll()[major];

/** True for two results of the same measurement: a row may have got another yardstick since. */
export const isSame = (a, b) => a?.what === b.what && a.yardstick === b.yardstick;

/** The facts about the machine that change the results: the version of Node.js alone makes a factor of two. */
export const machine = () => ({
  node: process.version,
  cpu: cpus()[0].model.trim(),
  cores: cpus().length,
});

/**
 * Writes the results of this version of Node.js. Rows that were not measured now keep their old results.
 * @returns all results by the major version of Node.js
 */
export function writeResults(names, rows, rounds) {
  const measured = { date: new Date().toISOString().slice(0, 10), ...machine(), rounds };
  const known = readResults()?.rows ?? {};
  const merged = {};
  for (const name of names) {
    if (rows[name]) {
      merged[name] = { ...measured, ...rows[name] };
    } else if (known[name]) {
      merged[name] = known[name];
    }
  }
  const results = { ...readAll(), [major]: { ...measured, rows: merged } };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  return results;
}
