import { pagesOf } from '../../database/bulk-records.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { Refusal } from '../refusal.ts';

const PAGE = 500;

/** The ids of the accounts that the legacy service does not have any more, in their order. */
async function* absentAccounts({ models }: LegacyContext): AsyncGenerator<string[]> {
  for await (const page of pagesOf(ACCOUNTS.stored(models), PAGE)) {
    yield page.filter((account) => ACCOUNTS.isMarked(account)).map(({ _id }) => _id);
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
  if (again.length > 0) {
    throw new Refusal(
      `${again.length} accounts that were gone are in the legacy database again (${again.slice(0, 10).join(', ')}). Run sync first: ` +
        'finish would erase them. Nothing was changed.',
    );
  }
  return ids;
}
