import { Output } from '../../cli/output.ts';
import type { Outputs } from '../../cli/print.ts';
import { runProgram, stopOnSignals } from '../../cli/run-program.ts';
import { type Environment, readConfig } from '../../config/config.ts';
import { Refusal, Stopped } from '../refusal.ts';
import { HELP, type Request, readCommandLine } from './command-line.ts';

/**
 * Runs one command.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed or stopped, 2 refused before anything was changed
 */
export function runLegacy(
  words: string[],
  environment: () => Environment,
  outputs: Outputs,
): Promise<0 | 1 | 2> {
  const act = () => run(readCommandLine(words), environment, outputs);
  return runProgram('legacy', outputs.stderr, act, (error) => error instanceof Refusal);
}

async function run(
  { task, isJson }: Request,
  environment: () => Environment,
  outputs: Outputs,
): Promise<void> {
  if (!task) {
    outputs.stdout.write(HELP);
    return;
  }
  const config = readConfig(environment());
  const output = new Output(outputs, isJson);
  const stopping = stopBatches(output);
  try {
    await task({ config, output, signal: stopping.signal });
  } finally {
    output.endProgress();
    stopping.end();
  }
}

/** The first signal lets the running batch end. */
function stopBatches(output: Output): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const end = stopOnSignals(() => {
    output.note('Stopping after the running batch.');
    controller.abort(new Stopped('Stopped. The same command goes on where this one was.'));
  });
  return { signal: controller.signal, end };
}
