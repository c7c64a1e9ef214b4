import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const FILE = new URL('../results.json', import.meta.url);

/** The results of the last run; undefined before the first one. */
export const readResults = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined);

/** The facts about the machine that change the results: the version of Node.js alone makes a factor of two. */
export const machine = () => ({
  node: process.version,
  cpu: cpus()[0].model.trim(),
  cores: cpus().length,
});

/** Writes the results. Rows that were not measured now keep their old results. */
export function writeResults(names, rows, rounds) {
  const measured = { date: new Date().toISOString().slice(0, 10), ...machine(), rounds };
  const known = readResults()?.rows ?? {};
  const merged = {};
  for (const name of names) {
    if (rows[name]) {
      merged[name] = { ...rows[name], ...measured };
    } else if (known[name]) {
      merged[name] = known[name];
    }
  }
  const results = { ...measured, rows: merged };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  return results;
}
