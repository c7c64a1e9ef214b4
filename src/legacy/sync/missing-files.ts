import { NOT_TAKEN } from '../bookkeeping/booked-row.ts';
import { placeFile } from '../files/place-file.ts';
import { findSourceFile } from '../files/source-file.ts';
import type { LegacyContext } from '../legacy-context.ts';

/** Copies the files that were missing before and are there now. Files that were copied are not read again. */
export async function syncMissingFiles(context: LegacyContext): Promise<void> {
  const { bookkeeping, stores, filesDir } = context;
  if (filesDir === undefined) {
    return;
  }
  for (const { number, notTaken } of await bookkeeping.ranges('files')) {
    const batch = notTaken > 0 ? await bookkeeping.batch('files', number) : undefined;
    let isChanged = false;
    const rows = [];
    for (const row of batch?.rows ?? []) {
      // The doctor may have been erased here meanwhile.
      const isThereNow =
        row.sum === NOT_TAKEN &&
        (await findSourceFile(filesDir, row.key)) !== undefined &&
        (await stores.doctors.isFileNamed(row.key));
      isChanged ||= isThereNow;
      rows.push(isThereNow ? await placeFile(context, row.key) : row);
    }
    if (batch && isChanged) {
      await bookkeeping.put({ ...batch, rows });
    }
  }
}
