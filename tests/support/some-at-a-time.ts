const AT_A_TIME = 8;

/** Uses many items, a few at a time: all at once would wait too long for each other. */
export async function someAtATime<T>(
  things: readonly T[],
  use: (thing: T) => Promise<unknown>,
): Promise<void> {
  const left = things.values();
  const worker = async () => {
    for (const thing of left) {
      await use(thing);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
