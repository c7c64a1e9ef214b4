import type { AccessTokenStore } from '../../stores/access-tokens.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import { commit } from '../running-act.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Sessions } from './sessions.ts';
import type { AccessToken } from './token-lifetimes.ts';

interface OwnTokensParts {
  sessions: Sessions;
  tokens: AccessTokens;
  accessTokens: AccessTokenStore;
  acts: RecordedActs;
}

/** What callers see and change of the access tokens of their own accounts. Its input is already validated. */
export class OwnTokens {
  constructor(private readonly parts: OwnTokensParts) {}

  /**
   * The valid tokens of the caller's account, the newest first, and the id of the presented one.
   * @throws UnauthenticatedError, MissingAbilityError
   */
  async list(caller: Caller): Promise<{ tokens: AccessToken[]; currentId: string }> {
    const { account, token } = await this.parts.sessions.authorize('myTokens', caller);
    const tokens = await caller.timeBudget.within(() => this.parts.tokens.list(account.id));
    return { tokens, currentId: token._id };
  }

  /**
   * Revokes one token of the caller's own account; false when it has none of that id.
   * @throws UnauthenticatedError, MissingAbilityError
   */
  async revoke(tokenId: string, caller: Caller): Promise<boolean> {
    const { account } = await this.parts.sessions.authorize('revokeToken', caller);
    return this.parts.acts.record(accountSubject('revocation', account), caller, async () => {
      const isRevoked = await commit(() => this.parts.accessTokens.revoke(account.id, tokenId));
      return { result: isRevoked, facts: isRevoked ? { tokenId } : { failure: 'no such token' } };
    });
  }

  /**
   * Revokes all tokens of the caller's account but the presented one.
   * @returns how many
   * @throws UnauthenticatedError, MissingAbilityError
   */
  async revokeOthers(caller: Caller): Promise<number> {
    const { account, token } = await this.parts.sessions.authorize('revokeOtherTokens', caller);
    return this.parts.acts.record(accountSubject('revocation', account), caller, async () => {
      // Very many are many writes, and take longer than the time of a request.
      await commit(async () => true);
      const revoked = await this.parts.accessTokens.revokeOthers(account.id, token._id);
      return { result: revoked, facts: revoked === 0 ? { failure: 'no other tokens' } : { revoked } };
    });
  }
}
