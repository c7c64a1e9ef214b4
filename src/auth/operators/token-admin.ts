import type { KnownAccount } from '../../stores/accounts.ts';
import { NotFoundError } from '../../system/errors/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Actor } from '../caller.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import type { AccessToken } from '../tokens/token-lifetimes.ts';
import { onAccount, recordedByOperator } from './recorded-by-operator.ts';

interface TokenAdminParts {
  tokens: AccessTokens;
  audit: AuditTrail;
}

/** What operators do with access tokens. Each act is in the audit trail before its method returns. */
export class TokenAdmin {
  constructor(private readonly parts: TokenAdminParts) {}

  /** The valid tokens of an account, the newest first. */
  tokensOf({ id }: KnownAccount): Promise<AccessToken[]> {
    return this.parts.tokens.list(id);
  }

  /** @throws NotFoundError when the account has no token of that id; the trail has a failure */
  revoke(account: KnownAccount, tokenId: string, actor: Actor): Promise<void> {
    const { audit, tokens } = this.parts;
    return recordedByOperator(audit, onAccount('revocation', account), actor, async () => {
      const isRevoked = await tokens.revoke(account.id, tokenId);
      if (!isRevoked) {
        throw new NotFoundError('The account has no token of this id.');
      }
      return { result: undefined, facts: { tokenId } };
    });
  }

  /**
   * Revokes every token of an account.
   * @returns how many. If there was none, the trail has a failure
   */
  revokeAll(account: KnownAccount, actor: Actor): Promise<number> {
    const { audit, tokens } = this.parts;
    return recordedByOperator(audit, onAccount('revocation', account), actor, async () => {
      const revoked = await tokens.revokeAll(account.id);
      return { result: revoked, facts: outcomeOf(revoked) };
    });
  }

  /**
   * Revokes the tokens of all accounts (OWASP ASVS 7.4.5).
   * @returns how many. If there was none, the trail has a failure
   */
  revokeEveryones(actor: Actor): Promise<number> {
    const { audit, tokens } = this.parts;
    return recordedByOperator(audit, { act: 'revocation' }, actor, async () => {
      const revoked = await tokens.revokeEveryones();
      return { result: revoked, facts: outcomeOf(revoked) };
    });
  }
}

const outcomeOf = (revoked: number) => ({ revoked, ...(revoked === 0 && { failure: 'no tokens' }) });
