import { pagesOf } from '../../stores/bulk-records.ts';
import { endOf, STORED_STATUSES, storedStatusOf } from '../../stores/doctors.ts';
import { KeySet } from '../import/key-set.ts';
import { renewSums } from '../journal/earlier-runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS, isDisabledHere } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { timeWriter } from '../source/legacy-time.ts';
import { type BackState, type HasEnded, isClosed, type WrittenRows } from './back-state.ts';
import { writeDeferred } from './deferred-accounts.ts';
import { writeKnown } from './known-rows.ts';
import { LegacyWriter, requiredColumns } from './legacy-writer.ts';
import { addAccounts, addProfiles, addTokens } from './new-rows.ts';
import { reasonAgainstRehearsal } from './rehearsal.ts';

/** How `back` is asked for. */
export interface BackOptions {
  run: string;
  timeZone: string;
  hasEndedBySettings: HasEnded;
  /** True: nothing of it lasts. */
  isDryRun: boolean;
}

/** What `back` has written, or would write. */
export interface BackResult {
  written: BackState['written'];
  files: number;
  /** The accounts that were not written, without reviewers and accounts that their owners have closed. */
  unwrittenAccounts: number;
  /** Why a dry run has executed no statement, so that it knows less; undefined if it has. */
  onlyCountedBecause: string | undefined;
}

/**
 * Writes what is newer here to the legacy database, so that the legacy service can be switched on again: changed, removed
 * and new accounts, profiles and tokens. Each transaction is small. After a kill the same command continues, and a second run
 * writes nothing.
 *
 * A dry run executes the same statements in one transaction, and rolls it back.
 */
export async function back(context: LegacyContext, options: BackOptions): Promise<BackResult> {
  const { isDryRun } = options;
  const onlyCountedBecause = isDryRun ? await reasonAgainstRehearsal(context.source) : undefined;
  const rehearsing = onlyCountedBecause === undefined ? 'rehearse' : 'count';
  const required = {
    accounts: await requiredColumns(context.source, 'accounts'),
    profiles: await requiredColumns(context.source, 'profiles'),
    tokens: await requiredColumns(context.source, 'tokens'),
  };
  const writer = new LegacyWriter(context.source, isDryRun ? rehearsing : 'write', required);
  const state = await stateOf(context, options, { writer, required });
  await writer.begin();
  try {
    await writeAll(state);
  } finally {
    await writer.end();
  }
  const { written, copied, unwrittenAccounts } = state;
  return { written, files: copied.size, unwrittenAccounts, onlyCountedBecause };
}

async function stateOf(
  context: LegacyContext,
  { run, timeZone, hasEndedBySettings, isDryRun }: BackOptions,
  parts: Pick<BackState, 'writer' | 'required'>,
): Promise<BackState> {
  const nothing = (): WrittenRows => ({ added: 0, changed: 0, removed: 0 });
  return {
    context,
    ...parts,
    writeTime: timeWriter(timeZone),
    run,
    hasEndedBySettings,
    isDryRun,
    written: { accounts: nothing(), profiles: nothing(), tokens: nothing() },
    unwrittenAccounts: 0,
    copied: new Set(),
    added: { accounts: new Set(), profiles: new Set(), tokens: new Set() },
    accountsThere: new KeySet(),
    legacyKeys: await context.journal.notes.legacyKeys(),
    deferred: new Map(),
  };
}

/** Tokens that were revoked here go first, because that is urgent; new ones go last, because they need their accounts. */
async function writeAll(state: BackState): Promise<void> {
  const { context, isDryRun } = state;
  if (!isDryRun) {
    await renewSums(context);
  }
  const tokens = await writeKnown(state, 'tokens');
  state.accountsThere = await writeKnown(state, 'accounts');
  await writeDeferred(state);
  await addAccounts(state);
  const profiles = await writeKnown(state, 'profiles');
  await addProfiles(state, profiles);
  await addTokens(state, tokens);
  await reportDisabled(context);
  await reportReviewed(context);
}

/** How many records are read at a time. */
const PAGE = 1_000;

/** The legacy service has nothing like it: their owners can log in again there. */
async function reportDisabled({ stores, observer }: LegacyContext): Promise<void> {
  for await (const page of pagesOf(ACCOUNTS.stored(stores), PAGE)) {
    for (const account of page.filter(isDisabledHere)) {
      const reason = isClosed(account)
        ? 'its owner has closed it; the legacy service lets its owner log in, and does not erase it'
        : 'it is disabled here; the legacy service lets its owner log in';
      observer.found({ kind: 'accounts', id: account._id, outcome: 'not written', reason });
    }
  }
}

/** The legacy service knows no reviews: such doctors are there what all doctors are. */
async function reportReviewed({ stores, observer }: LegacyContext): Promise<void> {
  const { REJECTED, SUSPENDED } = STORED_STATUSES;
  for await (const page of pagesOf(PROFILES.stored(stores), PAGE)) {
    for (const profile of page) {
      const status = storedStatusOf(profile);
      const end = endOf(profile);
      const reasons = [
        profile.resubmitted &&
          'its new documents wait for a decision here; the legacy service keeps the former ones',
        end && `its verification ends here at ${end.toISOString()}; the legacy service does not know that`,
        (status === REJECTED || status === SUSPENDED) &&
          `it is ${status} here; the legacy service does not know that`,
      ];
      for (const reason of reasons.filter((one) => typeof one === 'string')) {
        observer.found({ kind: 'profiles', id: profile._id, outcome: 'not written', reason });
      }
    }
  }
}
