import { readFile, rm } from 'node:fs/promises';

/** Prints the number of retries, stops the database of global-setup.mjs, and removes its files. */
export default async function globalTeardown() {
  const { TEST_RETRIES_FILE: retriesFile, TEST_OPENAPI_FILE: openApiFile } = process.env;
  const retries = (await readFile(retriesFile, 'utf8')).split('\n').length - 1;
  if (retries > 0) {
    process.stdout.write(`Retries in this run: ${retries}\n`);
  }
  await globalThis.stopTestDatabase?.();
  for (const file of [retriesFile, openApiFile]) {
    await rm(file, { force: true });
  }
}
