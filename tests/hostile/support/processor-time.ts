/** Milliseconds of the processor that this process, the app within it, spends on an act; a busy machine adds none. */
export async function processorMillis(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
