import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

/** All options of a program, as util.parseArgs takes them. */
type OptionTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/** The values of options; undefined if one was not given. */
export type OptionsOf<T extends OptionTable> = {
  [name in keyof T]?: (T[name]['type'] extends 'string' ? string : boolean) | undefined;
};

/** The part of a command that the help shows. */
export interface CommandUsage<Name extends string> {
  /** Its options, as the help shows them. */
  usage: string;
  summary: string;
  /** Its options besides those of all commands. */
  options: readonly Name[];
}

/** The lines of the help about commands. */
export const helpOf = (commands: Iterable<readonly [string, CommandUsage<string>]>): string =>
  [...commands].map(([name, { usage, summary }]) => `  ${name} ${usage}\n      ${summary}\n`).join('');

/**
 * Parses the words after a program's name.
 * @throws UsageError. It names options, never their values
 */
export function parseWords<T extends OptionTable>(
  args: string[],
  options: T,
): { values: OptionsOf<T>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as OptionsOf<T>, positionals };
  } catch (cause) {
    // Every error of parseArgs here is about the command line.
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** @throws UsageError if an option was given that the command does not have */
export function refuseForeignOptions(
  values: object,
  command: CommandUsage<string>,
  forAll: readonly string[],
): void {
  const foreign = Object.keys(values).find((name) => ![...command.options, ...forAll].includes(name));
  if (foreign) {
    throw new UsageError(`This command has no option --${foreign}.`);
  }
}
