import type { AccountStore } from '../../stores/accounts.ts';
import { NotFoundError } from '../../system/errors/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Actor } from '../caller.ts';
import { recordedByOperator } from '../operators/recorded-by-operator.ts';
import type { NewResetToken, ResetTokens } from './reset-tokens.ts';

/** A way to set a new password, for the owner of an account. It is shown only once. */
export interface ResetLink extends NewResetToken {
  /** Undefined without PASSWORD_RESET_URL: then the owner types the token. */
  url: string | undefined;
}

interface ResetLinksParts {
  accounts: AccountStore;
  resetTokens: ResetTokens;
  audit: AuditTrail;
  /** PASSWORD_RESET_URL. */
  urlTemplate: string | undefined;
}

/** The address with a token. */
export const resetUrl = (template: string, token: string): string => template.replace('{token}', token);

/** Reset links that an operator gives to the owner of an account. */
export class ResetLinks {
  constructor(private readonly parts: ResetLinksParts) {}

  /**
   * Makes a link, and records that.
   * @throws NotFoundError when no account has the id, or it is disabled: the link would not work
   */
  async make(accountId: string, actor: Actor): Promise<ResetLink> {
    const { accounts, resetTokens, audit, urlTemplate } = this.parts;
    const account = await accounts.findWithPassword(accountId);
    const subject = { act: 'reset link', accountId, ...(account && { email: account.email }) } as const;
    return recordedByOperator(audit, subject, actor, async () => {
      if (!account) {
        throw new NotFoundError('No account has this id.');
      }
      if (account.disabledAt) {
        throw new NotFoundError('The account is disabled: enable it first.');
      }
      const made = await resetTokens.make(account);
      return { result: { ...made, url: urlTemplate && resetUrl(urlTemplate, made.token) } };
    });
  }
}
