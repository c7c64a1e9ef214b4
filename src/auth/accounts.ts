import { isDuplicateKey } from '../database/database-errors.ts';
import { ValidationError } from '../errors/errors.ts';
import {
  type Account,
  type AccountModel,
  emailKey,
  type StoredAccount,
  storedEmailKeys,
  toAccount,
} from '../models/account.model.ts';
import { flawOfAccount } from '../models/flaws.ts';
import type { Clock } from '../system/clock.ts';
import { OtherAccount } from './other-account.ts';

const emailTaken = () => new ValidationError({ email: ['The email has already been taken.'] });

/** The filter for the account of an e-mail. */
function withEmail(email: string): { emailKey: string | { $in: string[] } } {
  const [key = '', ...formerKeys] = storedEmailKeys(email);
  return { emailKey: formerKeys.length === 0 ? key : { $in: [key, ...formerKeys] } };
}

/** An account, and the time since which it is disabled; null if it is not. */
export type KnownAccount = Account & Pick<StoredAccount, 'disabledAt'>;

/** A longer id belongs to no account: ids are made here, or come from a key of the legacy database. */
const MAX_ID_CHARACTERS = 128;

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
   * @throws ValidationError on `email` when another registration was faster
   */
  async insert(account: Omit<StoredAccount, 'emailKey' | 'createdAt' | 'disabledAt'>): Promise<Account> {
    const createdAt = new Date(this.clock.now());
    const stored = { ...account, emailKey: emailKey(account.email), createdAt, disabledAt: null };
    try {
      await this.accounts.insertOne(stored);
    } catch (error) {
      throw isDuplicateKey(error, 'emailKey') ? emailTaken() : error;
    }
    return toAccount(stored);
  }

  /** Finds the account of an e-mail, for operators. */
  async findByEmail(email: string): Promise<KnownAccount | undefined> {
    const stored = await this.accounts.findOne(withEmail(email)).lean<StoredAccount>();
    return stored ? { ...toAccount(stored), disabledAt: stored.disabledAt ?? null } : undefined;
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
   * Disables an account, or with null enables it again.
   * @returns false if nothing has changed
   */
  async setDisabled(id: string, disabledAt: Date | null): Promise<boolean> {
    const isOther = disabledAt === null ? { disabledAt: { $ne: null } } : { disabledAt: null };
    const { modifiedCount } = await this.accounts.updateOne(
      { _id: id, ...isOther },
      { $set: { disabledAt } },
    );
    return modifiedCount === 1;
  }

  /** Finds the account of an e-mail with its hash and known places. Only for login. */
  async findForLogin(email: string): Promise<StoredAccount | undefined> {
    const query = this.accounts.findOne(withEmail(email)).select('+passwordHash +knownPlaces');
    return (await query.lean<StoredAccount>()) ?? undefined;
  }

  /** Replaces a hash, unless it was replaced in the meantime. */
  async replaceHash(id: string, oldHash: string, newHash: string): Promise<void> {
    const found = { _id: id, passwordHash: oldHash };
    await this.accounts.updateOne(found, { $set: { passwordHash: newHash } });
  }
}
