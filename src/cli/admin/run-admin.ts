import { type Environment, readConfig } from '../../config/config.ts';
import { messageOf } from '../../system/system-errors.ts';
import type { Outputs } from '../outputs.ts';
import { UsageError } from '../usage-error.ts';
import { HELP, type Request, readCommandLine } from './command-line.ts';
import { printAll } from './print.ts';

/**
 * Runs one command of an operator.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export async function runAdmin(
  words: string[],
  environment: () => Environment,
  outputs: Outputs,
): Promise<0 | 1 | 2> {
  try {
    await run(readCommandLine(words), environment, outputs);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const hint = isUsage ? 'See npm run admin -- --help\n' : '';
    outputs.stderr.write(`admin: ${messageOf(error)}\n${hint}`);
    return isUsage ? 2 : 1;
  }
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
