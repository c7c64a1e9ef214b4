import { ROLES } from '../../stores/accounts/accounts.ts';
import { WAITING } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { type AnyRecord, findRecords } from '../records/stored-records.ts';
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
  { models, bookkeeping }: Pick<LegacyContext, 'models' | 'bookkeeping'>,
  kind: Kind,
  replacements: readonly Replacement[],
): Promise<void> {
  const promoted = replacements.filter(({ stored, record }) => isReviewer(record) && !isReviewer(stored));
  if (kind === 'accounts' && promoted.length > 0) {
    const accountId = { $in: promoted.map(({ record }) => record._id) };
    const imported = await findRecords(
      models,
      'tokens',
      { accountId, imported: true },
      { projection: { _id: 1 } },
    );
    // They have not ended: they return with the former role.
    await bookkeeping.rebook('tokens', new Set(imported.map(({ _id }) => _id)), WAITING);
    await models.tokens.deleteMany({ accountId });
  }
}
