import type { Options } from 'dataloader';
import type { mongo } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { type ExchangeLimit, type LimitedConnection, withinLimit } from '../database/exchange-limit.ts';
import { CLOCK_TOLERANCE_MILLIS } from '../system/clock.ts';

/**
 * The access to one collection. Its store is the only code with queries and updates of that collection; everybody else calls the
 * store's methods, which take and return ids, records and values.
 *
 * The driver stores a record exactly as it is given: no defaults, no casts, and a field that is undefined becomes null. So a
 * store writes out each record that it inserts.
 */
export abstract class Store<TRecord extends mongo.Document> {
  protected readonly collection: mongo.Collection<TRecord>;
  readonly #limit: ExchangeLimit | undefined;

  /**
   * @param database the connection must be open
   * @param name of the collection
   * @param options that differ from those of the connection
   */
  constructor({ connection, limit }: LimitedConnection, name: string, options?: mongo.CollectionOptions) {
    this.collection = dbOf(connection).collection<TRecord>(name, options);
    this.#limit = limit;
  }

  /**
   * Waits for one exchange with the database, as long as the connection allows.
   * @throws MongoNetworkTimeoutError after that: the exchange may still happen
   */
  protected within<T>(exchange: PromiseLike<T>): Promise<T> {
    return withinLimit(exchange, this.#limit);
  }

  /**
   * Finds a record by its id, or makes it. If several instances make it at the same time, all get the one that was first.
   * @param make returns the new record
   */
  protected async findOrInsert(
    id: string,
    make: () => TRecord | Promise<TRecord>,
  ): Promise<TRecord | mongo.WithId<TRecord>> {
    const find = () => this.within(this.collection.findOne({ _id: id } as mongo.Filter<TRecord>));
    const found = await find();
    if (found) {
      return found;
    }
    const made = await make();
    try {
      await this.within(this.collection.insertOne(made as mongo.OptionalUnlessRequiredId<TRecord>));
      return made;
    } catch (error) {
      const other = isDuplicateKey(error, '_id') ? await find() : null;
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
  protected async *batchesOf<T>(
    found: mongo.FindCursor<T>,
    signal?: AbortSignal | undefined,
  ): AsyncGenerator<T[]> {
    try {
      while (!signal?.aborted && (await this.within(found.hasNext()))) {
        yield found.readBufferedDocuments();
      }
    } finally {
      await this.within(found.close()).catch(() => {});
    }
  }

  /**
   * Reads like {@link batchesOf}, but only what comes behind a record. Records with the same place in the sort have an order of their own,
   * which stays.
   * @param afterId the id of that record; undefined: everything
   */
  protected async *batchesBehind<T extends { _id: string }>(
    found: mongo.FindCursor<T>,
    afterId: string | undefined,
  ): AsyncGenerator<T[]> {
    let isBehind = afterId === undefined;
    for await (const batch of this.batchesOf(found)) {
      const last = isBehind ? -1 : batch.findIndex(({ _id }) => _id === afterId);
      if (isBehind || last >= 0) {
        isBehind = true;
        yield batch.slice(last + 1);
      }
    }
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

/** An imported record may have no time. */
type DatedRecord = OwnedRecord & { createdAt?: Date | null | undefined };

/** How many records are read at a time. A large collection is never in memory as a whole. */
export const PAGE_SIZE = 200;

/**
 * Reads records in pages, in the order of their ids. Each page is a query of its own, so no cursor stays open between them.
 * @param next the first records after an id
 * @param size how many that are; a shorter page is the last one
 */
export async function* pagesById<T extends { _id: string }>(
  next: (lastId: string) => Promise<T[]>,
  size = PAGE_SIZE,
): AsyncGenerator<T[]> {
  let page: T[] = [];
  do {
    page = await next(page.at(-1)?._id ?? '');
    yield page;
  } while (page.length === size);
}

/**
 * Reads the records that were created before a moment. The newer records are read, too: if there are very many of them, a query
 * without them would take too long.
 * @param next the first {@link PAGE_SIZE} records after an id
 */
export async function* pagesBefore(
  moment: Date,
  next: (lastId: string) => Promise<DatedRecord[]>,
): AsyncGenerator<OwnedRecord[]> {
  for await (const page of pagesById(next)) {
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
