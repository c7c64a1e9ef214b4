import { type Environment, readConfig } from '../../config/config.ts';
import type { Outputs } from '../outputs.ts';
import { runProgram } from '../run-program.ts';
import { HELP, type Request, readCommandLine } from './command-line.ts';
import { printAll } from './print.ts';

/**
 * Runs one command of an operator.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export function runAdmin(
  words: string[],
  environment: () => Environment,
  outputs: Outputs,
): Promise<0 | 1 | 2> {
  return runProgram('admin', outputs.stderr, () => run(readCommandLine(words), environment, outputs));
}

async function run(
  { task, lines, isJson }: Request,
  environment: () => Environment,
  { stdout, stderr }: Outputs,
): Promise<void> {
  if (lines) {
    return printAll(lines, isJson, stdout);
  }
  if (!task) {
    stdout.write(HELP);
    return;
  }
  const config = readConfig(environment());
  // Loaded only here, so that the help does not wait for the driver of the database.
  const { openContext } = await import('./open-context.ts');
  const { context, close } = await openContext(config, stderr);
  await printAll(task(context), isJson, stdout).finally(close);
}
