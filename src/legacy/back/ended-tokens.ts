import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { StoredAccount } from '../../stores/accounts.ts';
import { ACCOUNTS, isDisabledHere } from '../records/account-kind.ts';
import { type BackState, rowsThere } from './back-state.ts';

const accountsOf = (
  { context }: Pick<BackState, 'context'>,
  tokens: readonly StoredAccessToken[],
): Promise<ReadonlyMap<string, StoredAccount>> =>
  ACCOUNTS.stored(context.stores).byIds([...new Set(tokens.map(({ accountId }) => accountId))]);

/**
 * The tokens that are still stored, but have ended: their time is over by their records or by the settings, a change of the password
 * has ended them, or their account is disabled. The absence of an account there ends no token.
 * @returns their ids
 */
export async function endedTokens(
  state: Pick<BackState, 'context' | 'hasEndedBySettings'>,
  tokens: readonly StoredAccessToken[],
): Promise<ReadonlySet<string>> {
  const now = state.context.clock.now();
  const accounts = await accountsOf(state, tokens);
  const isTimeOver = (token: StoredAccessToken) =>
    // The database removes a token some time after these.
    [token.expiresAt, token.idleExpiresAt].some((end) => end && end.getTime() <= now) ||
    state.hasEndedBySettings(token, accounts.get(token.accountId)?.role, now);
  const isEnded = (token: StoredAccessToken) => {
    const account = accounts.get(token.accountId);
    const isDisabled = account !== undefined && isDisabledHere(account);
    const { ending } = account?.passwordChange ?? {};
    const isChanged = ending !== undefined && ending.keptTokenId !== token._id;
    return isDisabled || isChanged || isTimeOver(token);
  };
  return new Set(tokens.filter(isEnded).map(({ _id }) => _id));
}

/** Reports the tokens that stay there although their account is gone there. They are valid again if it returns. */
export async function reportAbsent(state: BackState, tokens: readonly StoredAccessToken[]): Promise<void> {
  const accounts = await accountsOf(state, tokens);
  const isOfAbsent = ({ accountId }: StoredAccessToken) => {
    const account = accounts.get(accountId);
    return account !== undefined && ACCOUNTS.isMarked(account);
  };
  const absent = tokens.filter(isOfAbsent).map(({ _id: key }) => ({ key }));
  const there = absent.length === 0 ? [] : await rowsThere(state, 'tokens', absent);
  for (const [id] of there) {
    const reason = 'its account is gone there; it is valid there again if the account returns';
    state.context.observer.found({ kind: 'tokens', id, outcome: 'kept', reason });
  }
}
