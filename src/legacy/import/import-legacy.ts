import { keepNotedInserts, rememberNotedInserts } from '../bookkeeping/noted-inserts.ts';
import { importFiles } from '../files/import-files.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { erasedAccounts } from '../records/erased-accounts.ts';
import { finishRemovals } from '../sync/removals.ts';
import { addTaken, type ImportState, importRows } from './import-rows.ts';
import { KeySet } from './key-set.ts';
import { CounterRaiser } from './raise-counters.ts';
import { ACCOUNT_ROWS, PROFILE_ROWS, TOKEN_ROWS } from './row-kinds.ts';

/**
 * Imports what is not imported yet: accounts, profiles, their files, tokens. Nothing is visible before its account.
 * @param run the id of the run; a continuation has the same
 * @throws Stopped after a signal; Error for people
 */
export async function importLegacy(context: LegacyContext, run: string): Promise<void> {
  const { source, connection, models, bookkeeping, clock } = context;
  await finishRemovals(context);
  const counters = new CounterRaiser(connection, source);
  await counters.raiseAll();
  await keepNotedInserts(context);
  const taken = new KeySet();
  for await (const { rows } of bookkeeping.batches('accounts')) {
    addTaken(taken, rows);
  }
  const erased = await erasedAccounts(models);
  const state: ImportState = { run, now: new Date(clock.now()), taken, erased, counters };
  await importRows(context, ACCOUNT_ROWS, state);
  await importRows(context, PROFILE_ROWS, state);
  if (context.filesDir !== undefined) {
    await importFiles(context, run);
  }
  await importRows(context, TOKEN_ROWS, state);
  await rememberNotedInserts(context, run);
}
