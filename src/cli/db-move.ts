import { setFlagsFromString } from 'node:v8';
import { dataFolderOf, mongodbUriOf } from '../config/database-settings.ts';
import { ConfigError } from '../config/settings-reader.ts';
import { isDatabaseAway, isDatabaseFull } from '../database/database-errors.ts';
import { type MoveSource, moveCollections, openSource } from '../database/move/move.ts';
import { MoveRefusal, MoveTarget } from '../database/move/target.ts';
import { messageOf } from '../system/system-errors.ts';
import {
  type Action,
  type CommandGroup,
  type OptionsOf,
  runnerOf,
  stopOnSignals,
  UsageError,
} from './command-line.ts';
import { Output } from './output.ts';
import type { Line } from './print.ts';

const OPTIONS = {
  to: { type: 'string' },
  path: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const NOTES = `  --to mongodb://user:password@host/database is the target. If it names no database, the target is
    auth_gateway. Default: MONGODB_URI or MONGODB_URI_FILE. Prefer these: other users of the machine
    can see a command line.
  --path FOLDER is the folder of the embedded database. Default: DATA_DIR.
  --database NAME is the database in the folder. Default: its only one, or auth_gateway.
  --json prints one JSON object per line.
  Exit codes: 0 moved; 1 failed or stopped; 2 refused, and nothing was changed.
`;

/** Copies the embedded database into a MongoDB. */
const MOVE: CommandGroup<typeof OPTIONS> = {
  name: 'auth-gateway db move',
  options: OPTIONS,
  forAll: ['json', 'help'],
  commands: new Map([
    [
      '',
      {
        usage: '[--to ADDRESS] [--path FOLDER] [--database NAME] [--json]',
        summary:
          'Copies the embedded database into a MongoDB, and compares every document and every index. It changes nothing in the folder of the embedded database. Stop the gateway first. If the move is interrupted, run the same command again: it continues.',
        options: ['to', 'path', 'database'],
        prepare: (values) => prepareMove(values),
      },
    ],
  ]),
  notes: NOTES,
  tooManyWords: 'The address of the target is given with --to.',
  isRefusal: (error) => error instanceof MoveRefusal || error instanceof ConfigError,
};

export const run = runnerOf(MOVE);

/**
 * Checks the options. What is undefined comes from the settings.
 * @throws UsageError. It never has the address, which may contain a password
 */
function prepareMove({ to, path, database }: OptionsOf<typeof OPTIONS>): Action {
  if (to !== undefined && !/^mongodb(\+srv)?:\/\/[^/]/.test(to)) {
    throw new UsageError('--to must be a mongodb:// or mongodb+srv:// address.');
  }
  if (path === '' || path === ':memory:' || database === '') {
    throw new UsageError(
      `${database === '' ? '--database must name a database' : '--path must be a folder'}.`,
    );
  }
  return async (invocation) => {
    const environment = invocation.environment();
    const uri = to ?? mongodbUriOf(environment);
    if (uri === undefined) {
      throw new UsageError('The target is missing: give --to, or set MONGODB_URI.');
    }
    const output = new Output(invocation, invocation.isJson);
    // The heap would fill with garbage of millions of documents before it is cleaned.
    setFlagsFromString('--heap-growing-percent=60');
    const source = await openSource(path ?? dataFolderOf(environment), database);
    try {
      await moveInto(uri, source, output);
    } finally {
      output.endProgress();
      await source.close();
    }
    return 0;
  };
}

async function moveInto(uri: string, source: MoveSource, output: Output): Promise<void> {
  const target = await MoveTarget.open(uri);
  const stopping = new AbortController();
  const endStopping = stopOnSignals(() => {
    output.note('Stopping after the running batch.');
    stopping.abort(new Error('Stopped. Run the same command again to continue.'));
  });
  try {
    output.note(`From ${source.database} in ${source.folder} to ${target.name}`);
    const onProgress = output.progress.bind(output);
    const { collections } = source;
    await moveCollections({ collections, target, onProgress, signal: stopping.signal }).catch(explain);
    output.line(reportOf(source, target.name));
  } finally {
    endStopping();
    await target.close();
  }
}

/** A lost target is no reason to begin again. */
function explain(error: unknown): never {
  if (isDatabaseAway(error) && !isDatabaseFull(error)) {
    const text = `The target is unreachable: ${messageOf(error)}. Run the same command again to continue.`;
    throw new Error(text, { cause: error });
  }
  throw error;
}

function reportOf({ collections, folder, others }: MoveSource, target: string): Line {
  const counts = collections.map((each) => ({ ...each, documents: each.count() }));
  const sum = counts.reduce((total, { documents }) => total + documents, 0);
  const stayed = others.length === 0 ? [] : [`Not moved: the databases ${others.join(', ')} of the folder.`];
  const text = [
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
  const moved = counts.map(({ name, documents, indexes }) => ({
    name,
    documents,
    indexes: indexes.length + 1,
  }));
  return { text, json: { event: 'moved', target, documents: sum, collections: moved } };
}
