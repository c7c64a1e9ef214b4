import { ROLES } from '../../models/account.model.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** A record as it is, and as it will be. */
interface Replacement {
  stored: AnyRecord;
  record: AnyRecord;
}

const isReviewer = (record: AnyRecord): boolean => 'role' in record && record.role === ROLES.REVIEWER;

/**
 * Revokes the tokens of accounts that are about to become reviewers: a token that was issued to a patient or a doctor must not
 * have the power over doctors. Before the change, so that a kill leaves no such token.
 */
export async function revokeBeforeNewPowers(
  { models }: Pick<LegacyContext, 'models'>,
  kind: Kind,
  replacements: readonly Replacement[],
): Promise<void> {
  const promoted = replacements.filter(({ stored, record }) => isReviewer(record) && !isReviewer(stored));
  if (kind === 'accounts' && promoted.length > 0) {
    await models.tokens.deleteMany({ accountId: { $in: promoted.map(({ record }) => record._id) } });
  }
}
