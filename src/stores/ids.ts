import { type Connection, mongo, Schema } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { isDuplicateKey, isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { ServiceUnavailableError } from '../system/errors.ts';
import { newId } from './account-record.ts';
import { Store } from './store.ts';

/**
 * Where numbers of accounts and tokens occur. An account that was deleted may have left a profile or tokens behind: they must
 * not belong to the next account. The audit trail still names erased accounts.
 */
const FIELDS = {
  accounts: [
    ['accounts', '_id'],
    ['doctor_profiles', '_id'],
    ['access_tokens', 'accountId'],
    ['erasures', '_id'],
  ],
  access_tokens: [['access_tokens', '_id']],
} as const;

/** The collections whose ids can be numbers. */
export type NumberedCollection = keyof typeof FIELDS;

const NUMBERED = Object.keys(FIELDS) as NumberedCollection[];

/** A stored counter. All instances share it. */
interface IdCounter {
  _id: NumberedCollection;
  /** The largest number that is taken or reserved. Above 2^53 the driver reads a Long. */
  value: number | mongo.Long;
}

export const counterSchema = new Schema<IdCounter>(
  { _id: { type: String, required: true }, value: { type: Number, required: true } },
  { collection: 'counters' },
);

/** A canonical decimal number that fits a signed BIGINT. An ObjectId may consist of digits alone, but it has 24 of them. */
const DECIMAL = '^[1-9][0-9]{0,18}$';

const MAX_STORED = BigInt(mongo.Long.MAX_VALUE.toString());

/** The counters of ids that are numbers. All instances share them, and a counter is only ever raised. */
export class IdStore extends Store<IdCounter> {
  readonly #connection: Connection;

  constructor(database: LimitedConnection) {
    super(database, counterSchema);
    this.#connection = database.connection;
  }

  /**
   * Makes missing counters: they start above all numbers that are stored. Instances may do it at the same time. To look at a
   * million records takes some seconds, once: open the store without a limit.
   * @throws an error for people if a number is too large for {@link reserve}
   */
  async make(): Promise<void> {
    for (const name of NUMBERED) {
      await this.#makeIfMissing(name);
      const counter = await this.records.first({ _id: name });
      if (!Number.isSafeInteger(counter?.value)) {
        throw new Error(
          `ID_FORMAT=integer cannot be used: an id in ${name} is above ${Number.MAX_SAFE_INTEGER}, which JSON numbers do not carry`,
        );
      }
    }
  }

  /**
   * Raises counters, so that no id from now on is one of an import. Call it before the ids are stored, whatever ID_FORMAT is: if
   * an import breaks off in between, there is only a gap. It never lowers a counter.
   * @param largest the largest number that will be stored in each collection
   */
  async raise(largest: Partial<Record<NumberedCollection, bigint>>): Promise<void> {
    for (const name of NUMBERED) {
      const value = largest[name];
      if (value !== undefined) {
        await this.#makeIfMissing(name);
        await this.#raiseOne(name, value);
      }
    }
  }

  /**
   * Reserves the next numbers of a collection for the caller alone.
   * @param count how many
   * @returns the last of them
   * @throws ServiceUnavailableError if the counter does not exist any more or would pass 2^53; errors of the database
   */
  async reserve(name: NumberedCollection, count: number): Promise<number> {
    const belowMaximum = { _id: name, value: { $lte: Number.MAX_SAFE_INTEGER - count } };
    const more = { $inc: { value: mongo.Long.fromNumber(count) } };
    const counter = await this.records.updated(belowMaximum, more);
    if (typeof counter?.value !== 'number') {
      throw new ServiceUnavailableError(`the counter of ${name} is missing or used up`);
    }
    return counter.value;
  }

  async #makeIfMissing(name: NumberedCollection): Promise<void> {
    if (await this.records.first({ _id: name })) {
      return;
    }
    const found = [];
    for (const [collection, field] of FIELDS[name]) {
      found.push(await this.#largestNumber(collection, field));
    }
    const largest = found.reduce((one, other) => (one > other ? one : other));
    await this.#raiseOne(name, largest);
  }

  /** Among numbers of the same length, the order of texts is the order of numbers. */
  async #largestNumber(collection: string, field: string): Promise<bigint> {
    const longest = [
      { $match: { [field]: { $regex: DECIMAL } } },
      { $group: { _id: { $strLenCP: `$${field}` }, largest: { $max: `$${field}` } } },
      { $sort: { _id: -1 } },
      { $limit: 1 },
    ];
    const query = dbOf(this.#connection).collection(collection).aggregate<{ largest: string }>(longest);
    const [found] = await this.records.within(query.toArray());
    return BigInt(found?.largest ?? 0);
  }

  async #raiseOne(name: NumberedCollection, value: bigint): Promise<void> {
    // A legacy service may have an unsigned BIGINT. A counter that high is refused anyway.
    const long = mongo.Long.fromBigInt(value < MAX_STORED ? value : MAX_STORED);
    const upsert = () => this.records.update({ _id: name }, { $max: { value: long } }, { upsert: true });
    // Of two simultaneous upserts, one may fail. The counter exists now.
    if (!(await isUnique(upsert(), '_id'))) {
      await upsert();
    }
  }
}

/** `objectid`: ids cannot be guessed. `integer`: numbers above the imported ones, as a legacy service gave them. */
export type IdFormat = 'objectid' | 'integer';

/** Gives ids to the new records of a collection. */
export interface Ids {
  /**
   * Stores something under a new id. If another record has that id, it tries again with the next one.
   * @param store throws the database's error if a record with this `_id` exists; nothing is then stored
   * @throws what `store` throws; ServiceUnavailableError if there is no free id
   */
  withNew<T>(store: (id: string) => Promise<T>): Promise<T>;
}

/** The ids of new accounts and access tokens. */
export interface NewIds {
  accounts: Ids;
  tokens: Ids;
}

/** ObjectIds in hex. No two are equal. */
export const objectIds: Ids = { withNew: (store) => store(newId()) };

/** @param counters that exist, for `integer` */
export const openIds = (format: IdFormat, counters: IdStore): NewIds => {
  if (format === 'objectid') {
    return { accounts: objectIds, tokens: objectIds };
  }
  const numbersOf = (name: NumberedCollection) => new NumberIds((count) => counters.reserve(name, count));
  return { accounts: numbersOf('accounts'), tokens: numbersOf('access_tokens') };
};

/**
 * How many numbers an instance reserves at a time. Each login hashes a password, so a machine has some dozens a second: it
 * asks the database about once a second. A restart loses what is left of a block, which does not matter among 2^53.
 */
const BLOCK = 100;

/** The first try with a reserved block drops it, the second one has a block from above an import. */
const MAX_TRIES = 5;

/** Numbers as texts, from blocks that the instance reserves. Instances share the counter, never a number. */
export class NumberIds implements Ids {
  #next = 1;
  #last = 0;
  #reserving: Promise<void> | undefined;

  /** @param reserve reserves the next numbers, and returns the last of them */
  constructor(private readonly reserve: (count: number) => Promise<number>) {}

  async withNew<T>(store: (id: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const number = await this.#take();
      try {
        return await store(String(number));
      } catch (error) {
        if (!isDuplicateKey(error, '_id')) {
          throw error;
        }
        if (tries === MAX_TRIES) {
          throw new ServiceUnavailableError('the next ids are taken', error);
        }
        this.#dropBlockOf(number);
      }
    }
  }

  async #take(): Promise<number> {
    while (this.#next > this.#last) {
      this.#reserving ??= this.#reserveBlock().finally(() => {
        this.#reserving = undefined;
      });
      await this.#reserving;
    }
    const number = this.#next;
    this.#next += 1;
    return number;
  }

  async #reserveBlock(): Promise<void> {
    const last = await this.reserve(BLOCK);
    this.#last = last;
    this.#next = last - BLOCK + 1;
  }

  /** An import has stored an id of this block. It has raised the counter, so the next block is free of its ids. */
  #dropBlockOf(number: number): void {
    const isOfThisBlock = number > this.#last - BLOCK && number <= this.#last;
    if (isOfThisBlock) {
      this.#next = this.#last + 1;
    }
  }
}
