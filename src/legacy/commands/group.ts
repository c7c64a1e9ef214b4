import { setFlagsFromString } from 'node:v8';
import {
  type Command,
  type CommandGroup,
  type ExitCode,
  type Invocation,
  runnerOf,
  stopOnSignals,
} from '../../cli/command-line.ts';
import { Output } from '../../cli/output.ts';
import { readConfig } from '../../config/config.ts';
import { LegacyError, Stopped } from '../legacy-error.ts';
import { requireDriver } from '../mysql2.ts';
import { type LegacyAction, OPTIONS, type PrepareAction } from './options.ts';

/** A row of the table of commands. */
interface LegacyCommand extends Omit<Command<typeof OPTIONS>, 'prepare'> {
  /** Only when it runs, so that the help does not wait for the drivers of the databases. */
  load(): Promise<{ prepareTask: PrepareAction }>;
}

const withOutput = ({ load, ...command }: LegacyCommand): Command<typeof OPTIONS> => ({
  ...command,
  prepare: async (values) => {
    await requireDriver();
    const { prepareTask } = await load();
    const task = prepareTask(values);
    return (invocation) => runTask(task, invocation);
  },
});

async function runTask(task: LegacyAction, invocation: Invocation): Promise<ExitCode> {
  // A million rows pass through a small heap. By default it fills with garbage to several times its size before it is cleaned.
  setFlagsFromString('--heap-growing-percent=60');
  const config = readConfig(invocation.environment());
  const output = new Output(invocation, invocation.isJson);
  const stopping = stopBatches(output);
  try {
    await task({ config, output, signal: stopping.signal });
  } finally {
    output.endProgress();
    stopping.end();
  }
  return 0;
}

/** The first signal lets the running batch end. */
function stopBatches(output: Output): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const end = stopOnSignals(() => {
    output.note('Stopping after the running batch.');
    controller.abort(new Stopped('Stopped. Run the same command again to continue.'));
  });
  return { signal: controller.signal, end };
}

const COMMANDS: readonly (readonly [string, LegacyCommand])[] = [
  [
    'inspect',
    {
      usage: '[--files DIR]',
      summary: 'shows what is in the legacy database, and what an import would leave out. It writes nothing',
      options: ['files'],
      load: () => import('./inspect.ts'),
    },
  ],
  [
    'import',
    {
      usage: '[--files DIR] [--admins skip|refuse|reviewer] [--doctors pending|verified] [--dry-run] [--yes]',
      summary:
        'imports accounts, profiles, files and tokens. If it is interrupted, run the same command again: it continues.\n' +
        '--admins reviewer imports administrators as reviewers, who decide on doctors. Their tokens are not imported.\n' +
        '--doctors verified imports doctors as verified, if the legacy service has reviewed them. Default: pending, so that reviewers decide here.\n' +
        '--dry-run only shows what the import would do.',
      options: ['files', 'admins', 'doctors', 'dry-run', 'yes'],
      load: () => import('./import.ts'),
    },
  ],
  [
    'sync',
    {
      usage: '[--files DIR] [--watch] [--accept-removals N]',
      summary:
        'imports what was added, changed or deleted since the import. What was changed in the gateway wins, and sync reports it.\n' +
        '--watch repeats this until Ctrl-C.\n' +
        '--accept-removals N accepts up to N missing rows of a kind. Without it, sync changes nothing if more than nine rows, and more than a tenth, of a kind are gone there.',
      options: ['files', 'watch', 'accept-removals'],
      load: () => import('./sync.ts'),
    },
  ],
  [
    'verify',
    {
      usage: '[--files DIR] [--sample N] [--tokens FILE] [--url URL]',
      summary:
        'compares every row and file with the legacy service, and ends with 1 if one differs.\n' +
        '--sample N compares N random ones of each kind.\n' +
        '--tokens FILE also tries the access tokens in FILE, one on each line, at --url. Default of --url: BASE_URL.',
      options: ['files', 'sample', 'tokens', 'url'],
      load: () => import('./verify.ts'),
    },
  ],
  [
    'undo',
    {
      usage: '--run ID [--yes]',
      summary:
        'removes what a run of import or sync added, unless it was changed since. Accounts that were changed, disabled or used to log in here stay. What a sync changed or removed stays changed or removed.',
      options: ['run', 'yes'],
      load: () => import('./undo.ts'),
    },
  ],
  [
    'back',
    {
      usage: '[--files DIR] [--dry-run] [--accept] [--without-second-factors] [--yes]',
      summary:
        'writes what is newer here to the legacy service, so that you can switch it on again: changed, removed and new accounts and profiles, new documents, revoked and new tokens. First make sure that no caller reaches the gateway. It reports what the legacy service cannot store: tokens whose id is not a number, disabled accounts, values that its database refuses.\n' +
        '--accept ends with 0 even if an account was not written. Without it, back then ends with 1.\n' +
        '--without-second-factors writes although accounts have a second factor here. The login there asks for no code: a password is enough.\n' +
        '--dry-run executes the statements and rolls them back.',
      options: ['files', 'dry-run', 'accept', 'without-second-factors', 'yes'],
      load: () => import('./back.ts'),
    },
  ],
  [
    'finish',
    {
      usage: '[--yes]',
      summary:
        'ends the move: deletes what import and sync have stored about each row, and erases the accounts and profiles that the legacy service no longer has. After it, sync, verify, undo and back are not possible. The reports stay.',
      options: ['yes'],
      load: () => import('./finish.ts'),
    },
  ],
];

const NOTES = `  --from mysql://user:password@host:3306/database is the database of the legacy service. Default:
    LEGACY_DATABASE_URL. Prefer that: other users of the machine can see a command line.
  --files DIR is the folder with the files of the legacy service.
  --map FILE is a JSON file that names the tables and columns that differ from Laravel's.
  --timezone ZONE is the time zone of the timestamps of the legacy service (app.timezone), such as
    Europe/Berlin. Default: UTC.
  --yes confirms the command. Without it, the command asks.
  --json prints one JSON object per line.
  Exit codes: 0 done; 1 failed or stopped; 2 refused, and nothing was changed.
  The commands read the gateway's settings, and can run beside the gateway.
`;

/** Commands for operators who move in from the legacy service. */
export const LEGACY: CommandGroup<typeof OPTIONS> = {
  name: 'auth-gateway legacy',
  options: OPTIONS,
  forAll: ['from', 'map', 'timezone', 'json', 'help'],
  commands: new Map(COMMANDS.map(([name, command]) => [name, withOutput(command)] as const)),
  notes: NOTES,
  isRefusal: (error) => error instanceof LegacyError,
};

export const run = runnerOf(LEGACY);
