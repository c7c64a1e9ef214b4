import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clock of a process, which can be set while it runs. */
export interface Clock {
  /** The environment that the process must be started with. */
  settings: { NODE_OPTIONS: string; TEST_CLOCK_FILE: string };
  /**
   * Sets the clock.
   * @param offsetMillis how far it is ahead of the true time
   */
  set(offsetMillis: number): Promise<void>;
}

/** @param folder for the file with the offset */
export async function openClock(folder: string): Promise<Clock> {
  const file = path.join(folder, 'clock');
  const preload = fileURLToPath(new URL('./clock-preload.mjs', import.meta.url));
  const clock = {
    settings: { NODE_OPTIONS: `--import ${preload}`, TEST_CLOCK_FILE: file },
    set: async (offsetMillis: number) => {
      // In one step, so that the process never reads half of it.
      await writeFile(`${file}.new`, String(offsetMillis));
      await rename(`${file}.new`, file);
    },
  };
  await clock.set(0);
  return clock;
}
