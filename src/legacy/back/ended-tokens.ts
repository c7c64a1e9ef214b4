import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { type AnyRecord, storedWithIds } from '../records/stored-records.ts';

/**
 * The tokens that are still stored, but have ended: their time is over, a change of the password has ended them, or their account
 * is disabled. The absence of an account there ends no token.
 */
export async function endedTokens(
  { models, clock }: Pick<LegacyContext, 'models' | 'clock'>,
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<ReadonlySet<string>> {
  const tokens = [...stored.values()] as StoredAccessToken[];
  const now = clock.now();
  const accounts = await storedWithIds(models, 'accounts', [
    ...new Set(tokens.map(({ accountId }) => accountId)),
  ]);
  const isEnded = ({ _id, accountId, expiresAt, idleExpiresAt }: StoredAccessToken) => {
    const { disabledAt, legacyAbsence, passwordChange } = accounts.get(accountId) ?? {};
    const isDisabled = Boolean(legacyAbsence ? legacyAbsence.disabledAt : disabledAt);
    const isChanged = passwordChange?.ending !== undefined && passwordChange.ending.keptTokenId !== _id;
    return isDisabled || isChanged || [expiresAt, idleExpiresAt].some((end) => end && end.getTime() <= now);
  };
  return new Set(tokens.filter(isEnded).map(({ _id }) => _id));
}
