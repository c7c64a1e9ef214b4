import type { Connection, mongo } from 'mongoose';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { isDuplicate } from '../database/database-errors.ts';
import { ATTEMPT_COUNTS } from '../models/attempt-count.model.ts';

/** Counts attempts by key and refuses those over a number, which is how often something may be tried in a minute. */
export type AttemptCounter = Pick<
  RateLimiterAbstract,
  'consume' | 'reward' | 'penalty' | 'delete' | 'points'
>;

/**
 * Makes a counter.
 * @param name tells its keys from those of other counters
 * @param perMinute attempts that a key has in a minute, counted from its first
 */
export type CreateCounter = (name: string, perMinute: number) => AttemptCounter;

export const WINDOW_SECONDS = 60;

/** Counts in this process: for the embedded database, which has one process anyway. */
export const countInMemory: CreateCounter = (name, perMinute) =>
  new CappedMemoryCounter({ keyPrefix: name, points: perMinute, duration: WINDOW_SECONDS });

/**
 * Counts in the database, so that instances share their counts.
 * @param connection on which the indexes of the attempt counts exist
 */
export function countInDatabase(connection: Connection): CreateCounter {
  // A count is forgotten within a minute: it need not survive a crash, and so does not wait for a disk.
  const db = connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
  const storeClient = { collection: (name: string) => withKnownDuplicates(db.collection(name)) };
  return (name, perMinute) =>
    new RateLimiterMongo({
      storeClient,
      tableName: ATTEMPT_COUNTS,
      keyPrefix: name,
      points: perMinute,
      duration: WINDOW_SECONDS,
      disableIndexesCreation: true,
    });
}

const DUPLICATE_KEY = 11_000;

/**
 * The library makes a new count with findAndModify, and tries again if another instance was faster. It knows that by
 * MongoDB's code alone, which not every engine sends.
 */
function withKnownDuplicates<T extends Pick<mongo.Collection, 'findOneAndUpdate'>>(collection: T): T {
  const findOneAndUpdate = collection.findOneAndUpdate.bind(collection) as (
    ...args: unknown[]
  ) => Promise<unknown>;
  const translated = (...args: unknown[]) =>
    findOneAndUpdate(...args).catch((error: unknown) => {
      throw isDuplicate(error) ? Object.assign(error as Error, { code: DUPLICATE_KEY }) : error;
    });
  return Object.assign(collection, { findOneAndUpdate: translated });
}

const MAX_KEYS = 20_000;

/** Whoever can come from many addresses could otherwise fill the memory with counts. The longest unused goes first. */
class CappedMemoryCounter extends RateLimiterMemory {
  /** How many attempts of each key were not given back; those of a minute that is over stay until the key goes. */
  readonly #attempts = new Map<string, number>();

  override consume(key: string) {
    const attempts = this.#attempts.get(key) ?? 0;
    this.#attempts.delete(key);
    this.#attempts.set(key, attempts + 1);
    const [longestUnused] = this.#attempts.keys();
    if (this.#attempts.size > MAX_KEYS && longestUnused !== undefined) void this.delete(longestUnused);
    return super.consume(key);
  }

  /** Forgets a key that has no attempts left: those that were none must not push out those that were. */
  override async reward(key: string) {
    const attempts = (this.#attempts.get(key) ?? 0) - 1;
    if (attempts > 0) {
      this.#attempts.set(key, attempts);
      return super.reward(key);
    }
    await this.delete(key);
    return new RateLimiterRes(this.points, 0, 0, false);
  }

  override delete(key: string) {
    this.#attempts.delete(key);
    return super.delete(key);
  }
}
