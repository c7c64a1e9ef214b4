import type { mongo } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { type ExchangeLimit, type LimitedConnection, withinLimit } from '../database/exchange-limit.ts';

/**
 * The way to one collection. Its store is the only code with queries and updates of that collection; everybody else calls the
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
}
