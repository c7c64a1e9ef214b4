import { readFileSync } from 'node:fs';
import path from 'node:path';
import { printError, type RunCommand, UsageError } from './cli/command-line.ts';
import { nearest } from './system/nearest.ts';

interface Entry {
  summary: string;
  /** Only when it runs, so that no command waits for the libraries of another. */
  load(): Promise<{ run: RunCommand }>;
}

/** What the command `auth-gateway` can do, by its first word. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  start: { summary: 'starts the gateway', load: () => import('./cli/start.ts') },
  admin: {
    summary: 'accounts, doctors, tokens, second factors, mails and the audit trail',
    load: () => import('./cli/admin/group.ts'),
  },
  check: {
    summary: 'checks whether this installation is ready for traffic',
    load: () => import('./cli/check/run-check.ts'),
  },
  db: {
    summary: 'the embedded database: backup, restore, move and more',
    load: () => import('./cli/db.ts'),
  },
  mails: { summary: 'writes every mail into a folder, to look at', load: () => import('./cli/mails.ts') },
  legacy: { summary: 'moves in from the legacy service', load: () => import('./legacy/commands/group.ts') },
  sweep: {
    summary: 'removes documents and tokens that no account owns',
    load: () => import('./cli/sweep.ts'),
  },
};

const NAME = 'auth-gateway';

/** The help text. */
const HELP = `usage: ${NAME} <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}\n`)
  .join('')}
  ${NAME} <command> --help describes a command. ${NAME} --version prints the version.
  All commands read the gateway's settings: docs/settings.md.
`;

/**
 * Runs a command.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code; undefined if the process must stay, because the gateway runs in it
 */
export const runCommand: RunCommand = async (words, environment, streams) => {
  const [word = '', ...others] = words;
  // The name of `check` in earlier releases, for their scripts. The next release has it no more.
  const name = word === 'doctor' ? 'check' : word;
  if (name === '--help' || name === 'help') {
    streams.stdout.write(HELP);
    return 0;
  }
  if (name === '--version') {
    streams.stdout.write(`${version()}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const meant = nearest(name, Object.keys(COMMANDS));
    const hint =
      meant === undefined ? ` There are ${Object.keys(COMMANDS).join(', ')}.` : ` Did you mean ${meant}?`;
    printError(NAME, new UsageError(`There is no such command.${hint}`), streams);
    return 2;
  }
  const { run } = await command.load();
  return run(others, environment, streams);
};

function version(): string {
  const file = path.join(import.meta.dirname, '../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
