/**
 * Makes a call to the app in this process and limits the processor time that it takes. Other processes do not count, so the
 * load of the machine does not matter.
 * @param millis a hundred times what a harmless call takes, or more
 */
export async function busyBelow<T>(millis: number, act: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(millis);
  return result;
}
