/** The part of a command that the help shows. */
interface Described {
  usage: string;
  summary: string;
}

/** The part of a group that the help shows. */
interface DescribedGroup {
  name: string;
  commands: ReadonlyMap<string, Described>;
  notes: string;
}

/**
 * The help text of a group of commands.
 * @param words of the command line. If they begin with a command, or with the first word of several, only these are shown
 */
export function helpOf({ name, commands, notes }: DescribedGroup, words: readonly string[]): string {
  const own = commands.get('');
  if (own) {
    return `usage: ${name} ${own.usage}\n\n${linesOf(own.summary, 2)}\n${notes}`;
  }
  const shown = commandsAbout(commands, words);
  const usage = shown.length === 1 ? usageOf(shown[0]) : '<command> [options]';
  const parts = shown.map(([command, { summary }], index) => {
    const isNewSubject = index > 0 && firstWordOf(command) !== firstWordOf(shown[index - 1]?.[0] ?? '');
    const blank = isNewSubject && command.includes(' ') ? '\n' : '';
    return `${blank}${wrapped(usageOf(shown[index]), 2, 6)}${linesOf(summary, 6)}`;
  });
  return `usage: ${name} ${usage}\n\n${parts.join('')}\n${notes}`;
}

const usageOf = (entry: readonly [string, Described] | undefined): string =>
  entry ? `${entry[0]} ${entry[1].usage}`.trimEnd() : '';

const firstWordOf = (name: string): string => name.split(' ')[0] ?? '';

function commandsAbout(
  commands: ReadonlyMap<string, Described>,
  words: readonly string[],
): (readonly [string, Described])[] {
  const all = [...commands];
  const named = all.filter(([name]) => name === words.slice(0, name.split(' ').length).join(' '));
  const related = all.filter(([name]) => firstWordOf(name) === words[0]);
  return [named, related, all].find(({ length }) => length > 0) ?? all;
}

const WIDTH = 100;

/** The lines of a text, each wrapped on its own. */
const linesOf = (text: string, indent: number): string =>
  text
    .split('\n')
    .map((line) => wrapped(line, indent))
    .join('');

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
