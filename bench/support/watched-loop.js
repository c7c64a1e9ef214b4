import { fileURLToPath } from 'node:url';

const MONITOR = fileURLToPath(new URL('./loop-blocks.js', import.meta.url));

/**
 * Watches the event loop of one server.
 * @param port on which it answers questions about that
 * @returns the settings of the server, and the longest time for which its loop was held since the last question, in
 *   milliseconds of processor time
 */
export const watchLoop = (port) => ({
  settings: { NODE_OPTIONS: `--import=${MONITOR}`, LOOP_PORT: String(port) },
  longestBlock: async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text()),
});
