import { mongo } from 'mongoose';
import type { Clock } from '../system/clock.ts';

/** More than all of the driver's own limits on one exchange together (database-limits.ts), so that those come first. */
const MAX_EXCHANGE_MILLIS = 5_000;

/**
 * Bounds a background exchange with the database. The driver's own limits are not enough: if a connection closes while a
 * command is being written to it, driver 7.8 waits for the answer for ever. Work that needs the answer would then stop
 * until a restart.
 * @param exchange one command; it may still reach the database after the limit
 * @param maxMillis 5 s by default
 * @throws MongoNetworkTimeoutError after the limit, and what the exchange throws
 */
export async function boundedExchange<T>(
  exchange: PromiseLike<T>,
  clock: Clock,
  maxMillis = MAX_EXCHANGE_MILLIS,
): Promise<T> {
  let cancel = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new mongo.MongoNetworkTimeoutError('the database has not answered in time'));
    cancel = clock.after(maxMillis, giveUp);
  });
  return Promise.race([exchange, tooLate]).finally(() => cancel());
}
