const MAX_ATTEMPTS = 10;

/**
 * Reads and writes again if another change was faster: whoever changes a record again and again must not keep others from it.
 * @param attempt reads the record, and writes it if it is still as it was read; undefined if it is not
 * @returns undefined if all attempts were overtaken
 */
export async function againIfOvertaken<T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  let done: T | undefined;
  for (let attempts = 0; done === undefined && attempts < MAX_ATTEMPTS; attempts += 1) {
    done = await attempt();
  }
  return done;
}
