import { type Environment, readConfig } from '../../config/config.ts';
import type { Outputs } from '../outputs.ts';
import { printAll } from '../print.ts';
import { runProgram } from '../run-program.ts';
import { type Request, readCommandLine } from './command-line.ts';
import type { Input } from './read-line.ts';

/**
 * Runs one command of an operator.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export function runAdmin(
  words: string[],
  environment: () => Environment,
  streams: Streams,
): Promise<0 | 1 | 2> {
  return runProgram('admin', streams.stderr, () => run(readCommandLine(words), environment, streams));
}

/** The standard streams, as a process has them. */
interface Streams extends Outputs {
  stdin: Input;
}

async function run(
  { task, lines, help, isJson, as }: Request,
  environment: () => Environment,
  { stdin, stdout, stderr }: Streams,
): Promise<void> {
  if (lines) {
    return printAll(lines, isJson, stdout);
  }
  if (!task) {
    stdout.write(help ?? '');
    return;
  }
  const config = readConfig(environment());
  // Loaded only here, so that the help does not wait for the driver of the database.
  const { openContext } = await import('./open-context.ts');
  const { context, close } = await openContext(config, { as, stdin, log: stderr });
  await printAll(task(context), isJson, stdout).finally(close);
}
