import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { CommonPasswords } from '../../src/auth/passwords/common-passwords.ts';

/** How long this thread was busy while an act ran, in milliseconds. */
async function busyMillis(act: () => unknown): Promise<number> {
  const before = performance.eventLoopUtilization();
  await act();
  // The figure is brought up to date between two turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return performance.eventLoopUtilization(before).active;
}

test('the list of common passwords is loaded beside the event loop', async () => {
  const common = new CommonPasswords(8);
  await new Promise((resolve) => setImmediate(resolve));
  const beside = await busyMillis(async () => expect(await common.include('trustno1')).toBe(true));
  const here = await busyMillis(() => createRequire(import.meta.url)('@zxcvbn-ts/language-common'));
  // Usually a third. A machine that is slow is so for both.
  expect(beside).toBeLessThan(here);
  expect(beside).toBeLessThan(50);
});
