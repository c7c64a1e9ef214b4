import type { AccessTokenStore } from '../../stores/access-tokens.ts';
import { UnauthenticatedError } from '../../system/errors.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import { commit } from '../running-act.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Session } from './sessions.ts';
import type { AccessToken } from './token-lifetimes.ts';

interface OwnTokensParts {
  tokens: AccessTokens;
  accessTokens: AccessTokenStore;
  acts: RecordedActs;
}

/** What callers see and change of the access tokens of their own accounts. Its input is already validated. */
export class OwnTokens {
  constructor(private readonly parts: OwnTokensParts) {}

  /**
   * The valid tokens of the caller's account, the newest first, and the id of the presented one.
   */
  async list(
    { account, token }: Session,
    caller: Caller,
  ): Promise<{ tokens: AccessToken[]; currentId: string }> {
    const tokens = await caller.timeBudget.within(() => this.parts.tokens.list(account));
    return { tokens, currentId: token._id };
  }

  /**
   * Revokes exactly the presented token (docs/contract.md, "Logout").
   * @throws UnauthenticatedError when another logout was faster
   */
  logout({ account, token }: Session, caller: Caller): Promise<void> {
    const subject = { ...accountSubject('logout', account), tokenId: token._id };
    return this.parts.acts.record(subject, caller, async () => {
      if (!(await commit(() => this.parts.tokens.revoke(account.id, token._id)))) {
        throw new UnauthenticatedError();
      }
      return { result: undefined };
    });
  }

  /** Revokes one token of the caller's own account; false when it has none of that id. */
  revoke(tokenId: string, { account }: Session, caller: Caller): Promise<boolean> {
    return this.parts.acts.record(accountSubject('revocation', account), caller, async () => {
      const isRevoked = await commit(() => this.parts.accessTokens.revoke(account.id, tokenId));
      return { result: isRevoked, facts: isRevoked ? { tokenId } : { failure: 'no such token' } };
    });
  }

  /**
   * Revokes all tokens of the caller's account but the presented one.
   * @returns how many
   */
  revokeOthers({ account, token }: Session, caller: Caller): Promise<number> {
    return this.parts.acts.record(accountSubject('revocation', account), caller, async () => {
      // Very many are many writes, and take longer than the time of a request.
      await commit(async () => true);
      const revoked = await this.parts.accessTokens.revokeOthers(account.id, token._id);
      return { result: revoked, facts: revoked === 0 ? { failure: 'no other tokens' } : { revoked } };
    });
  }
}
