import { Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { withAccess } from './account-credentials.ts';
import type { StoredAccount } from './account-record.ts';
import { Store } from './store.ts';

/** An authenticator app. It counts only while its account names it ({@link StoredAccount.factors}). */
export interface StoredApp {
  _id: string;
  accountId: string;
  kind: 'app';
  /** The shared secret, encrypted (auth/two-factor/secret-cipher.ts). */
  secret: string;
  /** Which line of TWO_FACTOR_SECRET decrypts it. */
  keyId: string;
  /** The time step of the last code that was accepted (RFC 6238 section 5.2); -1 before the first. */
  lastStep: number;
  /** How many wrong codes and recovery codes there were in a row. */
  wrong: number;
  /** The change of the password that they came after; another one starts anew. Null if there was none. */
  wrongSince: string | null;
  createdAt: Date;
  /** Null until a code of it was confirmed. */
  confirmedAt: Date | null;
  /** Until when it can be confirmed. Absent as soon as it is. */
  expiresAt?: Date;
  /** That of the account when the app was added ({@link StoredAccount.accessVersion}). Another one ends an app that waits. */
  accessVersion?: string | null;
}

/** The recovery codes of an account. They count only while the account names them. */
export interface StoredRecoveryCodes {
  _id: string;
  accountId: string;
  kind: 'recovery codes';
  /** SHA-256 of each that was not used, in hex. Their 120 random bits need no slow hash. */
  codes: string[];
  /** As in an app, for an account without one. Absent before the first wrong code. */
  wrong?: number;
  wrongSince?: string | null;
  createdAt: Date;
}

/** An app before its confirmation. */
type NewApp = Pick<StoredApp, '_id' | 'accountId' | 'secret' | 'keyId' | 'createdAt'> & {
  expiresAt: Date;
  accessVersion: string | null;
};

type StoredFactor = StoredApp | StoredRecoveryCodes;

export const factorSchema = new Schema<Partial<StoredApp> & Partial<Omit<StoredRecoveryCodes, 'kind'>>>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    kind: { type: String, required: true },
    secret: String,
    keyId: String,
    lastStep: Number,
    wrong: Number,
    wrongSince: String,
    confirmedAt: Date,
    codes: [String],
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    accessVersion: String,
  },
  { collection: 'factors' },
);
factorSchema.index({ accountId: 1 });
factorSchema.index({ keyId: 1 }, { sparse: true });
// The database removes apps that were never confirmed. Their validity does not depend on it.
factorSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The latest time of a Date. */
const MAX_TIME = 8_640_000_000_000_000;
/** One app of an account waits. Only simultaneous requests leave more. */
const MAX_READ = 100;

/**
 * The authenticator apps and recovery codes. Which of them an account has is said by the account alone: a record that it does not
 * name gives nothing.
 */
export class FactorStore extends Store<StoredFactor> {
  constructor(database: LimitedConnection) {
    super(database, factorSchema);
  }

  /** Stores an app that waits for its confirmation. */
  insertApp(app: NewApp): Promise<void> {
    const unused = { lastStep: -1, wrong: 0, wrongSince: null, confirmedAt: null };
    return this.records.insert({ ...app, kind: 'app', ...unused });
  }

  insertCodes(codes: StoredRecoveryCodes): Promise<void> {
    return this.records.insert(codes);
  }

  async findApp(id: string): Promise<StoredApp | undefined> {
    return this.records.first<StoredApp>({ _id: id, kind: 'app' });
  }

  /** The app of an account that waits for its confirmation, the newest one. None, if access to the account has changed since it was added. */
  async findPendingApp(
    account: Pick<StoredAccount, '_id' | 'accessVersion'>,
    now: Date,
  ): Promise<StoredApp | undefined> {
    const filter = { accountId: account._id, expiresAt: { $gt: now }, ...withAccess(account) };
    const found = await this.records.list<StoredApp>(filter, { limit: MAX_READ });
    return found.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())[0];
  }

  async findCodes(id: string): Promise<StoredRecoveryCodes | undefined> {
    const filter = { _id: id, kind: 'recovery codes' } as const;
    return this.records.first<StoredRecoveryCodes>(filter);
  }

  /**
   * Keeps an app from its end, and notes when it was confirmed.
   * @returns false if it does not wait for that any more. Of simultaneous calls, one gets true
   */
  async confirmApp(id: string, now: Date): Promise<boolean> {
    const change = { $set: { confirmedAt: now }, $unset: { expiresAt: true, accessVersion: true } as const };
    const filter = { _id: id, expiresAt: { $gt: now } };
    return this.records.update(filter, change);
  }

  /**
   * Uses up the code of a time step, and with it those of all earlier steps (RFC 6238 section 5.2).
   * @returns false if it was used before, or the app is gone. Of simultaneous calls with one step, one gets true
   */
  async useStep(id: string, step: number): Promise<boolean> {
    const filter = { _id: id, lastStep: { $lt: step } };
    return this.records.update(filter, { $set: { lastStep: step } });
  }

  /**
   * Uses up a recovery code.
   * @param code its digest
   * @returns how many are left; undefined if there is no such code. Of simultaneous calls with one code, one gets a number
   */
  async spendCode(id: string, code: string): Promise<number | undefined> {
    const change = { $pull: { codes: code } };
    const after = (await this.records.updated({ _id: id, codes: code }, change)) as
      | StoredRecoveryCodes
      | undefined;
    return after?.codes.length;
  }

  /**
   * Counts a wrong code, before it is known to be wrong.
   * @param passwordChangeId the last change of the account's password
   * @returns how many there were in a row since that change
   */
  async countWrong(id: string, passwordChangeId: string | null): Promise<number> {
    const same = { _id: id, wrongSince: passwordChangeId };
    const counted = await this.records.updated(same, { $inc: { wrong: 1 } });
    if (counted) {
      return counted.wrong ?? 1;
    }
    const anew = { $set: { wrong: 1, wrongSince: passwordChangeId } };
    const isBegun = await this.records.update({ _id: id, wrongSince: { $ne: passwordChangeId } }, anew);
    // Another attempt may have begun meanwhile, or the app is gone.
    return isBegun || !(await this.records.exists({ _id: id })) ? 1 : this.countWrong(id, passwordChangeId);
  }

  /** Takes a wrong code back that could not be decided. */
  async giveBackWrong(id: string): Promise<void> {
    await this.records.update({ _id: id, wrong: { $gt: 0 } }, { $inc: { wrong: -1 } });
  }

  /** Forgets the wrong codes in a row. */
  async clearWrong(id: string): Promise<void> {
    await this.records.update({ _id: id }, { $set: { wrong: 0 } });
  }

  /** Stores a secret encrypted again, unless that has been done meanwhile. */
  async replaceSecret(
    { _id, secret: former }: Pick<StoredApp, '_id' | 'secret'>,
    { secret, keyId }: Pick<StoredApp, 'secret' | 'keyId'>,
  ): Promise<void> {
    await this.records.update({ _id, secret: former }, { $set: { secret, keyId } });
  }

  /**
   * Removes the apps of an account that wait for their confirmation.
   * @param before only those that end before this; all without it
   */
  async removePending(accountId: string, before = new Date(MAX_TIME)): Promise<void> {
    await this.records.removeAll({ accountId, expiresAt: { $lt: before } });
  }

  /** Removes factors that their account does not name any more. Naming them one by one keeps what was confirmed meanwhile. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.records.removeAll({ _id: { $in: [...ids] } });
  }

  /** Removes all factors of an account that is being erased. */
  async removeAll(accountId: string): Promise<void> {
    await this.records.removeAll({ accountId });
  }

  /**
   * Confirmed apps whose secret needs another key than these.
   * @param limit how many at most
   */
  async findWithOtherKey(keyIds: readonly string[], limit: number): Promise<StoredApp[]> {
    return this.records.list<StoredApp>(withOtherKey(keyIds), { limit });
  }

  /** How many of these there are. */
  countWithOtherKey(keyIds: readonly string[]): Promise<number> {
    return this.records.count(withOtherKey(keyIds));
  }
}

const withOtherKey = (keyIds: readonly string[]) => ({
  keyId: { $gt: '', $nin: [...keyIds] },
  confirmedAt: { $gt: new Date(0) },
});
