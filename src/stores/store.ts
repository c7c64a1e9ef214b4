import type { mongo } from 'mongoose';
import { dbOf } from '../database/db-of.ts';
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
   */
  constructor({ connection, limit }: LimitedConnection, name: string) {
    this.collection = dbOf(connection).collection<TRecord>(name);
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
