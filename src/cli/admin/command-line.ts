import { helpOf, parseWords, refuseForeignOptions } from '../command-words.ts';
import { UsageError } from '../usage-error.ts';
import { disableAccount, enableAccount, showAccount } from './account-commands.ts';
import { searchAudit } from './audit-command.ts';
import { newClient } from './client-command.ts';
import {
  type Command,
  type Line,
  type OfflineCommand,
  OPTIONS,
  type OptionName,
  type Task,
} from './command.ts';
import { resetLink } from './reset-link-command.ts';
import { listTokens, revokeTokens } from './token-commands.ts';

const COMMANDS: ReadonlyMap<string, Command | OfflineCommand> = new Map<string, Command | OfflineCommand>([
  ['tokens list', listTokens],
  ['tokens revoke', revokeTokens],
  ['accounts show', showAccount],
  ['accounts disable', disableAccount],
  ['accounts enable', enableAccount],
  ['accounts reset-link', resetLink],
  ['audit', searchAudit],
  ['clients new', newClient],
]);

const FOR_ALL: readonly OptionName[] = ['json', 'help'];

/** The help text. */
export const HELP = `usage: npm run --silent admin -- <command> [--json]

${helpOf(COMMANDS)}
  --json prints one JSON object per line: one for each token or event, or one for the result of the command.
  Exit codes: 0 success, 1 failed or not found, 2 invalid command line.
  All but clients new read the gateway's settings, and may run at the same time as the gateway.
`;

/** A parsed command line. Without `task` and `lines`, print the help. */
export interface Request {
  task?: Task | undefined;
  /** The output of a command that needs no context. */
  lines?: AsyncIterable<Line>;
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
    return { isJson };
  }
  const { command, operand } = find(positionals);
  refuseForeignOptions(values, command, FOR_ALL);
  return 'run' in command
    ? { lines: command.run(operand), isJson }
    : { task: command.prepare(values), isJson };
}

/** @throws UsageError */
function find(words: string[]): { command: Command | OfflineCommand; operand: string } {
  const whole = COMMANDS.get(words.join(' '));
  if (whole) {
    return { command: whole, operand: '' };
  }
  const command = COMMANDS.get(words.slice(0, -1).join(' '));
  if (!command || !('run' in command)) {
    throw new UsageError('There is no such command.');
  }
  return { command, operand: words.at(-1) ?? '' };
}
