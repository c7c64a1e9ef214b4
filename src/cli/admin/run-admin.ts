import { type Environment, readConfig } from '../../config/config.ts';
import { parseWords, refuseForeignOptions, UsageError } from '../command-words.ts';
import { isPrintable, type Line, type Outputs, printAll } from '../print.ts';
import type { Input } from '../prompt.ts';
import { runProgram } from '../run-program.ts';
import { type Command, type OfflineCommand, OPTIONS, type OptionName, type Task } from './command.ts';
import { COMMANDS, helpAbout, noSuchCommand } from './commands.ts';

/**
 * Runs one command of an operator.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export function runAdmin(
  words: string[],
  environment: () => Environment,
  streams: Streams,
): Promise<0 | 1 | 2> {
  return runProgram('admin', streams.stderr, () => run(readCommandLine(words), environment, streams));
}

/** The standard streams, as a process has them. */
interface Streams extends Outputs {
  stdin: Input;
}

async function run(
  { task, lines, help, isJson, as }: Request,
  environment: () => Environment,
  { stdin, stdout, stderr }: Streams,
): Promise<void> {
  if (lines) {
    return printAll(lines, isJson, stdout);
  }
  if (!task) {
    stdout.write(help ?? '');
    return;
  }
  const config = readConfig(environment());
  // Loaded only here, so that the help does not wait for the driver of the database.
  const { openContext } = await import('./open-context.ts');
  const { context, close } = await openContext(config, { as, stdin, log: stderr });
  await printAll(task(context), isJson, stdout).finally(close);
}

/** The options of every command. */
const FOR_ALL: readonly OptionName[] = ['as', 'json', 'help'];

/** A parsed command line. Exactly one of `task`, `lines` and `help` is given. */
interface Request {
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
