import type { Environment } from '../../config/config.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import type { Outputs } from '../outputs.ts';
import { type Line, printAll } from '../print.ts';
import { runProgram } from '../run-program.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { type Check, type Examined, findingsOf } from './check.ts';
import { HELP, type Request, readCommandLine } from './command-line.ts';
import type { NamedFinding } from './finding.ts';
import { hidingSecrets } from './hidden-secrets.ts';
import { presentFinding, presentResult } from './present.ts';
import { readSettings } from './read-settings.ts';
import { type ExitCode, Verdict } from './verdict.ts';

/** What a test replaces. */
interface Surroundings {
  clock?: Clock;
  nodeVersion?: string;
  /** By default all. */
  checks?: readonly Check[];
}

/**
 * Checks an installation.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 sound, 1 with warnings, 2 with errors, not understood or stopped
 */
export async function runDoctor(
  words: string[],
  environment: () => Environment,
  { stdout, stderr }: Outputs,
  surroundings: Surroundings = {},
): Promise<ExitCode> {
  const verdict = new Verdict();
  const act = async () => {
    const request = readCommandLine(words);
    if (request.isHelp) {
      stdout.write(HELP);
      return;
    }
    const stopping = new AbortController();
    const end = stopOnSignals(() => stopping.abort(new Error('Stopped.')));
    const lines = examine(request, environment(), verdict, stopping.signal, surroundings);
    await printAll(lines, request.isJson, stdout).finally(end);
  };
  const failure = await runProgram('doctor', stderr, act, () => true);
  return failure === 0 ? verdict.exitCode : 2;
}

async function* examine(
  { mailTo }: Request,
  environment: Environment,
  verdict: Verdict,
  stop: AbortSignal,
  { clock = systemClock, nodeVersion = process.versions.node, checks }: Surroundings,
): AsyncGenerator<Line> {
  const { config, problems, names: settingNames } = readSettings(environment);
  const hide = hidingSecrets(config);
  const present = (finding: NamedFinding): Line => {
    verdict.add(finding);
    return presentFinding({
      ...finding,
      text: hide(finding.text),
      ...(finding.todo && { todo: hide(finding.todo) }),
    });
  };
  for (const problem of problems) {
    yield present({ check: 'settings', ...problem });
  }
  if (config) {
    const examined: Examined = { config, environment, settingNames, mailTo, clock, nodeVersion };
    // Loaded only here, so that the help does not wait for the driver of the database.
    const all = checks ?? (await import('./all-checks.ts')).ALL_CHECKS;
    for (const check of all) {
      for await (const finding of findingsOf(check, examined, stop)) {
        yield present(finding);
      }
    }
  }
  yield presentResult(verdict);
}
