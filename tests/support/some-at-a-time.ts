const AT_A_TIME = 8;

/** Does something with each of many, a few at a time: all at once would have to wait for one another for too long. */
export async function someAtATime<T>(
  things: readonly T[],
  use: (thing: T) => Promise<unknown>,
): Promise<void> {
  const left = things.values();
  const worker = async () => {
    for (const thing of left) await use(thing);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
