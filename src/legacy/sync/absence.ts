import { asAbsent } from '../../stores/accounts.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import type { Round } from './round.ts';

/** How many accounts are read and marked at a time. */
const CHUNK = 1_000;

/**
 * Marks the accounts whose rows the legacy service does not have any more. Nothing is removed. Before anything else is
 * changed, because others may have their e-mails by now. An account that is changed in this moment is left to the next round.
 */
export async function markAbsent(round: Round): Promise<void> {
  const { context, surveys, changes } = round;
  const { absent } = surveys.accounts;
  if (absent.size === 0) {
    return;
  }
  await context.bookkeeping.notes.noteChangedAccounts();
  for (const number of surveys.accounts.changed) {
    await context.bookkeeping.open('accounts', number);
  }
  const ids = [...absent];
  const since = new Date(round.now);
  const accounts = ACCOUNTS.stored(context.stores);
  for (let start = 0; start < ids.length; start += CHUNK) {
    const stored = await accounts.byIds(ids.slice(start, start + CHUNK));
    const marks = [...stored.values()]
      .map((before) => ({ before, after: asAbsent(before, since) }))
      .filter(({ before, after }) => after !== before);
    const left = await accounts.replaceIfUnchanged(marks);
    changes.accounts.marked += marks.length - left.size;
  }
}
