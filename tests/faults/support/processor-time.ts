/** Processor time in milliseconds of this process, including the app, during an act. Other processes add nothing. */
export async function processorMillis(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
