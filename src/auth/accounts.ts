import type { QueryFilter, UpdateQuery } from 'mongoose';
import { isDuplicateKey } from '../database/database-errors.ts';
import { NotFoundError, ValidationError } from '../errors/errors.ts';
import {
  type Account,
  type AccountModel,
  newId,
  type StoredAccount,
  toAccount,
} from '../models/account.model.ts';
import { emailKey } from '../models/email-key.ts';
import { flawOfAccount } from '../models/flaws.ts';
import { digestOfHash, isSpelledAsOwn } from '../models/imported-hash.ts';
import type { Clock } from '../system/clock.ts';
import { OtherAccount } from './other-account.ts';

const emailTaken = () => new ValidationError({ email: ['The email has already been taken.'] });

/** The filter for the account of an e-mail. */
const withEmail = (email: string) => ({ emailKey: emailKey(email) });

/** The fields that an ordinary query leaves out. */
const WITH_PASSWORD = '+passwordHash +knownPlaces +upgradedFrom +passwordChange';

/** What a change of the password sets. */
type NewPassword = Required<Pick<StoredAccount, 'passwordHash' | 'knownPlaces' | 'passwordChange'>>;

/** The filter for accounts whose last change of the password is this one; undefined for no change. */
const withChange = (changeId: string | undefined) => ({ 'passwordChange.id': changeId ?? null });

/** An account as operators see it: since when it is disabled, null if it is not, and when it is erased if it was closed. */
export type KnownAccount = Account & Pick<StoredAccount, 'disabledAt' | 'erasureDueAt' | 'legacyAbsence'>;

/** A stored account as operators see it. */
export const toKnown = (stored: StoredAccount): KnownAccount => ({
  ...toAccount(stored),
  disabledAt: stored.disabledAt ?? null,
  ...(stored.erasureDueAt && { erasureDueAt: stored.erasureDueAt }),
  ...(stored.legacyAbsence && { legacyAbsence: stored.legacyAbsence }),
});

/** A longer id belongs to no account: ids are made here, or come from a key of the legacy database. */
export const MAX_ID_CHARACTERS = 128;

/** The collection of accounts. */
export class Accounts {
  constructor(
    private readonly accounts: AccountModel,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationError on `email` when an account has it. Only the unique index is certain; this check comes earlier */
  async refuseTakenEmail(email: string): Promise<void> {
    if (await this.accounts.exists(withEmail(email))) {
      throw emailTaken();
    }
  }

  /**
   * Inserts an account: the commit point of a registration.
   * @throws ValidationError on `email` when another registration was faster; the database's error if the id is taken
   */
  async insert(
    account: Omit<StoredAccount, 'emailKey' | 'createdAt' | 'updatedAt' | 'disabledAt'>,
  ): Promise<Account> {
    const createdAt = new Date(this.clock.now());
    const times = { createdAt, updatedAt: createdAt, disabledAt: null };
    const stored = { ...account, emailKey: emailKey(account.email), ...times };
    try {
      await this.accounts.insertOne(stored);
    } catch (error) {
      throw (await this.#isTakenEmail(error, account.email)) ? emailTaken() : error;
    }
    return toAccount(stored);
  }

  /** Some engines do not say which index has refused a write. Then only a look tells a taken e-mail from a taken id. */
  async #isTakenEmail(error: unknown, email: string): Promise<boolean> {
    if (!isDuplicateKey(error, 'emailKey')) {
      return false;
    }
    return !isDuplicateKey(error, '_id') || (await this.accounts.exists(withEmail(email))) !== null;
  }

  /** Finds the account of an e-mail, for operators. */
  async findByEmail(email: string): Promise<KnownAccount | undefined> {
    const stored = await this.accounts.findOne(withEmail(email)).lean<StoredAccount>();
    return stored ? toKnown(stored) : undefined;
  }

  /** Finds an account by its id, for operators. */
  async findById(id: string): Promise<KnownAccount | undefined> {
    if (id.length > MAX_ID_CHARACTERS) {
      return undefined;
    }
    const stored = await this.accounts.findById(id).lean<StoredAccount>();
    return stored ? toKnown(stored) : undefined;
  }

  /**
   * Gives an account another e-mail, and forgets its known places: their digests contain the e-mail. Its reset tokens are invalid
   * from then on, in the same write.
   * @param account as it was read. If its e-mail has changed since, nothing happens
   * @throws ValidationError on `email` when another account has it, also one that registers at the same time;
   *   NotFoundError when the account has changed or gone, or its erasure has begun
   */
  async setEmail({ id, email: former }: KnownAccount, email: string): Promise<void> {
    const times = { updatedAt: new Date(this.clock.now()) };
    const fields = { email, ...withEmail(email), ...times, 'passwordChange.id': newId() };
    const change = { $set: fields, $unset: { knownPlaces: 1 as const } };
    try {
      const { matchedCount } = await this.accounts.updateOne(
        { _id: id, email: former, erasingSince: null, legacyAbsence: null },
        change,
      );
      if (matchedCount === 0) {
        throw new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');
      }
    } catch (error) {
      throw isDuplicateKey(error, 'emailKey') ? emailTaken() : error;
    }
  }

  /**
   * Finds accounts by id in one query, for services. Disabled accounts are found, too: the records of services still name them.
   * @param ids any texts. The caller of this function limits their number
   * @returns by id, the accounts that exist and can be shown
   */
  async findOthers(ids: readonly string[]): Promise<ReadonlyMap<string, OtherAccount>> {
    const possible = [...new Set(ids)].filter((id) => id.length <= MAX_ID_CHARACTERS);
    const query = { _id: { $in: possible } };
    const found = possible.length === 0 ? [] : await this.accounts.find(query).lean<StoredAccount[]>();
    const shown = found.filter((account) => !flawOfAccount(account));
    return new Map(shown.map(({ _id, name, role }) => [_id, new OtherAccount(_id, name, role)]));
  }

  /**
   * Disables an account. One that the legacy service does not have any more is then still disabled when it returns.
   * @returns false if it is disabled already
   */
  async disable(id: string, disabledAt: Date): Promise<boolean> {
    const enabled = { _id: id, disabledAt: null };
    const absent = { _id: id, legacyAbsence: { $ne: null }, 'legacyAbsence.disabledAt': null };
    const isDisabled = await this.#update(enabled, { $set: { disabledAt } });
    return isDisabled || this.#update(absent, { $set: { 'legacyAbsence.disabledAt': disabledAt } });
  }

  /**
   * Enables an account again. A closed account that is enabled stays.
   * @returns false if it is enabled already, its erasure has begun, or the legacy service does not have it any more
   */
  enable(id: string): Promise<boolean> {
    const filter = { _id: id, disabledAt: { $ne: null }, erasingSince: null, legacyAbsence: null };
    return this.#update(filter, { $set: { disabledAt: null }, $unset: { erasureDueAt: '' } });
  }

  async #update(filter: QueryFilter<StoredAccount>, change: UpdateQuery<StoredAccount>): Promise<boolean> {
    return (await this.accounts.updateOne(filter, change)).modifiedCount === 1;
  }

  /** True for an account whose erasure has begun, or that was erased. */
  async isErased(id: string): Promise<boolean> {
    return (await this.accounts.exists({ _id: id, erasingSince: null })) === null;
  }

  /** Finds the account of an e-mail with all that a check of its password needs. Only for login. */
  async findForLogin(email: string): Promise<StoredAccount | undefined> {
    const query = this.accounts.findOne(withEmail(email)).select(WITH_PASSWORD);
    return (await query.lean<StoredAccount>()) ?? undefined;
  }

  /** Finds an account like {@link findForLogin}, by its id. Only where its password is checked or set. */
  async findWithPassword(id: string): Promise<StoredAccount | undefined> {
    return (await this.accounts.findById(id).select(WITH_PASSWORD).lean<StoredAccount>()) ?? undefined;
  }

  /** True if an account is enabled and still has the password that it had when it was read with its password. */
  async isUnchanged({ _id, passwordChange }: StoredAccount): Promise<boolean> {
    return (
      (await this.accounts.exists({ _id, disabledAt: null, ...withChange(passwordChange?.id) })) !== null
    );
  }

  /**
   * Sets a new password: the commit point of a change.
   * @param account as it was read with its password
   * @returns false if the password or the e-mail was changed since, or the account was disabled or removed. Then nothing was set
   */
  async setPassword(
    { _id, email, passwordChange: former }: StoredAccount,
    { passwordHash, knownPlaces, passwordChange }: NewPassword,
  ): Promise<boolean> {
    const { matchedCount } = await this.accounts.updateOne(
      // A reset token that was sent to another e-mail must not win a race against its change.
      { _id, email, disabledAt: null, ...withChange(former?.id) },
      {
        $set: { passwordHash, knownPlaces, passwordChange, updatedAt: new Date(this.clock.now()) },
        $unset: { upgradedFrom: '' },
      },
    );
    return matchedCount === 1;
  }

  /** True if the tokens that a change of the password ends may still be there. */
  async isEnding(id: string, changeId: string): Promise<boolean> {
    const ending = { 'passwordChange.ending': { $exists: true } };
    return (await this.accounts.exists({ _id: id, ...withChange(changeId), ...ending })) !== null;
  }

  /** Notes that a change of the password has ended its tokens. */
  async noteEnded(id: string, changeId: string): Promise<void> {
    const filter = { _id: id, ...withChange(changeId) };
    await this.accounts.updateOne(filter, { $unset: { 'passwordChange.ending': '' } });
  }

  /**
   * Replaces a hash by a stronger one of the same password, unless it was replaced in the meantime. An imported account
   * remembers its imported hash by a digest: the move from the legacy service does not take the upgrade for a new password.
   */
  async replaceHash({ _id, passwordHash, upgradedFrom }: StoredAccount, newHash: string): Promise<void> {
    const isImported = !isSpelledAsOwn(passwordHash) && upgradedFrom === undefined;
    const from = isImported && { upgradedFrom: digestOfHash(passwordHash) };
    await this.accounts.updateOne({ _id, passwordHash }, { $set: { passwordHash: newHash, ...from } });
  }
}
