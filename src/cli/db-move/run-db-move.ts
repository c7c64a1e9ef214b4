import type { Environment } from '../../config/config.ts';
import { ConfigError } from '../../config/settings-reader.ts';
import { dataFolderOf, mongodbUriOf } from '../../config/storage-settings.ts';
import { isDatabaseAway, isDatabaseFull } from '../../database/database-errors.ts';
import { moveCollections } from '../../database/move/move.ts';
import { MoveRefusal } from '../../database/move/target.ts';
import { type MoveSource, openSource } from '../../database/move/move.ts';
import { MoveTarget } from '../../database/move/target.ts';
import { messageOf } from '../../system/system-errors.ts';
import { Output } from '../output/output.ts';
import type { Outputs } from '../outputs.ts';
import { runProgram } from '../run-program.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { UsageError } from '../usage-error.ts';
import { HELP, type MoveCommand, readCommandLine } from './command-line.ts';

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
