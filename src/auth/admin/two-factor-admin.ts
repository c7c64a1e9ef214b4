import {
  type AccountStore,
  type AdministeredAccount,
  appIdOf,
  factorIdsOf,
  hasOnlyOnePasskey,
  hasSecondFactor,
  newId,
  passkeysOf,
  type SessionsEnding,
  type StoredAccount,
} from '../../stores/accounts.ts';
import type { AttemptStore } from '../../stores/attempts.ts';
import type { FactorStore } from '../../stores/factors.ts';
import type { OperatorActStore } from '../../stores/operator-acts.ts';
import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { randomBase62 } from '../../system/random.ts';
import type { AccountData, PasskeyData } from '../account-data.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import { noteCommand } from '../operators/guarded-acts.ts';
import { againIfOvertaken } from '../overtaken-writes.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { forgetAttempts } from '../throttle/unlock.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import { refuseDisabled, UNKNOWN_PASSWORD_CHARACTERS } from './account-admin.ts';

interface TwoFactorAdminParts {
  accounts: AccountStore;
  factors: FactorStore;
  attempts: AttemptStore;
  operatorActs: OperatorActStore;
  accountData: AccountData;
  hasher: PasswordHasher;
  twoFactorPolicy: TwoFactorPolicy;
  audit: AuditTrail;
  notices: OwnerNotices;
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
  /** How many passkeys the account has. They count as a second factor. */
  passkeys: number;
  /** True if the policy asks the role of the account for one. */
  required: boolean;
}

/** What operators do for people who have lost their second factor. */
export class TwoFactorAdmin {
  constructor(private readonly parts: TwoFactorAdminParts) {}

  /** @throws NotFoundError if the account is gone meanwhile */
  async show({ id, role }: AdministeredAccount): Promise<KnownSecondFactor> {
    const { factors, accountData, twoFactorPolicy } = this.parts;
    const stored = await this.#read(id);
    const on = await accountData.secondFactor(stored);
    const app = await factors.findApp(appIdOf(stored) ?? '');
    // Another password starts the count anew.
    const isOfThisPassword = app?.wrongSince === (stored.passwordChange?.id ?? null);
    return {
      enabled: appIdOf(stored) !== undefined,
      confirmedAt: on?.confirmedAt ?? null,
      recoveryCodesLeft: on?.recoveryCodesLeft ?? 0,
      wrongCodes: app && isOfThisPassword ? app.wrong : 0,
      passkeys: passkeysOf(stored).ids.length,
      required: twoFactorPolicy.names(role),
    };
  }

  /** True if the account has a second factor. @throws NotFoundError if the account is gone meanwhile */
  async has({ id }: AdministeredAccount): Promise<boolean> {
    return hasSecondFactor(await this.#read(id));
  }

  /**
   * Removes all second factors of somebody who has lost them, passkeys too, and the password with them, in one write: otherwise whoever has the password
   * would add a factor of their own first. All sessions and links end, and the owner gets a mail. A link sets a new password. An account without
   * a factor loses its password alone: its owner may know that somebody else has it.
   * @param reason one line, for the audit trail
   * @throws NotFoundError if the account was changed meanwhile; BadRequestError if it is disabled. Then nothing is changed
   */
  remove(account: AdministeredAccount, reason: string, actor: Actor): Promise<{ revoked: number }> {
    const { accounts, operatorActs, hasher, audit, notices, clock, log } = this.parts;
    return recordedByOperator(audit, accountSubject('second factor reset', account), actor, async (note) => {
      refuseDisabled(account);
      const passwordHash = await hasher.hash(randomBase62(UNKNOWN_PASSWORD_CHARACTERS));
      const sessions = { id: newId(), keptTokenId: null };
      const now = new Date(clock.now());
      const stored = await againIfOvertaken(async () => {
        const read = await this.#read(account.id);
        return (await accounts.resetFactors(read, passwordHash, sessions, now, note)) ? read : undefined;
      });
      if (!stored) {
        throw new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');
      }
      // The factor is off by now. What a failure or a kill leaves behind is refused, and the next login removes the tokens.
      const revoked = await this.#end(stored, sessions).catch((err: unknown) => {
        log.warn({ err, accountId: account.id }, 'a second factor was removed, but not all that it ends');
        return 0;
      });
      await notices.byOperator('second factor reset', account.id);
      await noteCommand(operatorActs, account.id, 'second factor reset', { actor, clock, log });
      return { result: { revoked }, facts: { revoked, cause: reason } };
    });
  }

  /** The passkeys of an account, the oldest first. @throws NotFoundError if the account is gone meanwhile */
  async passkeys({ id }: AdministeredAccount): Promise<PasskeyData[]> {
    return this.parts.accountData.passkeys(await this.#read(id));
  }

  /**
   * Removes a passkey of somebody who has lost the device. Sessions and the password stay, and the owner gets a mail.
   * @param passkeyId as {@link passkeys} has it
   * @param reason one line, for the audit trail
   * @throws NotFoundError if the account has no such passkey, or was changed meanwhile; BadRequestError if it is disabled, or if that is the
   *   last second factor of a role that needs one: then whoever has the password would set up one of their own. Nothing is changed
   */
  removePasskey(
    account: AdministeredAccount,
    passkeyId: string,
    reason: string,
    actor: Actor,
  ): Promise<void> {
    const { accounts, accountData, twoFactorPolicy, audit, notices } = this.parts;
    return recordedByOperator(audit, accountSubject('passkey removal', account), actor, async (note) => {
      refuseDisabled(account);
      const stored = await this.#read(account.id);
      const { ids } = passkeysOf(stored);
      if (!ids.includes(passkeyId)) {
        throw new NotFoundError('The account has no such passkey. Nothing was done.');
      }
      const isLast = hasOnlyOnePasskey(stored);
      if (isLast && twoFactorPolicy.names(account.role)) {
        const text =
          'It is the last second factor, and TWO_FACTOR_REQUIRED asks for one: use two-factor remove.';
        throw new BadRequestError(text, { status: 409 });
      }
      if (!(await accounts.takePasskeys(stored, [passkeyId], isLast, note))) {
        throw new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');
      }
      await accountData.removePasskey(account.id, passkeyId, isLast ? factorIdsOf(stored) : []);
      await notices.byOperator('passkey removed', account.id);
      return { result: undefined, facts: { cause: reason } };
    });
  }

  /** Ends what the account had, and forgets its counts. @returns how many tokens there were */
  async #end(account: StoredAccount, sessions: SessionsEnding): Promise<number> {
    const { accounts, accountData, attempts } = this.parts;
    await forgetAttempts(attempts, { id: account._id, email: account.email });
    const revoked = await accountData.end('second factor reset', account._id);
    await accounts.noteSessionsEnded(account._id, sessions);
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
