import { NotFoundError } from '../errors/errors.ts';
import type { StoredAccessToken } from '../models/access-token.model.ts';
import type { AuditedAct } from '../models/audit-event.model.ts';
import type { Clock } from '../system/clock.ts';
import type { Accounts, KnownAccount } from './accounts.ts';
import type { AuditSubject, AuditTrail, Outcome } from './audit/audit-trail.ts';
import type { Actor } from './caller.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';

interface AdministrationParts {
  accounts: Accounts;
  tokens: AccessTokens;
  audit: AuditTrail;
  clock: Clock;
}

/** The actions of operators on accounts and tokens. Each action is in the audit trail before its method returns. */
export class Administration {
  constructor(private readonly parts: AdministrationParts) {}

  /** @throws NotFoundError when no account has the e-mail */
  async account(email: string): Promise<KnownAccount> {
    const account = await this.parts.accounts.findByEmail(email);
    if (!account) {
      throw new NotFoundError('No account has this e-mail.');
    }
    return account;
  }

  /** The valid tokens of an account, the newest first. */
  tokensOf({ id }: KnownAccount): Promise<StoredAccessToken[]> {
    return this.parts.tokens.list(id);
  }

  /** @throws NotFoundError when the account has no token of that id */
  async revokeToken(account: KnownAccount, tokenId: string, actor: Actor): Promise<void> {
    await this.#record(to('revocation', account), actor, async () => {
      const isRevoked = await this.parts.tokens.revoke(account.id, tokenId);
      if (!isRevoked) {
        throw new NotFoundError('The account has no token of this id.');
      }
      return { result: undefined, facts: { tokenId } };
    });
  }

  /**
   * Revokes every token of an account.
   * @returns how many
   */
  revokeAllTokens(account: KnownAccount, actor: Actor): Promise<number> {
    return this.#record(to('revocation', account), actor, async () => {
      const revoked = await this.parts.tokens.revokeAll(account.id);
      return { result: revoked, facts: { revoked, ...(revoked === 0 && { failure: 'no tokens' }) } };
    });
  }

  /**
   * Disables an account: logins to it are refused, and its sessions end (OWASP ASVS 7.4.2). Its e-mail stays taken.
   * @returns the time since which it is disabled, and the number of tokens that it had
   */
  disable(account: KnownAccount, actor: Actor): Promise<{ disabledAt: Date; revoked: number }> {
    const { accounts, tokens, clock } = this.parts;
    return this.#record(to('disabling', account), actor, async () => {
      const disabledAt = account.disabledAt ?? new Date(clock.now());
      const isChanged = await accounts.setDisabled(account.id, disabledAt);
      // A login that had begun before may have left a token since.
      const revoked = await tokens.revokeAll(account.id);
      const failure = !isChanged && revoked === 0 && { failure: 'already disabled' };
      return { result: { disabledAt, revoked }, facts: { revoked, ...failure } };
    });
  }

  /** Enables an account: its owner can log in again. */
  async enable(account: KnownAccount, actor: Actor): Promise<void> {
    const { accounts, tokens } = this.parts;
    await this.#record(to('enabling', account), actor, async () => {
      // A login that had begun before the account was disabled may have left a token, which must not become valid.
      const revoked = account.disabledAt && { revoked: await tokens.revokeAll(account.id) };
      const isChanged = await accounts.setDisabled(account.id, null);
      return { result: undefined, facts: { ...revoked, ...(!isChanged && { failure: 'not disabled' }) } };
    });
  }

  async #record<T>(subject: AuditSubject, actor: Actor, act: () => Promise<Outcome<T>>): Promise<T> {
    const { result, written } = await this.parts.audit.record(subject, actor, act);
    await written;
    return result;
  }
}

const to = (act: AuditedAct, { id, email }: KnownAccount): AuditSubject => ({ act, email, accountId: id });
