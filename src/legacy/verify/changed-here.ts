import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';

/**
 * True if somebody has changed the record here on purpose: the owner or an operator, which sets a later time of change, or a
 * reviewer who has decided about the doctor. A damaged record has no such mark.
 * @param fields the names of those that differ
 */
export function wasChangedHere(
  kind: Kind,
  stored: AnyRecord,
  record: AnyRecord,
  fields: readonly string[],
): boolean {
  if (kind === 'accounts') {
    const [here, there] = [stored, record] as StoredAccount[];
    return Number(here?.updatedAt ?? 0) > Number(there?.updatedAt ?? 0);
  }
  const isDecided = 'verification' in stored && Boolean(stored.verification?.decidedAt);
  return kind === 'profiles' && isDecided && fields.every(isDecidedOn);
}

/** A decision sets the state of the doctor, and new documents if there were any. */
const isDecidedOn = (field: string): boolean => field === 'verification' || field.endsWith('FilePath');
