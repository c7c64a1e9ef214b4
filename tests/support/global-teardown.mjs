import { readFileSync, rmSync } from 'node:fs';

/** Prints how many retries there were, and stops what global-setup.mjs has started. */
export default async function globalTeardown() {
  const file = process.env.TEST_RETRIES_FILE ?? '';
  const retries = readFileSync(file, 'utf8').split('\n').length - 1;
  if (retries > 0) process.stdout.write(`Retries in this run: ${retries}\n`);
  rmSync(file);
  await globalThis.stopTestDatabase?.();
}
