import type { LegacyContext } from '../legacy-context.ts';
import { collectionOf, recordKindOf } from '../records/stored-records.ts';
import { Refusal } from '../refusal.ts';

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
  if (again.length > 0) {
    throw new Refusal(
      `${again.length} accounts that were gone are in the legacy database again (${again.slice(0, 10).join(', ')}). Run sync first: ` +
        'finish would erase them. Nothing was changed.',
    );
  }
  return ids;
}
