import { parseWords, refuseForeignOptions } from '../command-words.ts';
import type { Line } from '../print.ts';
import { isPrintable } from '../printable.ts';
import { UsageError } from '../usage-error.ts';
import { type Command, type OfflineCommand, OPTIONS, type OptionName, type Task } from './command.ts';
import { COMMANDS, noSuchCommand } from './commands.ts';
import { helpAbout } from './help.ts';

/** The options of every command. */
const FOR_ALL: readonly OptionName[] = ['as', 'json', 'help'];

/** A parsed command line. Exactly one of `task`, `lines` and `help` is given. */
export interface Request {
  task?: Task;
  /** The output of a command that needs no context. */
  lines?: AsyncIterable<Line>;
  /** The help to print. */
  help?: string;
  isJson: boolean;
  /** The operator's name; undefined if none was given. */
  as?: string | undefined;
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
    return { help: helpAbout(positionals), isJson };
  }
  const { command, operand } = find(positionals);
  refuseForeignOptions(values, command, FOR_ALL);
  const as = values.as === undefined ? undefined : readName(values.as);
  return 'run' in command
    ? { lines: command.run(operand), isJson }
    : { task: command.prepare(values, operand), isJson, as };
}

/** @throws UsageError */
function find(words: string[]): { command: Command | OfflineCommand; operand: string } {
  const whole = COMMANDS.get(words.join(' '));
  if (whole) {
    return { command: whole, operand: '' };
  }
  const command = COMMANDS.get(words.slice(0, -1).join(' '));
  if (command?.operand === undefined) {
    throw new UsageError(noSuchCommand(words));
  }
  return { command, operand: words.at(-1) ?? '' };
}

const MAX_NAME_CHARACTERS = 64;

/**
 * Reads who the operator is.
 * @throws UsageError unless the audit trail can show it
 */
function readName(as: string): string {
  const name = as.length > 2 * MAX_NAME_CHARACTERS ? '' : as.trim();
  const characters = [...name].length;
  if (characters < 1 || characters > MAX_NAME_CHARACTERS || !isPrintable(name)) {
    throw new UsageError(`--as must be a name of 1 to ${MAX_NAME_CHARACTERS} printable characters.`);
  }
  return name;
}
