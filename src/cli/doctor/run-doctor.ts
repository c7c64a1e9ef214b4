import { isEmailAddress } from '../../auth/email-address.ts';
import type { Environment } from '../../config/config.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import { parseWords, UsageError } from '../command-words.ts';
import { type Line, type Outputs, printAll } from '../print.ts';
import { runProgram, stopOnSignals } from '../run-program.ts';
import { type Check, type Examined, findingsOf, type NamedFinding } from './check.ts';
import { type ExitCode, hidingSecrets, presentFinding, presentResult, Verdict } from './report.ts';
import { readSettings } from './settings-check.ts';

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

const OPTIONS = {
  'mail-to': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const HELP = `usage: npm run --silent doctor -- [--mail-to ADDRESS] [--json]

  Checks whether this installation is ready for traffic: settings, files with secrets, Node.js,
  password hashing, disk, database, documents, mail, and the proxies and TLS between BASE_URL and
  the gateway. It leaves nothing behind, and can run beside the gateway. Run it on the machine of
  the gateway, as the gateway's user, with its settings.

  --mail-to ADDRESS sends a test mail. Without it, the doctor only logs in to the mail server.
  --json prints one JSON object per line: one for each finding, and one for the result.
  Exit codes: 0 ready for traffic; 1 there are warnings; 2 there are errors, the command line is
    wrong, or you stopped the doctor.
`;

/** A parsed command line. */
interface Request {
  mailTo: string | undefined;
  isJson: boolean;
  isHelp: boolean;
}

/**
 * Parses a command line.
 * @param words the arguments after the program's name
 * @throws UsageError
 */
function readCommandLine(words: string[]): Request {
  const { values, positionals } = parseWords(words, OPTIONS);
  if (positionals.length > 0) {
    throw new UsageError('There are only options.');
  }
  const { 'mail-to': mailTo, json: isJson = false, help: isHelp = false } = values;
  if (mailTo !== undefined && !isEmailAddress(mailTo)) {
    throw new UsageError('--mail-to must be an e-mail address.');
  }
  return { mailTo, isJson, isHelp };
}
