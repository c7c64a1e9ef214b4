import { parseArgs } from 'node:util';
import { COMMANDS, type Command, OPTIONS, type Values } from './commands.ts';
import type { Output } from './output.ts';
import { UsageError } from './usage-error.ts';

/** What a command line differs in from one program to another. */
export interface CommandLineOptions {
  /** How the commands are called, with `COMMAND` for the name of one. */
  usage: string;
  /** The lines of the help about commands of the program besides these. */
  more?: string;
  /** The data folder without `--path`. It may throw. */
  defaultPath: () => string;
  /** What `defaultPath` gives, in words. */
  defaultPathName: string;
  stdout: Output;
  stderr: Output;
}

/**
 * Runs a command.
 * @param words the command line after the program's name
 * @returns the exit code: 0 done, 1 failed or problems found, 2 a wrong command line
 */
export async function runCommandLine(words: string[], options: CommandLineOptions): Promise<0 | 1 | 2> {
  const { stdout, stderr } = options;
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('Stopped. Nothing has changed.'));
  try {
    const { values, command } = parse(words);
    if (values.help || !command) {
      stdout.write(helpOf(options));
      return values.help ? 0 : 2;
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, stop);
    }
    const path = values.path ?? options.defaultPath();
    const print = (line: string) => void stdout.write(`${line}\n`);
    const isSound = await command.run({ path, values, print, output: stdout, signal: stopping.signal });
    return isSound ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const reason = stopping.signal.aborted ? stopping.signal.reason : error;
    stderr.write(`${(reason as Error).message}\n${isUsage ? `usage: ${options.usage}; see --help\n` : ''}`);
    return isUsage ? 2 : 1;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function parse(words: string[]): {
  values: Values & { path?: string | undefined; help?: boolean | undefined };
  command: Command | undefined;
} {
  const { values, positionals } = parsedWords(words);
  const [name, ...others] = positionals;
  if (name === undefined || values.help) {
    return { values, command: undefined };
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command || others.length > 0) {
    throw new UsageError(command ? `${name} takes options only.` : `There is no command ${name}.`);
  }
  const foreign = Object.keys(values).find(
    (option) => ![...command.options, 'path'].includes(option as keyof Values),
  );
  if (foreign) {
    throw new UsageError(`The command ${name} has no option --${foreign}.`);
  }
  return { values, command };
}

function parsedWords(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    // Its advice about `--` does not fit.
    const message = (cause as Error).message.replace(/ To specify a positional[\s\S]*$/, '');
    throw new UsageError(message, { cause });
  }
}

function helpOf({ usage, more = '', defaultPathName }: CommandLineOptions): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { usage: own, summary }]) => `${`  ${name} ${own}`.trimEnd()}\n      ${summary}\n`,
  );
  return `usage: ${usage}\n\n${commands.join('')}${more}\n  --path FOLDER is the folder of the database. Default: ${defaultPathName}.\n  No other program may use the database meanwhile, except with backup.\n  Exit codes: 0 done; 1 failed, or verify found problems; 2 wrong command line.\n`;
}
