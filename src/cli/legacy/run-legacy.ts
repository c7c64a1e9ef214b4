import { type Environment, readConfig } from '../../config/config.ts';
import { Refusal, Stopped } from '../../legacy/refusal.ts';
import type { Outputs } from '../outputs.ts';
import { runProgram } from '../run-program.ts';
import { HELP, type Request, readCommandLine } from './commands/command-line.ts';
import { Output } from './output/output.ts';

/** One Ctrl-C under `npm run` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

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
  const stopping = stopOnSignals(output);
  try {
    await task({ config, output, signal: stopping.signal });
  } finally {
    output.endProgress();
    stopping.end();
  }
}

/** The first signal lets the running batch end. The second ends the process, as if nobody handled it. */
function stopOnSignals(output: Output): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      output.note('Stopping after the running batch.');
      controller.abort(new Stopped('Stopped. The same command goes on where this one was.'));
    } else if (signal !== 'SIGINT' || now - stoppedAt > ECHO_MILLIS) {
      end();
      process.kill(process.pid, signal);
    }
  };
  const end = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, end };
}
