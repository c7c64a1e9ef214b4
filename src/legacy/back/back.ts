import type { LegacyContext } from '../legacy-context.ts';
import { collectionOf } from '../records/stored-records.ts';
import { timeWriter } from '../source/legacy-time.ts';
import type { BackState, WrittenRows } from './back-state.ts';
import { writeKnown } from './known-rows.ts';
import { LegacyWriter } from './legacy-writer.ts';
import { addAccounts, addProfiles, addTokens } from './new-records.ts';

/** How `back` is asked for. */
export interface BackOptions {
  run: string;
  timeZone: string;
  /** True: nothing is written. */
  isDryRun: boolean;
}

/** What `back` has written. */
export type BackResult = Pick<BackState, 'written' | 'files'>;

/**
 * Writes what is newer here to the legacy database, so that the legacy service can be switched on again: changed, removed
 * and new accounts, profiles and tokens. Each transaction is small. After a kill the same command goes on, and a second run
 * writes nothing.
 *
 * Tokens that were revoked here go first, because that is urgent; new ones go last, because they need their accounts.
 */
export async function back(
  context: LegacyContext,
  { run, timeZone, isDryRun }: BackOptions,
): Promise<BackResult> {
  const nothing = (): WrittenRows => ({ added: 0, changed: 0, removed: 0 });
  const state: BackState = {
    context,
    writer: new LegacyWriter(context.source),
    writeTime: timeWriter(timeZone),
    run,
    isDryRun,
    written: { accounts: nothing(), profiles: nothing(), tokens: nothing() },
    files: 0,
    legacyKeys: await context.bookkeeping.legacyKeys(),
  };
  const tokens = await writeKnown(state, 'tokens');
  const accounts = await writeKnown(state, 'accounts');
  await addAccounts(state, accounts);
  const profiles = await writeKnown(state, 'profiles');
  await addProfiles(state, profiles);
  await addTokens(state, tokens);
  await reportDisabled(context);
  return { written: state.written, files: state.files };
}

/** The legacy service has nothing like it: their owners can log in again there. */
async function reportDisabled({ models, observer }: LegacyContext): Promise<void> {
  const disabled = collectionOf(models, 'accounts').find(
    { disabledAt: { $type: 'date' } },
    { projection: { _id: 1 }, sort: { _id: 1 } },
  );
  for (const { _id } of await disabled.toArray()) {
    const reason = 'it is disabled here; the legacy service lets its owner log in';
    observer.found({ kind: 'accounts', id: _id, outcome: 'not written', reason });
  }
}
