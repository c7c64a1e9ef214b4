import { parseArgs } from 'node:util';
import type { Environment } from '../config/config.ts';
import { nearest } from '../system/nearest.ts';
import { messageOf } from '../system/system-errors.ts';
import { helpOf } from './command-help.ts';
import { forPerson, type Input, type Outputs } from './print.ts';

/** An invalid command line. */
export class UsageError extends Error {}

/** All options of a group of commands, as util.parseArgs takes them. */
export type OptionTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/** The values of options; undefined if one was not given. */
export type OptionsOf<T extends OptionTable> = {
  [name in keyof T]?: (T[name]['type'] extends 'string' ? string : boolean) | undefined;
};

/** 0 done; 1 failed; 2 an invalid command line, or refused before anything was changed. The checker has its own meanings. */
export type ExitCode = 0 | 1 | 2;

/** The standard streams, as a process has them. */
export interface Streams extends Outputs {
  stdin: Input;
}

/** What a command has when it runs. */
export interface Invocation extends Streams {
  /** Returns the settings. The help works without them. */
  environment(): Environment;
  isJson: boolean;
}

/** A command with its options, ready to run. */
export type Action = (invocation: Invocation) => Promise<ExitCode>;

/** A command of a group with the options `T`. */
export interface Command<T extends OptionTable> {
  /** Its options, as the help shows them. */
  usage: string;
  /** A line break begins a new line of the help. */
  summary: string;
  /** Its options besides those of all commands of the group. */
  options: readonly (keyof T & string)[];
  /** The one word that it takes after its name, as the help calls it. */
  operand?: string;
  /**
   * Checks the command line before anything is opened.
   * @param operand the word after its name; empty if it is missing
   * @throws UsageError
   */
  prepare(values: OptionsOf<T>, operand: string): Action | Promise<Action>;
}

/** Commands with common options and one help. */
export interface CommandGroup<T extends OptionTable> {
  /** The words before the name of a command, such as `auth-gateway admin`. */
  name: string;
  options: T;
  /** Options of every command. */
  forAll: readonly (keyof T & string)[];
  /** By name. A group that is a command itself has it under the empty name. */
  commands: ReadonlyMap<string, Command<T>>;
  /** The end of the help: what is common to the commands, and their exit codes. */
  notes: string;
  /** What to say if there are words after a command that takes none. */
  tooManyWords?: string;
  /** True for an error that came before anything was changed. An invalid command line always counts as one. */
  isRefusal?(error: unknown): boolean;
}

/** How the whole command line is run: `words` are those after the name of the group. */
export type RunCommand = (
  words: string[],
  environment: () => Environment,
  streams: Streams,
) => Promise<ExitCode | undefined>;

/** Makes the function that runs a command of a group. What a command throws is printed on standard error. */
export const runnerOf =
  <T extends OptionTable>(group: CommandGroup<T>) =>
  async (words: string[], environment: () => Environment, streams: Streams): Promise<ExitCode> => {
    try {
      const request = await readCommandLine(group, words);
      if ('help' in request) {
        streams.stdout.write(request.help);
        return 0;
      }
      return await request.task({ ...streams, environment, isJson: request.isJson });
    } catch (error) {
      printError(group.name, error, streams);
      return error instanceof UsageError || group.isRefusal?.(error) ? 2 : 1;
    }
  };

/** A message may quote the command line or a record, with characters that a terminal obeys. */
export function printError(name: string, error: unknown, { stderr }: Outputs): void {
  const hint = error instanceof UsageError ? `See ${name} --help\n` : '';
  stderr.write(`${name}: ${forPerson(messageOf(error).split('\n'))}\n${hint}`);
}

/** A parsed command line. */
type Request = { help: string } | { task: Action; isJson: boolean };

/**
 * Parses a command line.
 * @param words the arguments after the name of the group
 * @throws UsageError. It names options, never their values; also what a command throws before it begins
 */
export async function readCommandLine<T extends OptionTable>(
  group: CommandGroup<T>,
  words: string[],
): Promise<Request> {
  const { values, positionals } = parseWords(words, group.options);
  const { help, json: isJson = false } = values as { help?: boolean; json?: boolean };
  if (help) {
    return { help: helpOf(group, positionals) };
  }
  const { command, operand } = find(group, positionals);
  const foreign = Object.keys(values).find((name) => ![...command.options, ...group.forAll].includes(name));
  if (foreign) {
    throw new UsageError(`This command has no option --${foreign}.`);
  }
  return { task: await command.prepare(values, operand), isJson };
}

/** @throws UsageError */
function parseWords<T extends OptionTable>(
  args: string[],
  options: T,
): { values: OptionsOf<T>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as OptionsOf<T>, positionals };
  } catch (cause) {
    const unknown = unknownOption(args, options);
    // Every error of parseArgs here is about the command line. Its advice about `--` fits none of our commands.
    const message = unknown ?? (cause as Error).message.replace(/ To specify a positional[\s\S]*$/, '');
    throw new UsageError(message, { cause });
  }
}

/** What to say about the first long option that does not exist; undefined if all do. */
function unknownOption(args: string[], options: OptionTable): string | undefined {
  const names = args.map((arg) => /^--([^=]+)/.exec(arg)?.[1]);
  const name = names.find((given) => given !== undefined && !Object.hasOwn(options, given));
  if (name === undefined) {
    return undefined;
  }
  const meant = nearest(name, Object.keys(options));
  return `There is no option --${name.slice(0, MAX_SHOWN)}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}

const MAX_SHOWN = 64;

/** @throws UsageError */
function find<T extends OptionTable>(
  group: CommandGroup<T>,
  words: readonly string[],
): { command: Command<T>; operand: string } {
  // An empty word would disappear between the others.
  const whole = words.includes('') ? undefined : group.commands.get(words.join(' '));
  if (whole) {
    return { command: whole, operand: '' };
  }
  const command = group.commands.get(words.slice(0, -1).join(' '));
  if (command?.operand === undefined) {
    throw new UsageError(noSuchCommand(group, words));
  }
  return { command, operand: words.at(-1) ?? '' };
}

const firstWordOf = (name: string): string => name.split(' ')[0] ?? '';

/** What to say about words that are no command. It repeats none of them: one may be a secret in the wrong place. */
function noSuchCommand<T extends OptionTable>(
  { commands, tooManyWords }: CommandGroup<T>,
  words: readonly string[],
): string {
  if (commands.has('')) {
    return tooManyWords ?? 'There are only options.';
  }
  const firstWords = [...commands.keys()].map(firstWordOf);
  const given = words.slice(0, 2).join(' ');
  const meant = nearest(given, commands.keys()) ?? nearest(words[0] ?? '', firstWords);
  if (meant !== undefined && meant !== given && meant !== words[0]) {
    return `There is no such command. Did you mean ${meant}?`;
  }
  if (words.some((_, index) => index > 0 && commands.has(words.slice(0, index).join(' ')))) {
    return `There are too many words. ${tooManyWords ?? ''}`.trimEnd();
  }
  const names = [...commands.keys()].filter((name) => firstWordOf(name) === words[0]);
  return `There is no such command.${names.length > 1 ? ` There are ${names.join(', ')}.` : ''}`;
}

/** One Ctrl-C under `npm run` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. The second ends the process, as if nobody handled it.
 * @returns a function that ends this
 */
export function stopOnSignals(stop: () => void): () => void {
  let stoppedAt: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      stop();
    } else if (signal !== 'SIGINT' || now - stoppedAt > ECHO_MILLIS) {
      end();
      process.kill(process.pid, signal);
    }
  };
  const end = () => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return end;
}
