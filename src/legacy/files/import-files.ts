import { isLegacyPath } from '../../documents/stored-path.ts';
import { type BookedRow, wasTaken } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { placeFile } from './place-file.ts';
import { missingFile } from './source-file.ts';

/** The profiles whose files are copied and booked together. A kill repeats no more than that. */
const BATCH_PROFILES = 50;
/** How many files are copied at a time: one is read while others are flushed. */
const AT_A_TIME = 4;

/** Copies the files of the imported profiles that are not booked yet. */
export async function importFiles(context: LegacyContext, run: string): Promise<void> {
  const { bookkeeping, stores, observer, signal } = context;
  const next = ((await bookkeeping.last('files'))?.number ?? -1) + 1;
  const total = await countFiles(context);
  let number = 0;
  let done = 0;
  for await (const ids of takenProfiles(context)) {
    if (number >= next) {
      const profiles = await PROFILES.stored(stores).byIds(ids);
      const paths = [...profiles.values()].flatMap((profile) => PROFILES.documentsOf(profile));
      for (const path of paths.filter((one) => !isLegacyPath(one))) {
        observer.found(missingFile(path));
      }
      const rows = await placeAll(context, paths.filter(isLegacyPath));
      await bookkeeping.put({ kind: 'files', number, run, rows });
      done += rows.length;
      observer.progress('files', done, total);
      signal.throwIfAborted();
    } else {
      done += 3 * ids.length;
    }
    number += 1;
  }
}

async function countFiles({ source }: LegacyContext): Promise<number> {
  const columns = ['license_file_path', 'diploma_file_path', 'certification_file_path'];
  let count = 0;
  for (const column of columns) {
    count += await source.countGiven('profiles', column);
  }
  return count;
}

/** The ids of the imported profiles, always in the same groups. */
async function* takenProfiles({ bookkeeping }: LegacyContext): AsyncGenerator<string[]> {
  for await (const { rows } of bookkeeping.batches('profiles')) {
    for (let start = 0; start < rows.length; start += BATCH_PROFILES) {
      const group = rows.slice(start, start + BATCH_PROFILES);
      yield group.filter(wasTaken).map(({ key }) => key);
    }
  }
}

/** Copies files, some at a time. @throws the first failure, after the running copies have ended */
async function placeAll(context: LegacyContext, paths: readonly string[]): Promise<BookedRow[]> {
  const rows: BookedRow[] = [];
  const left = paths.entries();
  const work = async () => {
    for (const [index, path] of left) {
      rows[index] = await placeFile(context, path);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    throw failed.reason;
  }
  return rows;
}
