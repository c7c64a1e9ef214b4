import { rm } from 'node:fs/promises';

/** Stops what global-setup.mjs has started, and removes what it has written. */
export default async function globalTeardown() {
  await globalThis.stopTestDatabase?.();
  await rm(process.env.TEST_OPENAPI_FILE, { force: true });
}
