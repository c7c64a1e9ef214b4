import type { Clock } from '../system/clock.ts';
import { REQUEST_EXCHANGE_MILLIS, withinLimit } from './exchange-limit.ts';

/** {@link withinLimit} for code that does not use a store yet. */
export const boundedExchange = <T>(
  exchange: PromiseLike<T>,
  clock: Clock,
  maxMillis = REQUEST_EXCHANGE_MILLIS,
): Promise<T> => withinLimit(exchange, { clock, maxMillis });
