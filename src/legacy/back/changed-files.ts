import { isLegacyPath } from '../../documents/document-store.ts';
import type { BookedRow } from '../bookkeeping/booked-row.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
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
    const record = stored.get(row.key);
    const paths = record ? kindOf(kind).documentsOf(record) : [];
    const reason = await writeFilesBack(
      state,
      paths.filter((path) => !isLegacyPath(path)),
    );
    if (reason === undefined) {
      ready.push(row);
    } else {
      notWritten(state, kind, row.key, reason);
    }
  }
  return ready;
}
