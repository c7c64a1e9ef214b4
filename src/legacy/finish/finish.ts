import type { DoctorProfile } from '../../stores/doctors.ts';
import { type BookedRow, GONE, wasTaken } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { Refusal } from '../refusal.ts';
import type { Kind } from '../source/legacy-tables.ts';

const PAGE = 500;

/** The ids of the accounts that the legacy service does not have any more, in their order. */
async function* absentAccounts({ stores: { accounts } }: LegacyContext): AsyncGenerator<string[]> {
  for (let page = await accounts.absentAfter('', PAGE); page.length > 0; ) {
    yield page;
    page = await accounts.absentAfter(page.at(-1) ?? '', PAGE);
  }
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
  for await (const page of absentAccounts(context)) {
    ids.push(...page);
    const rows = await source.rows('accounts', page);
    again.push(...rows.filter((row) => ACCOUNTS.convert(row, conversion).record).map(({ key }) => key));
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
  stores,
  source,
}: LegacyContext): Promise<DeletedProfiles> {
  const found: DeletedProfiles = { unchanged: [], changed: [] };
  const again: string[] = [];
  for await (const { rows } of bookkeeping.batches('profiles')) {
    const gone = rows.filter((row) => row.sum === GONE && wasTaken(row));
    const ids = gone.map(({ key }) => key);
    const accounts = await ACCOUNTS.stored(stores).byIds(ids);
    const profiles = await PROFILES.stored(stores).byIds(ids);
    again.push(...(await source.rows('profiles', [...profiles.keys()])).map(({ key }) => key));
    for (const { key, digest } of gone) {
      const profile = profiles.get(key);
      const account = accounts.get(key);
      // An account that is gone, too, is erased with its profile.
      if (profile && account && !ACCOUNTS.isMarked(account)) {
        const isUnchanged = isUntouched(profile, digest);
        isUnchanged ? found.unchanged.push(profile) : found.changed.push(key);
      }
    }
  }
  refuseReturned('profiles', again);
  return found;
}

/**
 * Removes profiles with their documents. One that a reviewer decides about in this moment stays.
 * @returns the ids of those that were removed, and of those that stay
 */
export async function removeDeleted(
  { stores, documents }: Pick<LegacyContext, 'stores' | 'documents'>,
  { unchanged, changed }: DeletedProfiles,
): Promise<{ removed: string[]; kept: string[] }> {
  const result = { removed: [] as string[], kept: [...changed] };
  for (const profile of unchanged) {
    const isRemoved = await stores.doctors.removeWithFiles(profile._id, documents, profile);
    (isRemoved ? result.removed : result.kept).push(profile._id);
  }
  return result;
}

/** True for a profile as it was taken over, about which no reviewer here has decided. */
const isUntouched = (profile: DoctorProfile, digest: BookedRow['digest']): boolean =>
  isSameDigest(PROFILES.digestOf(profile), digest) &&
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
