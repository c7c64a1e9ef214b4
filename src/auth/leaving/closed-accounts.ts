import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AccountModel, StoredAccount } from '../../stores/accounts/accounts.ts';
import type { Clock } from '../../system/clock.ts';

/** The accounts that were closed: disabled, and to be erased. */
export class ClosedAccounts {
  constructor(
    private readonly accounts: AccountModel,
    private readonly clock: Clock,
  ) {}

  /**
   * Closes an account for its owner, in one step.
   * @param account as it was read. If its password was changed or it was closed since, nothing changes
   * @returns false if nothing has changed
   */
  async close({ _id, passwordHash }: StoredAccount, erasureDueAt: Date): Promise<boolean> {
    const disabledAt = new Date(this.clock.now());
    const change = { $set: { disabledAt, erasureDueAt } };
    const filter = { _id, passwordHash, disabledAt: null };
    return (await this.#within(this.accounts.updateOne(filter, change).exec())).modifiedCount === 1;
  }

  /**
   * Closes an account for an operator. A disabled account stays disabled since it was.
   * @returns when it is erased, also if it was closed before; undefined if it does not exist any more
   */
  async closeAnyway(id: string, erasureDueAt: Date): Promise<Date | undefined> {
    await this.#disable(id);
    const change = { $set: { erasureDueAt } };
    const filter = { _id: id, disabledAt: { $ne: null }, erasureDueAt: null };
    await this.#within(this.accounts.updateOne(filter, change).exec());
    const closed = await this.#within(this.accounts.findById(id).lean<StoredAccount>());
    return closed?.erasureDueAt;
  }

  /**
   * Makes an account due now, and begins its erasure in the same step.
   * @returns the account; undefined if it does not exist
   */
  async claimNow(id: string): Promise<StoredAccount | undefined> {
    await this.#disable(id);
    const now = new Date(this.clock.now());
    const change = { $set: { erasureDueAt: now, erasingSince: now } };
    const filter = { _id: id, disabledAt: { $ne: null }, erasingSince: null };
    await this.#within(this.accounts.updateOne(filter, change).exec());
    return this.#claimed(id);
  }

  /**
   * The next account whose time has come. An erasure that was interrupted comes first.
   * @param except ids that are left out
   */
  async nextDue(except: readonly string[]): Promise<string | undefined> {
    const due = { erasureDueAt: { $lte: new Date(this.clock.now()) }, _id: { $nin: [...except] } };
    const query = this.accounts.findOne(due).sort({ erasureDueAt: 1 }).select('_id');
    return (await this.#within(query.lean<{ _id: string }>()))?._id;
  }

  /**
   * Begins the erasure of an account that is due. From then on it cannot be enabled. Begun before, it goes on.
   * @returns the account; undefined if it was enabled or erased meanwhile
   */
  async claim(id: string): Promise<StoredAccount | undefined> {
    const now = new Date(this.clock.now());
    const filter = { _id: id, disabledAt: { $ne: null }, erasureDueAt: { $lte: now }, erasingSince: null };
    await this.#within(this.accounts.updateOne(filter, { $set: { erasingSince: now } }).exec());
    return this.#claimed(id);
  }

  /** Removes an account whose erasure has begun: the last step of the erasure. */
  async remove(id: string): Promise<void> {
    await this.#within(this.accounts.deleteOne({ _id: id, erasingSince: { $ne: null } }).exec());
  }

  async #disable(id: string): Promise<void> {
    const change = { $set: { disabledAt: new Date(this.clock.now()) } };
    await this.#within(this.accounts.updateOne({ _id: id, disabledAt: null }, change).exec());
  }

  async #claimed(id: string): Promise<StoredAccount | undefined> {
    const query = this.accounts.findOne({ _id: id, erasingSince: { $ne: null } });
    return (await this.#within(query.lean<StoredAccount>())) ?? undefined;
  }

  #within<T>(exchange: PromiseLike<T>): Promise<T> {
    return boundedExchange(exchange, this.clock);
  }
}
