import { AccountData } from '../../auth/account-data.ts';
import { commandActor } from '../../auth/caller.ts';
import { Erasure } from '../../auth/privacy/erasure.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import { GONE, type RecordedRow, wasTaken } from '../journal/batch.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { isSameDigest, policyOf } from '../records/legacy-record.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { logOf, withContext } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { confirm, takeLock } from './with-run.ts';

/** Reads the options of the command `finish`. */
export const prepareTask: PrepareAction = (options) => {
  const given = { legacy: legacyOptions(options), isConfirmed: options.yes ?? false };
  return (invocation) => runFinish(invocation, given);
};

/** How many ids are named. */
const SHOWN_IDS = 10;

/** Runs the command `finish`. After a kill, the same command completes it. */
const runFinish = (
  invocation: LegacyInvocation,
  { legacy, isConfirmed }: { legacy: LegacyOptions; isConfirmed: boolean },
): Promise<void> =>
  withContext(invocation, legacy, 'beside', async (context) => {
    const last = (await context.journal.runs.all()).findLast(({ command }) => command === 'import');
    const known = { ...context, policy: policyOf(last?.options ?? {}) };
    const ids = await accountsToErase(known);
    const profiles = await deletedProfiles(known);
    if (!isConfirmed) {
      const erased = [
        ...(ids.length > 0 ? [`${ids.length} accounts`] : []),
        ...(profiles.unchanged.length > 0 ? [`${profiles.unchanged.length} profiles`] : []),
      ];
      const erasing =
        erased.length > 0
          ? `, and erase ${erased.join(' and ')} that the legacy service does not have any more`
          : '';
      await confirm(invocation, `Forget what the import remembers${erasing}? There is no way back then.`);
    }
    await takeLock(context);
    await eraseAll(invocation, context, await accountsToErase(known));
    const deleted = await removeDeleted(context, await deletedProfiles(known));
    await context.journal.drop();
    invocation.output.line({
      text: [
        ...(ids.length > 0
          ? [`${ids.length} accounts were erased that the legacy service does not have any more.`]
          : []),
        ...(deleted.removed.length > 0
          ? [
              `${deleted.removed.length} profiles were removed that were deleted there: ${shown(deleted.removed)}.`,
            ]
          : []),
        ...(deleted.kept.length > 0
          ? [
              `${deleted.kept.length} profiles were deleted there and stay, because they were changed or decided on here: ` +
                `${shown(deleted.kept)}.`,
            ]
          : []),
        `What the import remembered is forgotten. The reports stay in ${invocation.config.legacy.reportsDir}.`,
      ],
      json: {
        event: 'finished',
        erased: ids.length,
        profilesRemoved: deleted.removed.length,
        profilesKept: deleted.kept,
      },
    });
  });

/** The first ids. */
const shown = (ids: readonly string[]): string =>
  `${ids.slice(0, SHOWN_IDS).join(', ')}${ids.length > SHOWN_IDS ? ', …' : ''}`;

/**
 * The accounts that `finish` erases: the legacy service does not have them any more.
 * @throws Refusal if it has one of them again, so that a `sync` would open it
 */
async function accountsToErase(context: LegacyContext): Promise<string[]> {
  const { source, readTime, policy, clock } = context;
  const conversion = { readTime, policy, now: new Date(clock.now()), erased: new Set<string>() };
  const ids: string[] = [];
  const again: string[] = [];
  for await (const page of context.stores.accounts.absentPages()) {
    ids.push(...page);
    const rows = await source.rows('accounts', page);
    again.push(...rows.filter((row) => ACCOUNTS.convert(row, conversion).record).map(({ key }) => key));
  }
  refuseReturned('accounts', again);
  return ids;
}

/** Erases accounts as their owners could, with an event for each. */
async function eraseAll(
  invocation: LegacyInvocation,
  { stores, documents, audit, clock }: LegacyContext,
  ids: readonly string[],
): Promise<void> {
  const log = logOf(invocation);
  const accountData = new AccountData(stores, log);
  const erasure = new Erasure({ stores, accountData, documents, audit, clock, log });
  const actor = commandActor('legacy finish');
  for (const id of ids) {
    invocation.signal.throwIfAborted();
    await erasure.eraseNow(id, actor);
  }
}

/** The profiles that the legacy service has deleted, but not their accounts. */
interface DeletedProfiles {
  /** Those that nobody has changed here, or decided about. `finish` removes them. */
  unchanged: DoctorProfile[];
  /** The ids of the others. They stay. */
  changed: string[];
}

/**
 * The profiles whose rows a `sync` has found to be gone, although their accounts are there. Until `finish` they stay.
 * @throws Refusal if the legacy service has one of them again
 */
async function deletedProfiles({ journal, stores, source }: LegacyContext): Promise<DeletedProfiles> {
  const found: DeletedProfiles = { unchanged: [], changed: [] };
  const again: string[] = [];
  for await (const { rows } of journal.batches('profiles')) {
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

/** True for a profile as it was taken over, about which no reviewer here has decided. */
const isUntouched = (profile: DoctorProfile, digest: RecordedRow['digest']): boolean =>
  isSameDigest(PROFILES.digestOf(profile), digest) &&
  !profile.verification?.decidedAt &&
  !profile.resubmitted;

function refuseReturned(kind: Kind, ids: readonly string[]): void {
  if (ids.length > 0) {
    throw new LegacyError(
      `${ids.length} ${kind} that were gone are in the legacy database again (${ids.slice(0, 10).join(', ')}). Run sync first: ` +
        'finish would erase them. Nothing was changed.',
    );
  }
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
