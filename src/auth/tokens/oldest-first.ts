import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AccessTokenModel, StoredAccessToken } from '../../stores/access-tokens.ts';
import type { Clock } from '../../system/clock.ts';

/** Each read and each deletion must come within the time limit of the database connection. */
export const BATCH_SIZE = 500;

/** What is read of a token to decide if it goes. */
export type IssuedToken = Pick<StoredAccessToken, '_id' | 'createdAt'>;

/** Tokens of one account, or those of them that were issued at some time. */
interface Which {
  accountId: string;
  createdAt?: null | { $gt: Date } | { $lte: Date };
}

/**
 * Removes tokens of an account, the oldest first, some at a time. Each is read once, by the index of the account's tokens. If it
 * is interrupted, a repetition continues with those that are left.
 * @param isOver false for a token that stays
 * @param onRemoved called with the ids and the number of each batch. Another call may have removed some of them
 * @throws the database's error
 */
export async function removeOldestFirst(
  tokens: AccessTokenModel,
  which: Which,
  isOver: (token: IssuedToken) => boolean,
  clock: Clock,
  onRemoved: (ids: string[], count: number) => void,
): Promise<void> {
  for (let kept = 0; ; ) {
    const query = tokens.find(which).sort({ createdAt: 1, _id: 1 }).skip(kept).limit(BATCH_SIZE);
    const found = await boundedExchange(query.select('createdAt').lean<IssuedToken[]>(), clock);
    const ids = found.filter(isOver).map(({ _id }) => _id);
    if (ids.length > 0) {
      const removal = tokens.deleteMany({ _id: { $in: ids }, accountId: which.accountId });
      onRemoved(ids, (await boundedExchange(removal.exec(), clock)).deletedCount);
    }
    if (found.length < BATCH_SIZE) {
      return;
    }
    // Those that stay are still before the next ones.
    kept += found.length - ids.length;
  }
}

/**
 * Removes all tokens of an account but one.
 * @param keptTokenId null: all
 * @returns how many
 */
export async function removeAllBut(
  tokens: AccessTokenModel,
  accountId: string,
  keptTokenId: string | null,
  clock: Clock,
): Promise<number> {
  let removed = 0;
  const isOver = ({ _id }: IssuedToken) => _id !== keptTokenId;
  await removeOldestFirst(tokens, { accountId }, isOver, clock, (_, count) => {
    removed += count;
  });
  return removed;
}
