import type { Outbox } from '../../mail/outbox.ts';
import {
  type AccountStore,
  factorsOf,
  type KnownAccount,
  newId,
  type StoredAccount,
} from '../../stores/accounts.ts';
import type { FactorStore } from '../../stores/factors.ts';
import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { randomBase62 } from '../../system/random.ts';
import type { AccountData } from '../account-data.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { FactorNotices } from '../two-factor/factor-notices.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import { UNKNOWN_PASSWORD_CHARACTERS } from './account-admin.ts';

interface TwoFactorAdminParts {
  accounts: AccountStore;
  factors: FactorStore;
  accountData: AccountData;
  hasher: PasswordHasher;
  policy: TwoFactorPolicy;
  audit: AuditTrail;
  outbox: Outbox;
  clock: Clock;
  log: Logger;
}

/** The second factor of an account, as operators see it. It has no secret. */
export interface KnownSecondFactor {
  enabled: boolean;
  confirmedAt: Date | null;
  recoveryCodesLeft: number;
  /** How many wrong codes there were in a row since the last change of the password. */
  wrongCodes: number;
  /** True if the policy asks the role of the account for one. */
  required: boolean;
}

/** What operators do for people who have lost their second factor. */
export class TwoFactorAdmin {
  constructor(private readonly parts: TwoFactorAdminParts) {}

  /** @throws NotFoundError if the account is gone meanwhile */
  async show({ id, role }: KnownAccount): Promise<KnownSecondFactor> {
    const { factors, accountData, policy } = this.parts;
    const stored = await this.#read(id);
    const on = await accountData.secondFactor(stored);
    const app = await factors.findApp(factorsOf(stored)?.app ?? '');
    // Another password starts the count anew.
    const isOfThisPassword = app?.wrongSince === (stored.passwordChange?.id ?? null);
    return {
      enabled: on !== null,
      confirmedAt: on?.confirmedAt ?? null,
      recoveryCodesLeft: on?.recoveryCodesLeft ?? 0,
      wrongCodes: app && isOfThisPassword ? app.wrong : 0,
      required: policy.names(role),
    };
  }

  /**
   * Removes the second factor of somebody who has lost it, and the password with it, in one write: otherwise whoever has the password
   * would add a factor of their own first. All sessions and links end, and the owner gets a mail. A link sets a new password.
   * @param reason one line, for the audit trail
   * @throws NotFoundError if the account has none, or was changed meanwhile; BadRequestError if it is disabled. Then nothing is changed
   */
  remove(account: KnownAccount, reason: string, actor: Actor): Promise<{ revoked: number }> {
    const { accounts, hasher, audit, outbox, clock, log } = this.parts;
    return recordedByOperator(audit, accountSubject('second factor reset', account), actor, async () => {
      if (account.disabledAt) {
        throw new BadRequestError('The account is disabled: enable it first.', { status: 409 });
      }
      const stored = await this.#read(account.id);
      if (!factorsOf(stored)) {
        throw new NotFoundError('The account has no second factor. Nothing was done.');
      }
      const passwordHash = await hasher.hash(randomBase62(UNKNOWN_PASSWORD_CHARACTERS));
      const passwordChange = { id: newId(), ending: { keptTokenId: null } };
      if (!(await accounts.resetFactors(stored, passwordHash, passwordChange, new Date(clock.now())))) {
        throw new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');
      }
      // The factor is off by now. What a failure or a kill leaves behind is refused, and the next login removes the tokens.
      const revoked = await this.#end(stored, passwordChange.id).catch((err: unknown) => {
        log.warn({ err, accountId: account.id }, 'a second factor was removed, but not all that it ends');
        return 0;
      });
      await new FactorNotices(outbox, clock, log).order('second factor reset', account.id, { ip: '' });
      return { result: { revoked }, facts: { revoked, cause: reason } };
    });
  }

  /** @returns how many tokens there were */
  async #end(account: StoredAccount, changeId: string): Promise<number> {
    const { accounts, accountData } = this.parts;
    const revoked = await accountData.endAccess(account._id);
    await accounts.noteSessionsEnded(account._id, changeId);
    await accountData.removeFactors(account);
    return revoked;
  }

  async #read(id: string): Promise<StoredAccount> {
    const stored = await this.parts.accounts.findWithPassword(id);
    if (!stored) {
      throw new NotFoundError('The account was removed meanwhile.');
    }
    return stored;
  }
}
