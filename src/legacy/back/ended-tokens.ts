import type { StoredAccessToken } from '../../models/access-token.model.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS, isDisabledHere } from '../records/account-kind.ts';

/**
 * The tokens that are still stored, but have ended: their time is over, a change of the password has ended them, or their account
 * is disabled. The absence of an account there ends no token.
 */
export async function endedTokens(
  { models, clock }: Pick<LegacyContext, 'models' | 'clock'>,
  tokens: readonly StoredAccessToken[],
): Promise<ReadonlySet<string>> {
  const now = clock.now();
  const owners = new Set(tokens.map(({ accountId }) => accountId));
  const accounts = await ACCOUNTS.stored(models).byIds([...owners]);
  const isEnded = ({ _id, accountId, expiresAt, idleExpiresAt }: StoredAccessToken) => {
    const account = accounts.get(accountId);
    const isDisabled = account !== undefined && isDisabledHere(account);
    const { passwordChange } = account ?? {};
    const isChanged = passwordChange?.ending !== undefined && passwordChange.ending.keptTokenId !== _id;
    return isDisabled || isChanged || [expiresAt, idleExpiresAt].some((end) => end && end.getTime() <= now);
  };
  return new Set(tokens.filter(isEnded).map(({ _id }) => _id));
}
