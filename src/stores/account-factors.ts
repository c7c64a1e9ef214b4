import { AccountEmails, asItWas } from './account-emails.ts';
import { withFactors } from './account-passwords.ts';
import type { AccountFactors, PasswordChange, Role, StoredAccount } from './account-record.ts';

/** Which second factors an account has. Each verb is one write under its condition. */
export abstract class AccountsWithFactors extends AccountEmails {
  /**
   * Turns second factors on: the last write of a confirmation.
   * @param account as it was read with its password
   * @param passwordChange ends the other sessions, and the links, in the same write, as a new password does
   * @returns false if its e-mail, password or factors were changed since, or it is not active any more. Of simultaneous calls, one gets true
   */
  async turnOnFactors(
    account: StoredAccount,
    { app, codes }: AccountFactors,
    passwordChange: PasswordChange,
  ): Promise<boolean> {
    return this.#set(account, { $set: { factors: { app, codes }, passwordChange } });
  }

  /**
   * Gives an account other recovery codes.
   * @param account as it was read with its password
   * @returns false as {@link turnOnFactors}
   */
  async replaceRecoveryCodes(account: StoredAccount, codes: string): Promise<boolean> {
    return this.#set(account, { $set: { 'factors.codes': codes } });
  }

  /**
   * Turns all second factors off: the first write of a removal.
   * @param account as it was read with its password
   * @returns false as {@link turnOnFactors}
   */
  async turnOffFactors(account: StoredAccount): Promise<boolean> {
    return this.#set(account, { $unset: { factors: true } });
  }

  /**
   * Turns all second factors off for an operator, and replaces the password: nobody gets in by the former one alone. It forgets the known
   * places and devices, and ends a pending change of the e-mail.
   * @param account as it was read with its password
   * @param passwordHash of a password that nobody knows
   * @param passwordChange ends all sessions and links
   * @returns false as {@link turnOnFactors}
   */
  async resetFactors(
    account: StoredAccount,
    passwordHash: string,
    passwordChange: PasswordChange,
    now: Date,
  ): Promise<boolean> {
    const gone = { factors: true, upgradedFrom: true, knownDevices: true, emailChange: true } as const;
    const set = { passwordHash, passwordChange, knownPlaces: [], updatedAt: now };
    return this.#set(account, { $set: set, $unset: gone });
  }

  /** True if one of these apps is on: its account names it. */
  hasAnyApp(apps: readonly { _id: string; accountId: string }[]): Promise<boolean> {
    return this.exists({
      _id: { $in: apps.map(({ accountId }) => accountId) },
      'factors.app': { $in: apps.map(({ _id }) => _id) },
    });
  }

  /** How many active accounts of a role have a second factor, and how many have none. */
  async countFactors(role: Role): Promise<{ on: number; off: number }> {
    const active = { role, disabledAt: null };
    const [all, on] = await Promise.all([
      this.within(this.collection.countDocuments(active)),
      this.within(this.collection.countDocuments({ ...active, 'factors.app': { $gt: '' } })),
    ]);
    return { on, off: all - on };
  }

  async #set(account: StoredAccount, change: object): Promise<boolean> {
    const filter = { ...asItWas(account), ...withFactors(account) };
    return (await this.within(this.collection.updateOne(filter, change))).matchedCount === 1;
  }
}
