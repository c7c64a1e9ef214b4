import type { BatchRange } from '../bookkeeping/bookkeeping.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { LegacyTotal } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { syncMissingFiles } from './missing-files.ts';
import { syncNew } from './new-rows.ts';
import { newRound, type Round, type RoundChanges } from './round.ts';
import { Running } from './running.ts';
import { syncBatch } from './sync-batch.ts';

/**
 * Brings the gateway up to date with the legacy database: takes what was added, changes what was changed, removes what was
 * deleted. What was changed here wins. It can be stopped or killed at any moment, and then runs again.
 *
 * The tokens come first, because revoking one is urgent; new tokens come last, because they need their accounts.
 * @param run the id of the run, for what it adds
 */
export async function sync(context: LegacyContext, run: string): Promise<RoundChanges> {
  const round = await newRound(context, run);
  await round.counters.raiseAll();
  await syncKnown(round, 'tokens');
  round.isBeforeAccounts = false;
  await syncKnown(round, 'accounts');
  await settleBlocked(round);
  await syncNew(round, 'accounts');
  const triesAgain = await context.bookkeeping.hasNewAccounts();
  for (const kind of ['profiles', 'tokens'] as const) {
    if (kind === 'profiles') {
      await syncKnown(round, kind, triesAgain);
    } else {
      await syncWaiting(round, triesAgain);
    }
    await syncNew(round, kind);
  }
  await syncMissingFiles(context);
  if (triesAgain) {
    await context.bookkeeping.forgetNewAccounts();
  }
  return round.changes;
}

/** Compares all batches of a kind with the legacy database, and treats those with another total. */
async function syncKnown(round: Round, kind: Kind, triesAgain = false): Promise<void> {
  const { source, bookkeeping, observer, signal } = round.context;
  const ranges = await bookkeeping.ranges(kind);
  const total = (index: number) => {
    const range = ranges[index];
    const answer = range && source.total(kind, ranges[index - 1]?.upTo, range.upTo);
    // It is awaited later. Until then a failure is not an unhandled rejection.
    answer?.catch(() => {});
    return answer;
  };
  const running = new Running();
  try {
    let next = total(0);
    let done = 0;
    for (const [index, range] of ranges.entries()) {
      signal.throwIfAborted();
      const found = await next;
      // The legacy database counts the next batch meanwhile.
      next = total(index + 1);
      if (!isEqual(found, range) || (triesAgain && range.notTaken > 0)) {
        await running.add(syncBatch(round, kind, { range, after: ranges[index - 1]?.upTo, triesAgain }));
      }
      done += range.count;
      observer.progress(kind, done, undefined);
    }
  } finally {
    await running.end();
  }
}

const isEqual = (found: LegacyTotal | undefined, { count, total }: BatchRange): boolean =>
  found?.count === count && found.total === total;

/** Treats the batches of tokens again whose rows had to wait for their accounts. */
async function syncWaiting(round: Round, triesAgain: boolean): Promise<void> {
  const ranges = await round.context.bookkeeping.ranges('tokens');
  for (const [index, range] of ranges.entries()) {
    if (round.waiting.has(range.number) || (triesAgain && range.notTaken > 0)) {
      round.context.signal.throwIfAborted();
      await syncBatch(round, 'tokens', { range, after: ranges[index - 1]?.upTo, triesAgain });
    }
  }
}

/**
 * Tries accounts again whose e-mail belonged to another account: that one may have another e-mail by now. Ends when a whole
 * pass has changed nothing.
 */
async function settleBlocked(round: Round): Promise<void> {
  const ranges = await round.context.bookkeeping.ranges('accounts');
  for (let left = Number.POSITIVE_INFINITY; round.blocked.size > 0 && countOf(round.blocked) < left; ) {
    left = countOf(round.blocked);
    const numbers = [...round.blocked.keys()];
    round.blocked.clear();
    for (const number of numbers) {
      const index = ranges.findIndex((range) => range.number === number);
      const range = ranges[index];
      if (range) {
        await syncBatch(round, 'accounts', { range, after: ranges[index - 1]?.upTo, triesAgain: false });
      }
    }
  }
  for (const id of [...round.blocked.values()].flatMap((keys) => [...keys])) {
    const reason = 'its new e-mail belongs to another account; it stays as it was';
    round.context.observer.found({ kind: 'accounts', id, outcome: 'conflict', reason });
  }
}

const countOf = (blocked: ReadonlyMap<number, ReadonlySet<string>>): number =>
  [...blocked.values()].reduce((count, keys) => count + keys.size, 0);
