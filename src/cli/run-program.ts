import type { Writable } from 'node:stream';
import { messageOf } from '../system/system-errors.ts';
import { UsageError } from './command-words.ts';
import { forPerson } from './print.ts';

/**
 * Runs a program of the operators, and prints its error.
 * @param name the npm script
 * @param isRefusal true for an error that came before anything was changed. A wrong command line always counts as one
 * @returns the exit code: 0 done, 1 failed, 2 refused
 */
export async function runProgram(
  name: string,
  stderr: Writable,
  run: () => Promise<void>,
  isRefusal: (error: unknown) => boolean = () => false,
): Promise<0 | 1 | 2> {
  try {
    await run();
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const hint = isUsage ? `See npm run ${name} -- --help\n` : '';
    // A message may quote the command line or a record, with characters that a terminal obeys.
    stderr.write(`${name}: ${forPerson(messageOf(error).split('\n'))}\n${hint}`);
    return isUsage || isRefusal(error) ? 2 : 1;
  }
}

/** One Ctrl-C under `npm run` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. The second ends the process, as if nobody handled it.
 * @returns a function that ends this
 */
export function stopOnSignals(stop: () => void): () => void {
  let stoppedAt: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      stop();
    } else if (signal !== 'SIGINT' || now - stoppedAt > ECHO_MILLIS) {
      end();
      process.kill(process.pid, signal);
    }
  };
  const end = () => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return end;
}
