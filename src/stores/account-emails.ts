import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../database/database-errors.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import { AccountCredentials, withAccess, withChange, withEmail } from './account-credentials.ts';
import { renewalBy } from './account-endings.ts';
import type { EmailProof, StoredAccount } from './account-record.ts';
import { emailDigest } from './email-key.ts';
import { type EventNote, noting } from './event-notes.ts';

/** What became of a new e-mail. After `taken` and `changed` nothing was changed. */
type EmailOutcome = 'set' | 'taken' | 'changed';

/** The proof of an e-mail, and its change by the owner or an operator. Each is one write under its condition. */
export abstract class AccountEmails extends AccountCredentials {
  /**
   * Notes that the e-mail of an account is proven. The account record that callers see does not change, so `updatedAt` stays.
   * @param account as it was read with its password
   * @returns false if the e-mail is proven already, the e-mail or the password was changed since, or the account is not active
   *   any more. Of simultaneous calls, one gets true
   */
  async proveEmail(account: StoredAccount, at: Date, note: EventNote): Promise<boolean> {
    const { emailKey } = account;
    const isProven = { 'emailProof.emailKey': emailKey, 'emailProof.at': { $gte: new Date(0) } };
    const filter = { ...asItWas(account), emailKey, $nor: [isProven] };
    const proof = noting({ $set: { emailProof: { emailKey, at } } }, note);
    return this.records.update(filter, proof);
  }

  /**
   * Notes the e-mail that the owner or an operator has asked for. It takes the place of an earlier one, whose links are invalid from then
   * on. The request of an operator ends what the owner has begun.
   * @param account as it was read with its password
   * @param correctedAt when an operator has asked
   * @returns false if the e-mail or the password was changed since, for an owner also what else gives access, or the account is not active
   */
  async requestEmailChange(account: StoredAccount, email: string, correctedAt?: Date): Promise<boolean> {
    const { accessVersion = null, passwordChange } = account;
    const by = correctedAt ? { byOperator: true as const, at: correctedAt } : { accessVersion };
    const bound = { emailDigest: emailDigest(email), passwordChangeId: passwordChange?.id ?? null };
    const renewal = correctedAt && renewalBy('operator’s e-mail change request');
    const filter = { ...asItWas(account), ...(!correctedAt && withAccess(account)) };
    return this.records.update(filter, {
      $set: { emailChange: { ...bound, ...by }, ...renewal },
    });
  }

  /**
   * Gives an account the e-mail that was asked for, proven by a link that was mailed there, and ends what {@link setEmail} ends. The
   * sessions stay. If an operator has asked, no link to a new password is mailed there for a day: the owner has been told at the former
   * e-mail, and can still object.
   * @param account as it was read with its password
   * @returns `changed` if the e-mail or the password was changed since, the request has ended or another one has taken its place,
   *   or the account is not active any more. Of simultaneous calls, one gets `set`
   */
  finishEmailChange(
    account: StoredAccount,
    email: string,
    now: Date,
    note: EventNote,
  ): Promise<EmailOutcome> {
    const isOwners = !account.emailChange?.byOperator;
    const filter = {
      ...{ ...asItWas(account), 'emailChange.emailDigest': emailDigest(email) },
      ...(isOwners && { ...withAccess(account), 'emailChange.byOperator': { $exists: false } }),
    };
    const emailProof = { ...withEmail(email), at: now };
    const noResetBefore = new Date(now.getTime() + DAY_MILLIS);
    const byOperator = account.emailChange?.byOperator && { noResetBefore };
    return this.#setEmail(filter, email, { emailProof, updatedAt: now, ...byOperator }, note);
  }

  /**
   * Gives an account another e-mail for an operator, and forgets its known networks, whose digests contain the e-mail, and
   * devices. Its reset tokens and e-mail links are invalid from then on, in the same write, and the new e-mail is not proven.
   * @param former the e-mail as it was read
   * @returns `taken` if another account has the e-mail; `changed` if the account has changed or gone, is being erased or absent
   */
  setEmail(id: string, former: string, email: string, now: Date, note: EventNote): Promise<EmailOutcome> {
    const filter = { _id: id, email: former, erasingSince: null, legacyAbsence: null };
    return this.#setEmail(filter, email, { updatedAt: now }, note);
  }

  async #setEmail(
    filter: mongo.Filter<StoredAccount>,
    email: string,
    { emailProof, ...fields }: { emailProof?: EmailProof; updatedAt: Date; noResetBefore?: Date },
    note: EventNote,
  ): Promise<EmailOutcome> {
    const change = {
      $set: {
        ...{ email, ...withEmail(email), ...fields, ...renewalBy('e-mail change') },
        ...(emailProof && { emailProof }),
      },
      $unset: {
        ...{ knownPlaces: true as const, knownDevices: true as const, emailChange: true as const },
        codePlaces: true as const,
        ...(!emailProof && { emailProof: true as const }),
      },
    };
    try {
      return (await this.records.update(filter, noting(change, note))) ? 'set' : 'changed';
    } catch (error) {
      if (isDuplicateKey(error, 'emailKey')) {
        return 'taken';
      }
      throw error;
    }
  }
}

/** The filter for an active account that has the e-mail and the password with which it was read. */
export const asItWas = ({ _id, email, passwordChange }: StoredAccount) => ({
  ...{ _id, email, disabledAt: null, legacyAbsence: null, erasingSince: null },
  ...withChange(passwordChange?.id),
});
