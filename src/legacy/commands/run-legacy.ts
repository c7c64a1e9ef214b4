import {
  type CommandUsage,
  helpOf,
  parseWords,
  refuseForeignOptions,
  UsageError,
} from '../../cli/command-words.ts';
import { Output } from '../../cli/output.ts';
import type { Outputs } from '../../cli/print.ts';
import { runProgram, stopOnSignals } from '../../cli/run-program.ts';
import { type Environment, readConfig } from '../../config/config.ts';
import { requireDriver } from '../mysql2.ts';
import { Refusal, Stopped } from '../refusal.ts';
import { OPTIONS, type OptionName, type PrepareTask, type Task } from './options.ts';

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
  const act = async () => run(await readCommandLine(words), environment, outputs);
  return runProgram('legacy', outputs.stderr, act, (error) => error instanceof Refusal);
}

/** A parsed command line. If `task` is undefined, print the help. */
interface Request {
  task: Task | undefined;
  isJson: boolean;
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

/**
 * Parses a command line.
 * @param words the arguments after the program's name
 * @throws UsageError; Refusal if the driver of the legacy database is not installed
 */
export async function readCommandLine(words: string[]): Promise<Request> {
  const { values, positionals } = parseWords(words, OPTIONS);
  const isJson = values.json ?? false;
  if (values.help) {
    return { task: undefined, isJson };
  }
  const command = COMMANDS.get(positionals.join(' '));
  if (!command) {
    throw new UsageError('There is no such command.');
  }
  refuseForeignOptions(values, command, FOR_ALL);
  await requireDriver();
  const { prepareTask } = await command.load();
  return { task: prepareTask(values), isJson };
}

/** A row of the table of commands. */
interface Command extends CommandUsage<OptionName> {
  /** Only when it runs, so that the help does not wait for the drivers of the databases. */
  load(): Promise<{ prepareTask: PrepareTask }>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'inspect',
    {
      usage: '[--files DIR]',
      summary: 'shows what is in the legacy database, and what an import would leave out; writes nothing',
      options: ['files'],
      load: () => import('./inspect.ts'),
    },
  ],
  [
    'import',
    {
      usage: '[--files DIR] [--admins skip|refuse|reviewer] [--doctors pending|verified] [--dry-run] [--yes]',
      summary:
        'takes over accounts, profiles, files and tokens; the same command goes on after an interruption.\n' +
        '      --admins reviewer makes reviewers of administrators, who decide about doctors; their tokens stay there.\n' +
        '      --doctors verified, if the legacy service has looked at its doctors (default: pending, reviewers here have to)',
      options: ['files', 'admins', 'doctors', 'dry-run', 'yes'],
      load: () => import('./import.ts'),
    },
  ],
  [
    'sync',
    {
      usage: '[--files DIR] [--watch] [--accept-removals N]',
      summary:
        'brings over what was added, changed or deleted since the import. What was changed here wins, and is reported.\n' +
        '      --watch does so again and again until Ctrl-C.\n' +
        '      If more than nine rows and a tenth of a kind are gone there, it changes nothing, unless --accept-removals allows as many',
      options: ['files', 'watch', 'accept-removals'],
      load: () => import('./sync.ts'),
    },
  ],
  [
    'verify',
    {
      usage: '[--files DIR] [--sample N] [--tokens FILE] [--url URL]',
      summary:
        'compares every row and file with the legacy service, or N random ones of each kind. Exits with 1 if one differs.\n' +
        '      --tokens logs in with the tokens of a file, one in each line, at --url (default: BASE_URL)',
      options: ['files', 'sample', 'tokens', 'url'],
      load: () => import('./verify.ts'),
    },
  ],
  [
    'undo',
    {
      usage: '--run ID [--yes]',
      summary:
        'takes back what a run of import or sync has added and nobody has changed since. Accounts that were changed, disabled\n' +
        '      or used to log in here stay. What a sync has changed or removed stays so, too',
      options: ['run', 'yes'],
      load: () => import('./undo.ts'),
    },
  ],
  [
    'back',
    {
      usage: '[--files DIR] [--dry-run] [--accept] [--yes]',
      summary:
        'writes what is newer here to the legacy service, so that it can be switched on again: changed, removed and new accounts\n' +
        '      and profiles, new documents, revoked and new tokens. Let no caller reach the gateway before. What the legacy\n' +
        '      service cannot take is reported: tokens whose id is no number, disabled accounts, values that its database refuses.\n' +
        '      Ends with 1 if an account was not written, unless --accept. --dry-run executes the statements and rolls them back',
      options: ['files', 'dry-run', 'accept', 'yes'],
      load: () => import('./back.ts'),
    },
  ],
  [
    'finish',
    {
      usage: '[--yes]',
      summary:
        'forgets what import and sync remember of each row, when nobody goes back any more. Then sync, verify, undo and back are\n' +
        '      not possible. Erases the accounts and profiles that the legacy service does not have any more. The reports stay',
      options: ['yes'],
      load: () => import('./finish.ts'),
    },
  ],
]);

const FOR_ALL: readonly OptionName[] = ['from', 'map', 'timezone', 'json', 'help'];

/** The help text. */
const HELP = `usage: npm run --silent legacy -- <command> [options]

${helpOf(COMMANDS)}
  --from mysql://user:password@host:3306/database is the legacy service's database. The setting LEGACY_DATABASE_URL says the
    same, and no list of processes shows it.
  --map FILE names tables and columns that differ from Laravel's (JSON).
  --timezone ZONE is the time zone of its timestamps (app.timezone), such as Europe/Berlin. Default: UTC.
  --json prints one JSON object per line.
  Exit codes: 0 done, 1 failed or stopped, 2 refused: nothing was changed.
  The commands read the gateway's settings, and may run at the same time as the gateway.
`;
