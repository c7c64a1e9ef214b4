import { NotFoundError } from '../errors/errors.ts';
import type { StoredAccessToken } from '../models/access-token.model.ts';
import type { AuditedAct } from '../models/audit-event.model.ts';
import type { Accounts, KnownAccount } from './accounts.ts';
import type { AuditedCaller, AuditSubject, AuditTrail } from './audit/audit-trail.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';

interface AdministrationParts {
  accounts: Accounts;
  tokens: AccessTokens;
  audit: AuditTrail;
}

/** What operators may do to accounts and tokens that are not their own. Each act is in the audit trail before it returns. */
export class Administration {
  constructor(private readonly parts: AdministrationParts) {}

  /** @throws NotFoundError when no account has the e-mail */
  async account(email: string): Promise<KnownAccount> {
    const account = await this.parts.accounts.findByEmail(email);
    if (!account) throw new NotFoundError('No account has this e-mail.');
    return account;
  }

  /** The valid tokens of an account, the newest first. */
  tokensOf({ id }: KnownAccount): Promise<StoredAccessToken[]> {
    return this.parts.tokens.list(id);
  }

  /** @throws NotFoundError when the account has no token of that id */
  async revokeToken(account: KnownAccount, tokenId: string, caller: AuditedCaller): Promise<void> {
    await this.#record(to('revocation', account), caller, async (subject) => {
      const isRevoked = await this.parts.tokens.revoke(account.id, tokenId);
      if (!isRevoked) throw new NotFoundError('The account has no token of this id.');
      subject.tokenId = tokenId;
    });
  }

  /** Revokes every token of an account, and says how many those were. */
  revokeAllTokens(account: KnownAccount, caller: AuditedCaller): Promise<number> {
    return this.#record(to('revocation', account), caller, async (subject) => {
      subject.revoked = await this.parts.tokens.revokeAll(account.id);
      if (subject.revoked === 0) subject.failure = 'no tokens';
      return subject.revoked;
    });
  }

  /**
   * Lets nobody log in to an account any more, and ends its sessions (OWASP ASVS 7.4.2). Its e-mail stays taken.
   * @returns since when it is disabled, and how many tokens it had
   */
  disable(account: KnownAccount, caller: AuditedCaller): Promise<{ disabledAt: Date; revoked: number }> {
    const { accounts, tokens } = this.parts;
    return this.#record(to('disabling', account), caller, async (subject) => {
      const disabledAt = account.disabledAt ?? new Date();
      const isChanged = await accounts.setDisabled(account.id, disabledAt);
      // A login that had begun before may have left a token since.
      const revoked = await tokens.revokeAll(account.id);
      subject.revoked = revoked;
      if (!isChanged && revoked === 0) subject.failure = 'already disabled';
      return { disabledAt, revoked };
    });
  }

  /** Lets its owner log in again. */
  async enable(account: KnownAccount, caller: AuditedCaller): Promise<void> {
    const { accounts, tokens } = this.parts;
    await this.#record(to('enabling', account), caller, async (subject) => {
      // A login that had begun before the account was disabled may have left a token that nobody is to have.
      if (account.disabledAt) subject.revoked = await tokens.revokeAll(account.id);
      if (!(await accounts.setDisabled(account.id, null))) subject.failure = 'not disabled';
    });
  }

  async #record<T>(
    subject: AuditSubject,
    caller: AuditedCaller,
    act: (subject: AuditSubject) => Promise<T>,
  ): Promise<T> {
    const { result, written } = await this.parts.audit.record(subject, caller, act);
    await written;
    return result;
  }
}

const to = (act: AuditedAct, { id, email }: KnownAccount): AuditSubject => ({ act, email, accountId: id });
