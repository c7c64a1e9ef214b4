import { BulkRecords, pagesOf } from '../../database/bulk-records.ts';
import type { Models } from '../../models/models.ts';

const PAGE = 1_000;

/**
 * The ids of the accounts that were erased here. One record for each stays when all the rest has gone. Their rows may still be in
 * the legacy database: they must not come back, not even by another import.
 * @param ids only these are looked for; undefined: all
 */
export async function erasedAccounts(
  { erasures }: Pick<Models, 'erasures'>,
  ids?: readonly string[],
): Promise<ReadonlySet<string>> {
  const records = new BulkRecords<{ _id: string }>(erasures, []);
  if (ids) {
    return new Set((await records.byIds(ids)).keys());
  }
  const all = new Set<string>();
  for await (const page of pagesOf(records, PAGE)) {
    for (const { _id } of page) {
      all.add(_id);
    }
  }
  return all;
}
