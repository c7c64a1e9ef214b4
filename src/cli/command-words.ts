import { parseArgs } from 'node:util';

/** An invalid command line. */
export class UsageError extends Error {}

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
  /** A line break begins a new line of the help. */
  summary: string;
  /** Its options besides those of all commands. */
  options: readonly Name[];
}

/** The lines of the help about commands. */
export const helpOf = (commands: Iterable<readonly [string, CommandUsage<string>]>): string =>
  [...commands]
    .map(([name, { usage, summary }]) => {
      const lines = summary.split('\n').map((line) => wrapped(line, 6));
      return `${wrapped(`${name} ${usage}`, 2, 6)}${lines.join('')}`;
    })
    .join('');

const WIDTH = 100;

/** Breaks a text between words into lines that a terminal shows whole. */
function wrapped(text: string, indent: number, furtherIndent = indent): string {
  const lines: string[] = [];
  let line = ' '.repeat(indent - 1);
  for (const word of text.trim().split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = ' '.repeat(furtherIndent - 1);
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((one) => `${one}\n`).join('');
}

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
    const unknown = unknownOption(args, options);
    // Every error of parseArgs here is about the command line. Its advice about `--` fits none of our programs.
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

/** More would suggest words that have nothing in common. */
const MAX_EDITS = 2;
/** No command or option is longer, and the comparison takes quadratic time. */
const MAX_CHARACTERS = 64;

/**
 * The known word that was most likely meant.
 * @returns undefined if none is near
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_CHARACTERS) {
    return undefined;
  }
  // Of three letters, two others make another word.
  const maxEdits = Math.min(MAX_EDITS, Math.floor(word.length / 2));
  const [best] = [...known]
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((one, other) => one.edits - other.edits);
  return best?.name;
}

/** Levenshtein's distance: how many characters to insert, remove or replace. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
