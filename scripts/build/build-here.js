import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './incremental.js';
import { chooseTargets } from './targets.js';

export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../..');

/** Builds targets of this project, all of them if none is named. If it fails, the process ends. */
export async function buildHere(names) {
  const say = (line) => process.stderr.write(`${line}\n`);
  if (!(await build(ROOT, chooseTargets(names), say))) {
    process.exit(1);
  }
}
