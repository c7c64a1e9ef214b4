import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';
import { disableAccount, enableAccount, showAccount } from './account-commands.ts';
import { searchAudit } from './audit-command.ts';
import { type Command, OPTIONS, type OptionName, type Options, type Task } from './command.ts';
import { listTokens, revokeTokens } from './token-commands.ts';

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['tokens list', listTokens],
  ['tokens revoke', revokeTokens],
  ['accounts show', showAccount],
  ['accounts disable', disableAccount],
  ['accounts enable', enableAccount],
  ['audit', searchAudit],
]);

const FOR_ALL: readonly OptionName[] = ['json', 'help'];

const commandLines = [...COMMANDS].map(
  ([name, { usage, summary }]) => `  ${name} ${usage}\n      ${summary}\n`,
);

/** The help text. */
export const HELP = `usage: npm run --silent admin -- <command> [--json]

${commandLines.join('')}
  --json prints one JSON object per line: one for each token or event, or one for the result of the command.
  Exit codes: 0 success, 1 failed or not found, 2 invalid command line.
  The command reads the gateway's settings, and may run at the same time as the gateway.
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
  const { values, positionals } = parse(words);
  const isJson = values.json ?? false;
  if (values.help) {
    return { task: undefined, isJson };
  }
  const command = COMMANDS.get(positionals.join(' '));
  if (!command) {
    throw new UsageError('There is no such command.');
  }
  const allowed: readonly string[] = [...command.options, ...FOR_ALL];
  const foreign = Object.keys(values).find((name) => !allowed.includes(name));
  if (foreign) {
    throw new UsageError(`This command has no option --${foreign}.`);
  }
  return { task: command.prepare(values), isJson };
}

function parse(words: string[]): { values: Options; positionals: string[] } {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    // Every error of parseArgs here is about the command line.
    throw new UsageError((cause as Error).message, { cause });
  }
}
