import { ROLES } from '../../stores/accounts.ts';
import { WAITING } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/kinds.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { RowChange } from './work.ts';

const isReviewer = (record: AnyRecord): boolean => 'role' in record && record.role === ROLES.REVIEWER;

/**
 * Revokes the tokens of accounts that are about to become reviewers: a token that was issued to a patient or a doctor must not
 * have the power over doctors. Before the change, so that a kill leaves no such token.
 */
export async function revokeBeforeNewPowers(
  { stores, bookkeeping }: Pick<LegacyContext, 'stores' | 'bookkeeping'>,
  changes: readonly RowChange[],
): Promise<void> {
  const promoted = changes.filter(({ before, after }) => isReviewer(after) && !isReviewer(before));
  if (promoted.length === 0) {
    return;
  }
  const ids = promoted.map(({ before }) => before._id);
  const tokens = await TOKENS.ofAccounts(stores, ids);
  const imported = tokens.filter((token) => TOKENS.isImported(token)).map(({ _id }) => _id);
  // They have not ended: they return with the former role.
  await bookkeeping.rebook('tokens', new Set(imported), WAITING);
  await TOKENS.stored(stores).removeIfUnchanged(tokens);
}
