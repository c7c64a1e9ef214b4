import type { Models } from '../../stores/models.ts';

/** One record for each erased account, with its id. It stays when all the rest has gone. */
const ERASURES = 'erasures';

/**
 * The ids of the accounts that were erased here. Their rows may still be in the legacy database: they must not come back, not
 * even by another import.
 * @param ids only these are looked for; undefined: all
 */
export async function erasedAccounts(
  { accounts }: Pick<Models, 'accounts'>,
  ids?: readonly string[],
): Promise<ReadonlySet<string>> {
  const erasures = accounts.db.collection<{ _id: string }>(ERASURES);
  const found = await erasures
    .find(ids ? { _id: { $in: [...ids] } } : {}, { projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}
