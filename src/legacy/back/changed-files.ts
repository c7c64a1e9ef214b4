import { hasRandomName, isLegacyPath } from '../../documents/stored-path.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import type { BookedRow } from '../bookkeeping/booked-row.ts';
import { pathsOf } from '../files/import-files.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import { writeFilesBack } from './back-files.ts';
import { type BackState, notWritten } from './back-state.ts';

/**
 * Copies the documents that profiles have got here: those on which a reviewer has decided.
 * @returns the rows whose documents are all there
 */
export async function withFilesThere(
  state: BackState,
  kind: 'accounts' | 'profiles',
  rows: readonly BookedRow[],
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<readonly BookedRow[]> {
  if (kind === 'accounts' || state.isDryRun) {
    return rows;
  }
  const ready: BookedRow[] = [];
  for (const row of rows) {
    const paths = pathsOf(stored.get(row.key) as DoctorProfile);
    const reason = await writeFilesBack(
      state,
      // The legacy service has its own, unless it uses their names again.
      paths.filter((path) => !(isLegacyPath(path) && hasRandomName(path))),
    );
    if (reason === undefined) {
      ready.push(row);
    } else {
      notWritten(state, kind, row.key, reason);
    }
  }
  return ready;
}
