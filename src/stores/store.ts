import type { Options } from 'dataloader';
import type { mongo, Schema } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { type ExchangeLimit, type LimitedConnection, withinLimit } from '../database/exchange-limit.ts';
import { CLOCK_TOLERANCE_MILLIS } from '../system/clock.ts';

/** The name of a collection, and the fields of its records with their types, in the order in which they are stored. */
export type Definition = Pick<Schema, 'get'> & { readonly obj: object };

/** The records of one collection. Each verb is one exchange with the database, within the time limit of the connection. */
export class Records<TRecord extends mongo.Document> {
  /** For what has no verb here: {@link within} adds the limit. */
  readonly collection: mongo.Collection<TRecord>;
  readonly #limit: ExchangeLimit | undefined;
  readonly #fields: readonly string[];

  /**
   * @param database the connection must be open
   * @param options that differ from those of the connection
   */
  constructor(
    { connection, limit }: LimitedConnection,
    definition: Definition,
    options?: mongo.CollectionOptions,
  ) {
    this.collection = dbOf(connection).collection<TRecord>(String(definition.get('collection')), options);
    this.#limit = limit;
    this.#fields = Object.keys(definition.obj);
  }

  /**
   * Waits for one exchange with the database, as long as the connection allows.
   * @throws MongoNetworkTimeoutError after that: the exchange may still happen
   */
  within<T>(exchange: PromiseLike<T>): Promise<T> {
    return withinLimit(exchange, this.#limit);
  }

  async first<T extends mongo.Document = mongo.WithId<TRecord>>(
    filter: mongo.Filter<TRecord>,
    options?: mongo.FindOneOptions,
  ): Promise<T | undefined> {
    return (await this.within(this.collection.findOne<T>(filter, options))) ?? undefined;
  }

  async exists(filter: mongo.Filter<TRecord>): Promise<boolean> {
    return (await this.first(filter, { projection: { _id: 1 } })) !== undefined;
  }

  list<T extends mongo.Document = mongo.WithId<TRecord>>(
    filter: mongo.Filter<TRecord>,
    options?: mongo.FindOptions,
  ): Promise<T[]> {
    return this.within(this.collection.find<T>(filter, options).toArray());
  }

  /** The ids of the records that a filter finds. */
  async ids(
    filter: mongo.Filter<TRecord>,
    options?: mongo.FindOptions,
  ): Promise<Set<mongo.InferIdType<TRecord>>> {
    const found = await this.list(filter, { ...options, projection: { _id: 1 } });
    return new Set(found.map(({ _id }) => _id));
  }

  /** All records with some of their fields, in pages, in the order of their ids. */
  pages(projection: mongo.Document, limit = PAGE_SIZE): AsyncGenerator<mongo.WithId<TRecord>[]> {
    const options = { projection, sort: { _id: 1 }, limit } as const;
    const after = (_id: unknown) => ({ _id: { $gt: _id } }) as mongo.Filter<TRecord>;
    return inPages<mongo.WithId<TRecord>>((last) => this.list(after(last?._id ?? ''), options), limit);
  }

  count(filter: mongo.Filter<TRecord>): Promise<number> {
    return this.within(this.collection.countDocuments(filter));
  }

  /** Inserts what {@link ordered} makes of a record. */
  async insert(record: mongo.OptionalUnlessRequiredId<TRecord>): Promise<void> {
    await this.within(this.collection.insertOne(this.ordered(record)));
  }

  /**
   * The driver stores a record exactly as it is given, and null for a field that is undefined.
   * @returns the record with its fields in the order of their definition, without those that are undefined
   * @throws TypeError if one has no definition
   */
  ordered<T extends object>(record: T): T {
    const unknown = Object.keys(record).find((name) => !this.#fields.includes(name));
    if (unknown !== undefined) {
      throw new TypeError(`${this.collection.collectionName} has no field ${unknown}`);
    }
    const fields = this.#fields.map((name) => [name, Reflect.get(record, name)]);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }

  /** Changes a record. @returns true if one matched, or an upsert has inserted it */
  async update(
    filter: mongo.Filter<TRecord>,
    change: mongo.UpdateFilter<TRecord>,
    options?: mongo.UpdateOptions,
  ): Promise<boolean> {
    const { matchedCount, upsertedCount } = await this.within(
      this.collection.updateOne(filter, change, options),
    );
    return matchedCount + upsertedCount > 0;
  }

  /** Changes all records that match. @returns how many did */
  async updateAll(filter: mongo.Filter<TRecord>, change: mongo.UpdateFilter<TRecord>): Promise<number> {
    return (await this.within(this.collection.updateMany(filter, change))).matchedCount;
  }

  /** Changes a record. @returns the record after it; undefined if none matched */
  async updated(
    filter: mongo.Filter<TRecord>,
    change: mongo.UpdateFilter<TRecord>,
    options?: mongo.FindOneAndUpdateOptions,
  ): Promise<mongo.WithId<TRecord> | undefined> {
    const after = { ...options, returnDocument: 'after' } as const;
    return (await this.within(this.collection.findOneAndUpdate(filter, change, after))) ?? undefined;
  }

  /** Removes a record. @returns false if none matched */
  async remove(filter: mongo.Filter<TRecord>): Promise<boolean> {
    return (await this.within(this.collection.deleteOne(filter))).deletedCount > 0;
  }

  /** Removes all records that match. @returns how many */
  async removeAll(filter: mongo.Filter<TRecord>): Promise<number> {
    return (await this.within(this.collection.deleteMany(filter))).deletedCount;
  }

  /**
   * Finds a record by its id, or makes it. If several instances make it at the same time, all get the one that was first.
   * @param make returns the new record
   */
  async findOrInsert(
    id: string,
    make: () => TRecord | Promise<TRecord>,
  ): Promise<TRecord | mongo.WithId<TRecord>> {
    const find = () => this.first({ _id: id } as mongo.Filter<TRecord>);
    const found = await find();
    if (found) {
      return found;
    }
    const made = await make();
    try {
      await this.insert(made as mongo.OptionalUnlessRequiredId<TRecord>);
      return made;
    } catch (error) {
      const other = isDuplicateKey(error, '_id') && (await find());
      if (!other) {
        throw error;
      }
      return other;
    }
  }

  /**
   * Reads what a query finds, batch by batch, each within the limit of an exchange. The cursor is closed in the end, also if the
   * caller stops early.
   * @param signal ends it before the next batch
   */
  async *batches<T extends mongo.Document = mongo.WithId<TRecord>>(
    filter: mongo.Filter<TRecord>,
    options: mongo.FindOptions,
    signal?: AbortSignal,
  ): AsyncGenerator<T[]> {
    const found = this.collection.find<T>(filter, options);
    try {
      while (!signal?.aborted && (await this.within(found.hasNext()))) {
        yield found.readBufferedDocuments();
      }
    } finally {
      await this.within(found.close()).catch(() => {});
    }
  }

  /**
   * Reads like {@link batches}, but only what comes behind a record. Records with the same place in the sort have an order of their own,
   * which stays.
   * @param afterId the id of that record; undefined: everything
   */
  async *batchesBehind(
    filter: mongo.Filter<TRecord>,
    options: mongo.FindOptions,
    afterId: string | undefined,
  ): AsyncGenerator<mongo.WithId<TRecord>[]> {
    const isLast = ({ _id }: { _id: unknown }) => _id === afterId;
    let isBehind = afterId === undefined;
    for await (const batch of this.batches(filter, options)) {
      const last = isBehind ? -1 : batch.findIndex(isLast);
      if (isBehind || last >= 0) {
        isBehind = true;
        yield batch.slice(last + 1);
      }
    }
  }
}

/**
 * Owns one collection: its store is the only code with queries and updates of it. Everybody else calls the store's methods, which
 * take and return ids, records and values.
 */
export abstract class Store<TRecord extends mongo.Document> {
  protected readonly records: Records<TRecord>;

  /** The parameters are those of {@link Records}. */
  constructor(database: LimitedConnection, definition: Definition, options?: mongo.CollectionOptions) {
    this.records = new Records(database, definition, options);
  }
}

/** A read that sees only what a majority has confirmed: no failure of the primary takes it back. */
export const CONFIRMED = { readConcern: { level: 'majority' } } as const;

/**
 * Finds a time until which something waits, if it is over or absent. It is over, too, if it is later than the longest wait from now: a
 * clock that was ahead has stored it, and nothing waits until the clocks have caught up.
 */
export const overAt = (now: Date, longestMillis: number) => ({
  $not: { $gt: now, $lte: new Date(now.getTime() + longestMillis + CLOCK_TOLERANCE_MILLIS) },
});

/** A record that belongs to an account. */
export interface OwnedRecord {
  _id: string;
  accountId: string;
}

/** How many records are read at a time. A large collection is never in memory as a whole. */
export const PAGE_SIZE = 200;

/**
 * Reads records in pages. Each page is a query of its own, so no cursor stays open between them.
 * @param next the first records after one; after undefined, the first of all
 * @param size how many that are; a shorter page is the last one
 */
export async function* inPages<T>(
  next: (last: T | undefined) => Promise<T[]>,
  size: number,
): AsyncGenerator<T[]> {
  let page: T[] = [];
  do {
    page = await next(page.at(-1));
    yield page;
  } while (page.length === size);
}

/**
 * Takes the records that were created before a moment from pages with newer ones, too: if there are very many of these, a query
 * without them would take too long.
 */
export async function* pagesBefore<T extends { createdAt?: Date | null | undefined }>(
  moment: Date,
  pages: AsyncIterable<T[]>,
): AsyncGenerator<T[]> {
  for await (const page of pages) {
    // An imported record may have no time.
    yield page.filter(({ createdAt }) => createdAt instanceof Date && createdAt < moment);
  }
}

/** The look-ups in one query. Further ones go into the next query, so that the database can begin. */
const MAX_BATCH = 16;

/** The options of a data loader whose queries are shared by simultaneous requests. It caches nothing. */
export const inBatchesOfRequests = <K, V>(): Options<K, V> => ({
  cache: false,
  maxBatchSize: MAX_BATCH,
  batchScheduleFn: whenTogetherOrFull(),
});

/** Sends a batch when all simultaneous look-ups are in it. A full batch is sent when the next one begins. */
function whenTogetherOrFull(): (send: () => void) => void {
  let sendLast = () => {};
  return (send) => {
    sendLast();
    const immediate = setImmediate(() => sendLast());
    sendLast = () => {
      sendLast = () => {};
      clearImmediate(immediate);
      send();
    };
  };
}
