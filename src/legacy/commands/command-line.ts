import { helpOf, parseWords, refuseForeignOptions, UsageError } from '../../cli/command-words.ts';
import { backCommand } from './back-command.ts';
import { type Command, OPTIONS, type OptionName, type Task } from './command.ts';
import { finishCommand } from './finish-command.ts';
import { importCommand } from './import-command.ts';
import { inspectCommand } from './inspect-command.ts';
import { syncCommand } from './sync-command.ts';
import { undoCommand } from './undo-command.ts';
import { verifyCommand } from './verify-command.ts';

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['inspect', inspectCommand],
  ['import', importCommand],
  ['sync', syncCommand],
  ['verify', verifyCommand],
  ['undo', undoCommand],
  ['back', backCommand],
  ['finish', finishCommand],
]);

const FOR_ALL: readonly OptionName[] = ['from', 'map', 'timezone', 'json', 'help'];

/** The help text. */
export const HELP = `usage: npm run --silent legacy -- <command> [options]

${helpOf(COMMANDS)}
  --from mysql://user:password@host:3306/database is the legacy service's database. The setting LEGACY_DATABASE_URL says the
    same, and no list of processes shows it.
  --map FILE names tables and columns that differ from Laravel's (JSON).
  --timezone ZONE is the time zone of its timestamps (app.timezone), such as Europe/Berlin. Default: UTC.
  --json prints one JSON object per line.
  Exit codes: 0 done, 1 failed or stopped, 2 refused: nothing was changed.
  The commands read the gateway's settings, and may run at the same time as the gateway.
`;

/** A parsed command line. If `task` is undefined, print the help. */
export interface Request {
  task: Task | undefined;
  isJson: boolean;
}

/**
 * Parses a command line.
 * @param words the arguments after the program's name
 * @throws UsageError
 */
export function readCommandLine(words: string[]): Request {
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
  return { task: command.prepare(values), isJson };
}
