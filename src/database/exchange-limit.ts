import { type Connection, mongo } from 'mongoose';
import type { Clock } from '../system/clock.ts';

/**
 * How long one exchange with the database may take. The driver's own limits are not enough: they are for the steps of an exchange,
 * and each byte of a slow answer restarts the last one.
 */
export interface ExchangeLimit {
  maxMillis: number;
  clock: Clock;
  /** Of a replica set: without the confirmation of a majority, no exchange is trusted (confirmed-primary.ts). */
  primary?: { readonly isConfirmed: boolean } | undefined;
}

/** An open connection, and the limit of each exchange on it. Without a limit, an index or a migration may take its time. */
export interface LimitedConnection {
  connection: Connection;
  limit?: ExchangeLimit | undefined;
}

/**
 * Of requests and background work: more than all of the driver's limits on one exchange together (database-limits.ts). A request
 * itself gives up earlier (auth/time-budget.ts).
 */
export const REQUEST_EXCHANGE_MILLIS = 5_000;

/**
 * Waits for an exchange with the database as long as it may take.
 * @param exchange one command; it may still reach the database after the limit
 * @throws MongoNetworkTimeoutError after the limit, or if the primary is not confirmed, and what the exchange throws
 */
export async function withinLimit<T>(exchange: PromiseLike<T>, limit: ExchangeLimit | undefined): Promise<T> {
  if (!limit) {
    return exchange;
  }
  let cancel = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new mongo.MongoNetworkTimeoutError('the database has not answered in time'));
    // The exchange has begun just now, and may still reach the database.
    if (limit.primary?.isConfirmed === false) {
      reject(new mongo.MongoNetworkTimeoutError('no majority of the replica set confirms the primary'));
    }
    cancel = limit.clock.after(limit.maxMillis, giveUp);
  });
  return Promise.race([exchange, tooLate]).finally(() => cancel());
}
