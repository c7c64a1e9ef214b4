import type { Writable } from 'node:stream';
import { messageOf } from '../system/system-errors.ts';
import { forPerson } from './printable.ts';
import { UsageError } from './usage-error.ts';

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
