import { isEmailAddress } from '../../auth/email-address.ts';
import type { Environment } from '../../config/config.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import { type CommandGroup, runnerOf, stopOnSignals, UsageError } from '../command-line.ts';
import { type Line, printAll } from '../print.ts';
import { type Check, type Examined, findingsOf, type NamedFinding } from './check.ts';
import { hidingSecrets, presentFinding, presentResult, Verdict } from './report.ts';
import { readSettings } from './settings-check.ts';

/** What a test replaces. */
interface Surroundings {
  clock?: Clock;
  nodeVersion?: string;
  /** By default all. */
  checks?: readonly Check[];
}

async function* examine(
  mailTo: string | undefined,
  environment: Environment,
  verdict: Verdict,
  stop: AbortSignal,
  { clock = systemClock, nodeVersion = process.versions.node, checks }: Surroundings,
): AsyncGenerator<Line> {
  const { config, problems } = readSettings(environment);
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
    const examined: Examined = { config, environment, mailTo, clock, nodeVersion };
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

const NOTES = `  --mail-to ADDRESS sends a test mail. Without it, the checker only logs in to the mail server.
  --json prints one JSON object per line: one for each finding, and one for the result.
  Exit codes: 0 ready for traffic; 1 there are warnings; 2 there are errors, the command line is
    wrong, or you stopped the checker.
`;

/** Checks an installation before it takes traffic. @param surroundings what a test replaces */
export const checkerWith = (surroundings: Surroundings): CommandGroup<typeof OPTIONS> => ({
  name: 'auth-gateway check',
  options: OPTIONS,
  forAll: ['help'],
  commands: new Map([
    [
      '',
      {
        usage: '[--mail-to ADDRESS] [--json]',
        summary:
          "Checks whether this installation is ready for traffic: settings, files with secrets, Node.js, password hashing, disk, database, documents, mail, and the proxies and TLS between BASE_URL and the gateway. It leaves nothing behind, and can run beside the gateway. Run it on the machine of the gateway, as the gateway's user, with its settings.",
        options: ['mail-to', 'json'],
        prepare: ({ 'mail-to': mailTo }) => {
          if (mailTo !== undefined && !isEmailAddress(mailTo)) {
            throw new UsageError('--mail-to must be an e-mail address.');
          }
          return async ({ environment, isJson, stdout }) => {
            const verdict = new Verdict();
            const stopping = new AbortController();
            const end = stopOnSignals(() => stopping.abort(new Error('Stopped.')));
            const lines = examine(mailTo, environment(), verdict, stopping.signal, surroundings);
            await printAll(lines, isJson, stdout).finally(end);
            return verdict.exitCode;
          };
        },
      },
    ],
  ]),
  notes: NOTES,
  isRefusal: () => true,
});

export const run = runnerOf(checkerWith({}));
