import { NOT_TAKEN } from '../bookkeeping/booked-row.ts';
import { findSourceFile } from '../files/source-file.ts';
import { placeNamed } from './named-files.ts';
import type { Round } from './round.ts';

/** Copies the files that were missing before and are there now. Files that were copied are not read again. */
export async function syncMissingFiles(round: Round): Promise<void> {
  const { bookkeeping, filesDir } = round.context;
  if (filesDir === undefined) {
    return;
  }
  for (const { number, notTaken } of await bookkeeping.ranges('files')) {
    const batch = notTaken > 0 ? await bookkeeping.batch('files', number) : undefined;
    let isChanged = false;
    const rows = [];
    for (const row of batch?.rows ?? []) {
      const isThereNow = row.sum === NOT_TAKEN && (await findSourceFile(filesDir, row.key)) !== undefined;
      const placed = isThereNow ? await placeNamed(round, row.key) : undefined;
      isChanged ||= placed !== undefined;
      rows.push(placed ?? row);
    }
    if (batch && isChanged) {
      await bookkeeping.put({ ...batch, rows });
    }
  }
}
