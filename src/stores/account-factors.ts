import type { mongo } from 'mongoose';
import { withAccess, withFactors } from './account-credentials.ts';
import { AccountEmails, asItWas } from './account-emails.ts';
import { renewalBy } from './account-endings.ts';
import { type AccountFactors, appIdOf, type SessionsEnding, type StoredAccount } from './account-record.ts';
import { type EventNote, noting } from './event-notes.ts';

/** Finds the accounts with passkeys by their index. */
export const WITH_PASSKEYS = { 'passkeys.ids': { $gt: '' } };

/** Which second factors and passkeys an account has. Each verb is one write under its condition. */
export abstract class AccountsWithFactors extends AccountEmails {
  /**
   * Turns second factors on: the last write of a confirmation.
   * @param account as it was read with its password
   * @param sessions ends the other sessions in the same write, as a new password does
   * @returns false if what gives access to it was changed since, or it is not active any more. Of simultaneous calls, one gets true
   */
  async turnOnFactors(
    account: StoredAccount,
    { app, codes }: Required<AccountFactors>,
    sessions: SessionsEnding,
    note: EventNote,
  ): Promise<boolean> {
    const set = { factors: { app, codes }, ...renewalBy('second factor confirmation', sessions) };
    return this.#set(account, noting({ $set: set }, note));
  }

  /**
   * Ends the set-up of an account of a reviewer or an operator: one write gives it a password and a second factor, and enables it.
   * @param account as it was read with its password: disabled, and without a second factor
   * @returns the account after it; undefined if it was changed since. Of simultaneous calls, one gets it
   */
  async finishSetUp(
    account: StoredAccount,
    given: Pick<StoredAccount, 'passwordHash'> & { factors: Required<AccountFactors> },
    now: Date,
    note: EventNote,
  ): Promise<StoredAccount | undefined> {
    const filter = {
      ...asItWas(account),
      ...{ disabledAt: { $eq: account.disabledAt, $ne: null }, erasureDueAt: null },
      ...withFactors(account),
    };
    const set = { ...given, disabledAt: null, knownPlaces: [], updatedAt: now };
    const gone = { codePlaces: true, knownDevices: true, emailChange: true, upgradedFrom: true } as const;
    const change = noting({ $set: { ...set, ...renewalBy('set-up') }, $unset: gone }, note);
    return this.records.updated(filter, change);
  }

  /**
   * Gives an account other recovery codes.
   * @param account as it was read with its password
   * @returns false as {@link turnOnFactors}
   */
  async replaceRecoveryCodes(account: StoredAccount, codes: string): Promise<boolean> {
    const app = appIdOf(account);
    return this.#set(account, { $set: { factors: { ...(app !== undefined && { app }), codes } } });
  }

  /**
   * Turns app and recovery codes off: the first write of a removal.
   * @param account as it was read with its password
   * @returns false as {@link turnOnFactors}
   */
  async turnOffFactors(account: StoredAccount, note: EventNote): Promise<boolean> {
    const change = { $unset: { factors: true as const }, $set: renewalBy('second factor removal') };
    return this.#set(account, noting(change, note));
  }

  /**
   * Gives an account its id for authenticators, unless it has one.
   * @param handle 32 random bytes in base64url
   */
  async makePasskeyHandle({ _id }: StoredAccount, handle: string): Promise<void> {
    // The driver's types do not know that null finds an absent field.
    const filter = { _id, 'passkeys.handle': null as unknown as string };
    await this.records.update(filter, { $set: { passkeys: { handle, ids: [] } } });
  }

  /**
   * Gives an account one more passkey: the last write of an addition.
   * @param account as it was read with its password
   * @returns false as {@link turnOnFactors}
   */
  async addPasskey(account: StoredAccount, id: string, note: EventNote): Promise<boolean> {
    const change = { $push: { 'passkeys.ids': id }, $set: renewalBy('passkey addition') };
    return this.#set(account, noting(change, note));
  }

  /**
   * Takes passkeys from an account: the first write of a removal.
   * @param account as it was read with its password
   * @param withoutCodes true if its recovery codes go, too: they would be its only factor
   * @returns false as {@link turnOnFactors}
   */
  async takePasskeys(
    account: StoredAccount,
    ids: readonly string[],
    withoutCodes: boolean,
    note: EventNote,
  ): Promise<boolean> {
    const codes = withoutCodes && { $unset: { factors: true as const } };
    const taken = { $pull: { 'passkeys.ids': { $in: [...ids] } }, $set: renewalBy('passkey removal') };
    return this.#set(account, noting({ ...taken, ...codes }, note));
  }

  /**
   * Turns all second factors and passkeys off for an operator, and replaces the password: nobody gets in by the former one alone. It forgets the known
   * places and devices, and ends a pending change of the e-mail.
   * @param account as it was read with its password
   * @param passwordHash of a password that nobody knows
   * @param sessions ends all sessions
   * @returns false as {@link turnOnFactors}
   */
  async resetFactors(
    account: StoredAccount,
    passwordHash: string,
    sessions: SessionsEnding,
    now: Date,
    note: EventNote,
  ): Promise<boolean> {
    const gone = { factors: true, passkeys: true, knownDevices: true, emailChange: true } as const;
    const renewal = renewalBy('second factor reset', sessions);
    const set = { passwordHash, knownPlaces: [], updatedAt: now, ...renewal };
    const change = { $set: set, $unset: { ...gone, codePlaces: true as const, upgradedFrom: true as const } };
    return this.#set(account, noting(change, note));
  }

  /** True if one of these apps is on: its account names it. */
  hasAnyApp(apps: readonly { _id: string; accountId: string }[]): Promise<boolean> {
    return this.records.exists({
      _id: { $in: apps.map(({ accountId }) => accountId) },
      'factors.app': { $in: apps.map(({ _id }) => _id) },
    });
  }

  /** True if any account has a passkey. */
  hasAnyPasskey(): Promise<boolean> {
    return this.records.exists(WITH_PASSKEYS);
  }

  async #set(account: StoredAccount, change: mongo.UpdateFilter<StoredAccount>): Promise<boolean> {
    const filter = { ...asItWas(account), ...withAccess(account), ...withFactors(account) };
    return this.records.update(filter, change);
  }
}
