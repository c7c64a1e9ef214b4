/** Stops what global-setup.mjs has started. */
export default async function globalTeardown() {
  await globalThis.stopTestDatabase?.();
}
