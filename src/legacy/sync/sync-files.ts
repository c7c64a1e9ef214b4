import { hasRandomName, isLegacyPath } from '../../documents/stored-path.ts';
import { pagesOf } from '../../stores/bulk-records.ts';
import { findSourceFile, placeFile, type SourceFile } from '../import/import-files.ts';
import { NOT_TAKEN } from '../journal/batch.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { Round } from './round.ts';

/** Copies the files that were missing before and are there now. Files that were copied are not read again. */
export async function syncMissingFiles(round: Round): Promise<void> {
  const { journal, filesDir } = round.context;
  if (filesDir === undefined) {
    return;
  }
  for (const { number, notTaken } of await journal.ranges('files')) {
    const batch = notTaken > 0 ? await journal.batch('files', number) : undefined;
    let isChanged = false;
    const rows = [];
    for (const row of batch?.rows ?? []) {
      const isThereNow = row.sum === NOT_TAKEN && (await findSourceFile(filesDir, row.key)) !== undefined;
      const placed = isThereNow ? await placeNamed(round, row.key) : undefined;
      isChanged ||= placed !== undefined;
      rows.push(placed ?? row);
    }
    if (batch && isChanged) {
      await journal.put({ ...batch, rows });
    }
  }
}

/** How many profiles are read at a time. */
const PAGE = 2_000;
/** A file that was changed so recently may change once more without another time. */
const SETTLING_MILLIS = 2_000;

/** What rounds that follow each other remember, so that they read only files that have changed. */
export interface ComparedFiles {
  /** The paths of the documents whose names are not random, with the states of their files when they were compared. */
  states?: Map<string, string>;
}

/**
 * Copies the files that have changed under their names. No row says so: of the files whose names are not random, those whose size or
 * time has changed since the last round are compared by their content.
 */
export async function syncNamedFiles(round: Round, compared: ComparedFiles): Promise<void> {
  const { context, changes } = round;
  const { filesDir, signal } = context;
  if (filesDir === undefined) {
    return;
  }
  const { added, changed } = changes.profiles;
  if (!compared.states || added + changed > 0) {
    compared.states = await namedFiles(context, compared.states);
  }
  for (const [storedPath, state] of compared.states) {
    signal.throwIfAborted();
    const source = await findSourceFile(filesDir, storedPath);
    if (source && state !== stateOf(source)) {
      await placeNamed(round, storedPath);
      const isSettled = Date.now() - source.changedAt.getTime() > SETTLING_MILLIS;
      compared.states.set(storedPath, isSettled ? stateOf(source) : '');
    }
  }
}

/** The paths of the profiles' documents whose names are not random. */
async function namedFiles(
  { stores, signal }: LegacyContext,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for await (const page of pagesOf(PROFILES.stored(stores), PAGE)) {
    signal.throwIfAborted();
    const paths = page.flatMap((profile) => PROFILES.documentsOf(profile));
    for (const path of paths.filter((one) => isLegacyPath(one) && !hasRandomName(one))) {
      named.set(path, known.get(path) ?? '');
    }
  }
  return named;
}

const stateOf = ({ sizeBytes, changedAt }: SourceFile): string => `${sizeBytes} ${changedAt.getTime()}`;

/** Copies a file if a profile still names it: the doctor may be erased here meanwhile. */
async function placeNamed({ context, changes }: Round, storedPath: string) {
  const { stores, documents } = context;
  if (!(await stores.doctors.isFileNamed(storedPath))) {
    return undefined;
  }
  const { done, ...row } = await placeFile(context, storedPath);
  if (done && !(await stores.doctors.isFileNamed(storedPath))) {
    await documents.remove(storedPath);
  } else if (done) {
    changes.files[done] += 1;
  }
  return row;
}
