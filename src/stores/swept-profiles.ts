import { boundedExchange } from '../database/bounded-exchange.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { Clock } from '../system/clock.ts';
import type { DoctorProfile } from './doctors/profile-record.ts';
import type { Models } from './models.ts';
import { BATCH_SIZE } from './ownership.ts';
import type { SweptProfile } from './swept-profile.model.ts';

/** The trash of profiles: a collection of its own, because an account that gets the id of an orphan must not meet it. */
export class SweptProfiles {
  constructor(
    private readonly models: Pick<Models, 'accounts' | 'profiles' | 'sweptProfiles'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Moves a profile here. A kill leaves it in both places, and the next sweep does it again.
   * @returns false if it does not exist
   */
  async put(id: string): Promise<boolean> {
    const { profiles } = this.models;
    // The driver's own collections: Mongoose would drop what it does not know.
    const trash = this.models.sweptProfiles.collection;
    const profile = await this.#within(profiles.collection.findOne({ _id: id } as object));
    if (!profile) {
      return false;
    }
    const swept = { profile, sweptAt: new Date(this.clock.now()) };
    await this.#within(trash.updateOne({ _id: id } as object, { $set: swept }, { upsert: true }));
    return (await this.#within(profiles.deleteOne({ _id: id }).exec())).deletedCount === 1;
  }

  /** Moves the profiles back whose doctors have an account again. @returns their ids */
  async restoreOwned(signal?: AbortSignal): Promise<string[]> {
    const restored: string[] = [];
    for (let after = ''; !signal?.aborted; ) {
      const query = this.models.sweptProfiles.find({ _id: { $gt: after } }).sort({ _id: 1 });
      const batch = await this.#within(query.select('_id').limit(BATCH_SIZE).lean<{ _id: string }[]>());
      for (const id of await this.#doctorsAmong(batch.map(({ _id }) => _id))) {
        if (await this.restore(id)) {
          restored.push(id);
        }
      }
      after = batch.at(-1)?._id ?? '';
      if (batch.length < BATCH_SIZE) {
        break;
      }
    }
    return restored;
  }

  /**
   * Moves a profile back. It never overwrites.
   * @returns false if there is none here, or there is another one in its place
   */
  async restore(id: string): Promise<boolean> {
    const { profiles, sweptProfiles } = this.models;
    const query = sweptProfiles.findById(id).lean<SweptProfile>();
    const swept = await this.#within(query);
    const isRestored = swept !== null && (await this.#insert(profiles.collection, swept.profile));
    if (isRestored) {
      await this.remove(id);
    }
    return isRestored;
  }

  /** Removes a profile for good. */
  async remove(id: string): Promise<void> {
    await this.#within(this.models.sweptProfiles.deleteOne({ _id: id }).exec());
  }

  async #doctorsAmong(ids: string[]): Promise<string[]> {
    if (ids.length === 0) {
      return [];
    }
    const query = this.models.accounts.find({ _id: { $in: ids }, role: 'doctor' }).select('_id');
    return (await this.#within(query.lean<{ _id: string }[]>())).map(({ _id }) => _id);
  }

  async #insert(collection: Models['profiles']['collection'], profile: DoctorProfile): Promise<boolean> {
    try {
      await this.#within(collection.insertOne(profile as object));
      return true;
    } catch (error) {
      if (isDuplicateKey(error, '_id')) {
        return false;
      }
      throw error;
    }
  }

  #within<T>(exchange: PromiseLike<T>): Promise<T> {
    return boundedExchange(exchange, this.clock);
  }
}
