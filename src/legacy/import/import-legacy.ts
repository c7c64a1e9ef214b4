import { NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNT_RECORD } from '../records/account-record.ts';
import { PROFILE_RECORD } from '../records/profile-record.ts';
import { TOKEN_RECORD } from '../records/token-record.ts';
import { importRows } from './import-rows.ts';
import { KeySet } from './key-set.ts';

const NO_ACCOUNT = 'its account was not taken';

/**
 * Imports what is not imported yet: accounts, profiles, their files, tokens. Nothing is visible before its account.
 * @param run the id of the run; a continuation has the same
 */
export async function importLegacy(context: LegacyContext, run: string): Promise<void> {
  const { models, bookkeeping } = context;
  const now = new Date(context.clock.now());
  const taken = new KeySet();
  const addTaken = (rows: readonly { key: string; digest: string }[]) => {
    for (const { key, digest } of rows) {
      if (digest !== NOT_TAKEN) {
        taken.add(key);
      }
    }
  };
  for await (const { rows } of bookkeeping.batches('accounts')) {
    addTaken(rows);
  }
  const accounts = models.accounts.collection as never;
  await importRows(
    context,
    {
      kind: 'accounts',
      records: ACCOUNT_RECORD,
      collection: accounts,
      reasonAgainst: () => undefined,
      booked: addTaken,
    },
    run,
    now,
  );
  await importRows(
    context,
    {
      kind: 'profiles',
      records: PROFILE_RECORD,
      collection: models.profiles.collection as never,
      reasonAgainst: ({ key, hasAccount }) => (hasAccount && !taken.has(key) ? NO_ACCOUNT : undefined),
    },
    run,
    now,
  );
  await importRows(
    context,
    {
      kind: 'tokens',
      records: TOKEN_RECORD,
      collection: models.tokens.collection as never,
      reasonAgainst: ({ hasAccount, values }) =>
        hasAccount && !taken.has(values.tokenable_id ?? '') ? NO_ACCOUNT : undefined,
    },
    run,
    now,
  );
}
