import { keepNotedInserts, rememberNotedInserts } from '../bookkeeping/noted-inserts.ts';
import { importFiles } from '../files/import-files.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import { finishRemovals } from '../sync/removals.ts';
import { addTaken, type ImportState, importRows } from './import-rows.ts';
import { KeySet } from './key-set.ts';
import { CounterRaiser } from './raise-counters.ts';

/**
 * Imports what is not imported yet: accounts, profiles, their files, tokens. Nothing is visible before its account.
 * @param run the id of the run; a continuation has the same
 * @throws Stopped after a signal; Error for people
 */
export async function importLegacy(context: LegacyContext, run: string): Promise<void> {
  const { source, stores, bookkeeping, clock } = context;
  await finishRemovals(context);
  const counters = new CounterRaiser(stores.ids, source);
  await counters.raiseAll();
  await keepNotedInserts(context);
  const taken = new KeySet();
  for await (const { rows } of bookkeeping.batches('accounts')) {
    addTaken(taken, rows);
  }
  const erased = await stores.erasures.ids();
  const state: ImportState = { run, now: new Date(clock.now()), taken, erased, counters };
  await importRows(context, ACCOUNTS, state);
  await importRows(context, PROFILES, state);
  if (context.filesDir !== undefined) {
    await importFiles(context, run);
  }
  await importRows(context, TOKENS, state);
  await rememberNotedInserts(context, run);
}
