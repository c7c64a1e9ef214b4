import type { Environment } from '../config/config.ts';
import { dataFolderOf, mongodbUriOf } from '../config/database-settings.ts';
import { ConfigError } from '../config/settings-reader.ts';
import { isDatabaseAway, isDatabaseFull } from '../database/database-errors.ts';
import { type MoveSource, moveCollections, openSource } from '../database/move/move.ts';
import { MoveRefusal, MoveTarget } from '../database/move/target.ts';
import { messageOf } from '../system/system-errors.ts';
import { parseWords, UsageError } from './command-words.ts';
import { Output } from './output.ts';
import type { Outputs } from './print.ts';
import { runProgram, stopOnSignals } from './run-program.ts';

/**
 * Moves the embedded database.
 * @param words the command line after the program's name
 * @param environment returns the settings; only those are read that the command line leaves open
 * @returns the exit code: 0 moved, 1 failed or stopped, 2 refused before anything was changed
 */
export function runDbMove(
  words: string[],
  environment: () => Environment,
  outputs: Outputs,
): Promise<0 | 1 | 2> {
  const act = () => run(readCommandLine(words), environment, outputs);
  const isRefusal = (error: unknown) => error instanceof MoveRefusal || error instanceof ConfigError;
  return runProgram('db:move', outputs.stderr, act, isRefusal);
}

async function run(command: MoveCommand, environment: () => Environment, outputs: Outputs): Promise<void> {
  if (command.isHelp) {
    outputs.stdout.write(HELP);
    return;
  }
  const uri = command.to ?? mongodbUriOf(environment());
  if (uri === undefined) {
    throw new UsageError('The target is missing: give --to, or set MONGODB_URI.');
  }
  const output = new Output(outputs, false);
  const source = await openSource(command.path ?? dataFolderOf(environment()), command.database);
  try {
    await moveInto(uri, source, output);
  } finally {
    output.endProgress();
    await source.close();
  }
}

async function moveInto(uri: string, source: MoveSource, output: Output): Promise<void> {
  const target = await MoveTarget.open(uri);
  const stopping = new AbortController();
  const endStopping = stopOnSignals(() => {
    output.note('Stopping after the running batch.');
    stopping.abort(new Error('Stopped. The same command goes on where this one was.'));
  });
  try {
    output.note(`From ${source.database} in ${source.folder} to ${target.name}`);
    const onProgress = output.progress.bind(output);
    const { collections } = source;
    await moveCollections({ collections, target, onProgress, signal: stopping.signal }).catch(explain);
    output.line({ text: reportOf(source, target.name) });
  } finally {
    endStopping();
    await target.close();
  }
}

/** A lost target is no reason to begin again. */
function explain(error: unknown): never {
  if (isDatabaseAway(error) && !isDatabaseFull(error)) {
    const text = `The target is away: ${messageOf(error)}. The same command goes on where this one was.`;
    throw new Error(text, { cause: error });
  }
  throw error;
}

function reportOf({ collections, folder, others }: MoveSource, target: string): string[] {
  const counts = collections.map((each) => ({ ...each, documents: each.count() }));
  const sum = counts.reduce((total, { documents }) => total + documents, 0);
  const stayed = others.length === 0 ? [] : [`Not moved: the databases ${others.join(', ')} of the folder.`];
  return [
    ...counts.map(
      ({ name, documents, indexes }) => `${name}: ${documents} documents, ${indexes.length + 1} indexes`,
    ),
    `Moved: ${sum} documents are in ${target}. Every document was compared byte for byte, and every index.`,
    ...stayed,
    'Next:',
    '  1. Set MONGODB_URI to this address, and start the gateway. The uploaded documents stay where they are.',
    `  2. Start no gateway on ${folder} again: it would not know what is new. Nothing in the folder was changed.`,
    '     Keep it until you are sure. It has the hashes of all passwords.',
  ];
}

/** The help text. */
const HELP = `usage: npm run db:move -- [--to ADDRESS] [--path FOLDER] [--database NAME]

  Copies the embedded database into a MongoDB, and compares every document and every index. It
  changes nothing in the folder of the embedded database. Stop the gateway first. If the move is
  interrupted, run the same command again: it continues.

  --to mongodb://user:password@host/database is the target. If it names no database, the target is
    auth_gateway. Default: MONGODB_URI or MONGODB_URI_FILE. Prefer these: other users of the machine
    can see a command line.
  --path FOLDER is the folder of the embedded database. Default: DATA_DIR.
  --database NAME is the database in the folder. Default: its only one, or auth_gateway.
  Exit codes: 0 moved; 1 failed or stopped; 2 refused, and nothing was changed.
`;

const OPTIONS = {
  to: { type: 'string' },
  path: { type: 'string' },
  database: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** A parsed command line. What is undefined comes from the settings. */
interface MoveCommand {
  isHelp: boolean;
  to: string | undefined;
  path: string | undefined;
  database: string | undefined;
}

/** @throws UsageError. It never has the address, which may contain a password */
function readCommandLine(words: string[]): MoveCommand {
  const { values, positionals } = parseWords(words, OPTIONS);
  const { to, path, database, help: isHelp = false } = values;
  if (positionals.length > 0) {
    throw new UsageError('The address of the target is given with --to.');
  }
  if (to !== undefined && !/^mongodb(\+srv)?:\/\/[^/]/.test(to)) {
    throw new UsageError('--to must be a mongodb:// or mongodb+srv:// address.');
  }
  if (path === '' || path === ':memory:' || database === '') {
    throw new UsageError(
      `${database === '' ? '--database must name a database' : '--path must be a folder'}.`,
    );
  }
  return { isHelp, to, path, database };
}
