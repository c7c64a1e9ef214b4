import { findingOf } from '../import/import-legacy.ts';
import type { InvalidRow } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { type Exchange, ringsOf } from '../rings.ts';
import type { Round } from './round.ts';
import { syncBatch } from './sync-batch.ts';

/** The key of an account that gives its e-mail to another one, and waits for that of a third. */
const exchangeKey = (id: string): string => `exchange:${id}`;

/**
 * Tries accounts again whose e-mail belonged to another account: that one may have another e-mail by now. Accounts that have
 * exchanged their e-mails wait for each other: then one of them gives its e-mail up first. Ends when no account can be stored any more.
 */
export async function settleBlocked(round: Round): Promise<void> {
  if (round.blocked.size === 0) {
    return;
  }
  const ranges = await round.context.journal.ranges('accounts');
  const loosened = new Set<string>();
  for (let left = Number.POSITIVE_INFINITY; round.blocked.size > 0; ) {
    const blocked = allOf(round);
    if (blocked.length >= left && !(await loosenRings(round, blocked, loosened))) {
      break;
    }
    left = blocked.length;
    const numbers = [...round.blocked.keys()];
    round.blocked.clear();
    for (const number of numbers) {
      const index = ranges.findIndex((range) => range.number === number);
      const range = ranges[index];
      if (range) {
        await syncBatch(round, 'accounts', { range, after: ranges[index - 1]?.upTo, triesAgain: true });
      }
    }
  }
  for (const account of allOf(round)) {
    round.context.observer.found(findingAbout(account));
  }
}

const allOf = ({ blocked }: Round): Exchange[] => [...blocked.values()].flat();

function findingAbout({ id, held }: Exchange): InvalidRow {
  const reason = 'its new e-mail belongs to another account; it stays as it was';
  return held === undefined
    ? findingOf('accounts', id, 'other with this e-mail')
    : { kind: 'accounts', id, outcome: 'conflict', reason };
}

/**
 * Gives one account of each ring a key that is no e-mail's, so that the next one can have its e-mail. The account gets its own new
 * one in the same round, or, after a kill, in the next: its batch is open until then.
 * @param loosened the accounts that had their turn
 * @returns false if there is no ring
 */
async function loosenRings(
  { context: { stores } }: Round,
  blocked: readonly Exchange[],
  loosened: Set<string>,
): Promise<boolean> {
  const firsts = ringsOf(blocked).map(([first]) => first);
  const due = firsts.filter((first) => first !== undefined && !loosened.has(first.id));
  const held = new Map(due.map((account) => [account?.id, account?.held]));
  const accounts = ACCOUNTS.stored(stores);
  const stored = await accounts.byIds(due.map((account) => account?.id ?? ''));
  const holders = [...stored.values()].filter(({ _id, emailKey }) => held.get(_id) === emailKey);
  await accounts.replaceIfUnchanged(
    holders.map((before) => ({ before, after: { ...before, emailKey: exchangeKey(before._id) } })),
  );
  for (const id of held.keys()) {
    loosened.add(id ?? '');
  }
  return due.length > 0;
}
