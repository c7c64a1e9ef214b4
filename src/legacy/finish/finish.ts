import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { type BookedRow, GONE, wasTaken } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import { collectionOf, recordKindOf, storedWithIds } from '../records/stored-records.ts';
import { Refusal } from '../refusal.ts';
import type { Kind } from '../source/legacy-tables.ts';

const PAGE = 500;

/** The ids of the accounts that the legacy service does not have any more, in their order. */
async function absentAfter({ models }: LegacyContext, after: string): Promise<string[]> {
  const found = await collectionOf(models, 'accounts')
    .find({ _id: { $gt: after }, legacyAbsence: { $exists: true } }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(PAGE)
    .toArray();
  return found.map(({ _id }) => _id);
}

/**
 * The accounts that `finish` erases: the legacy service does not have them any more.
 * @throws Refusal if it has one of them again, so that a `sync` would open it
 */
export async function accountsToErase(context: LegacyContext): Promise<string[]> {
  const { source, readTime, policy, clock } = context;
  const conversion = { readTime, policy, now: new Date(clock.now()), erased: new Set<string>() };
  const ids: string[] = [];
  const again: string[] = [];
  for (
    let page = await absentAfter(context, '');
    page.length > 0;
    page = await absentAfter(context, page.at(-1) ?? '')
  ) {
    ids.push(...page);
    const rows = await source.rows('accounts', page);
    again.push(
      ...rows.filter((row) => recordKindOf('accounts').convert(row, conversion).record).map(({ key }) => key),
    );
  }
  refuseReturned('accounts', again);
  return ids;
}

/** The profiles that the legacy service has deleted, but not their accounts. */
export interface DeletedProfiles {
  /** Those that nobody has changed here, or decided about. `finish` removes them. */
  unchanged: DoctorProfile[];
  /** The ids of the others. They stay. */
  changed: string[];
}

/**
 * The profiles whose rows a `sync` has found to be gone, although their accounts are there. Until `finish` they stay.
 * @throws Refusal if the legacy service has one of them again
 */
export async function deletedProfiles({
  bookkeeping,
  models,
  source,
}: LegacyContext): Promise<DeletedProfiles> {
  const found: DeletedProfiles = { unchanged: [], changed: [] };
  const again: string[] = [];
  for await (const { rows } of bookkeeping.batches('profiles')) {
    const gone = rows.filter((row) => row.sum === GONE && wasTaken(row));
    const ids = gone.map(({ key }) => key);
    const accounts = await storedWithIds(models, 'accounts', ids);
    const profiles = await storedWithIds(models, 'profiles', ids);
    again.push(...(await source.rows('profiles', [...profiles.keys()])).map(({ key }) => key));
    for (const { key, digest } of gone) {
      const profile = profiles.get(key);
      const account = accounts.get(key);
      // An account that is gone, too, is erased with its profile.
      if (profile && account && !account.legacyAbsence) {
        const isUnchanged = isUntouched(profile, digest);
        isUnchanged ? found.unchanged.push(profile) : found.changed.push(key);
      }
    }
  }
  refuseReturned('profiles', again);
  return found;
}

/** True for a profile as it was taken over, about which no reviewer here has decided. */
const isUntouched = (profile: DoctorProfile, digest: BookedRow['digest']): boolean =>
  isSameDigest(recordKindOf('profiles').digestOf(profile), digest) &&
  !profile.verification?.decidedAt &&
  !profile.resubmitted;

function refuseReturned(kind: Kind, ids: readonly string[]): void {
  if (ids.length > 0) {
    throw new Refusal(
      `${ids.length} ${kind} that were gone are in the legacy database again (${ids.slice(0, 10).join(', ')}). Run sync first: ` +
        'finish would erase them. Nothing was changed.',
    );
  }
}
