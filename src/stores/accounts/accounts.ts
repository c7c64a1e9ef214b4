import type { LimitedConnection } from '../../database/exchange-limit.ts';
import { Store } from '../store.ts';
import { ACCOUNTS, ROLES, type StoredAccount } from './account-record.ts';

export {
  ACCOUNTS,
  type Account,
  type AccountModel,
  newId,
  ROLES,
  type Role,
  type StoredAccount,
  toAccount,
} from './account-record.ts';

/** An account for those who review it. */
export type ReviewableAccount = Omit<
  StoredAccount,
  'passwordHash' | 'knownPlaces' | 'upgradedFrom' | 'passwordChange'
>;

/** The accounts. */
export class AccountStore extends Store<StoredAccount> {
  constructor(database: LimitedConnection) {
    super(database, ACCOUNTS);
  }

  /** The ids among these that have an account. */
  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#idsOf(ids, {});
  }

  /** The ids among these that have an account of a doctor. */
  async doctorsAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#idsOf(ids, { role: ROLES.DOCTOR });
  }

  /** The accounts of doctors among these whom somebody may review: not those that are disabled or closed. */
  async reviewable(ids: readonly string[]): Promise<ReviewableAccount[]> {
    const filter = { _id: { $in: [...ids] }, role: ROLES.DOCTOR, disabledAt: null };
    const projection = { passwordHash: 0, knownPlaces: 0, upgradedFrom: 0, passwordChange: 0 };
    return this.within(this.collection.find<ReviewableAccount>(filter, { projection }).toArray());
  }

  async #idsOf(ids: readonly string[], which: { role?: 'doctor' }): Promise<ReadonlySet<string>> {
    // Most batches of the sweep are empty.
    if (ids.length === 0) {
      return new Set();
    }
    const filter = { _id: { $in: [...ids] }, ...which };
    const found = await this.within(this.collection.find(filter, { projection: { _id: 1 } }).toArray());
    return new Set(found.map(({ _id }) => _id));
  }
}
