/** A wait, and no work. Far more than any takes, so that a machine that stands still for seconds is forgiven. */
const WAIT_MILLIS = 15_000;

/**
 * Does something that the app is asked in this process, and says that the process was busy with it for less than so long.
 * What counts is the work, by the clock of the processor: that of the wall goes on while a slow machine lets the process wait.
 */
export async function busyBelow<T>(millis: number, act: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(millis);
  expect(performance.now() - startedAt).toBeLessThan(WAIT_MILLIS);
  return result;
}
