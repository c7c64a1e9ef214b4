import type { mongo } from 'mongoose';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import { collectionOf, storedWithIds } from '../records/stored-records.ts';
import type { Round } from './round.ts';

/** How many accounts are read and marked at a time. */
const CHUNK = 1_000;

/** In the place of an e-mail's key, which always has an at sign. */
const absentKey = (id: string): string => `absent:${id}`;

/** The key of an account that gives its e-mail to another one, and waits for that of a third. */
export const exchangeKey = (id: string): string => `exchange:${id}`;

/**
 * What ends the absence of an account: it is as disabled as it was, or as an operator has decided since.
 * @returns nothing for an account that is not absent
 */
export function returning({ legacyAbsence, erasureDueAt, disabledAt }: StoredAccount) {
  if (!legacyAbsence) {
    return { set: {}, unset: {} };
  }
  const wasClosed = erasureDueAt ? disabledAt : null;
  return { set: { disabledAt: legacyAbsence.disabledAt ?? wasClosed }, unset: { legacyAbsence: '' } };
}

/** True for an account that its e-mail does not find: it is absent, or a `sync` was killed while it exchanged e-mails. */
export const isWithoutEmail = (account: StoredAccount): boolean =>
  account.legacyAbsence !== undefined || account.emailKey !== emailKey(account.email);

/**
 * Marks the accounts whose rows the legacy service does not have any more. Nothing is removed. Before anything else is
 * changed, because others may have their e-mails by now.
 */
export async function markAbsent(round: Round): Promise<void> {
  const { context, surveys, changes } = round;
  const { absent } = surveys.accounts;
  if (absent.size === 0) {
    return;
  }
  await context.bookkeeping.noteChangedAccounts();
  for (const number of surveys.accounts.changed) {
    await context.bookkeeping.open('accounts', number);
  }
  const ids = [...absent];
  const since = new Date(round.now);
  for (let start = 0; start < ids.length; start += CHUNK) {
    const stored = await storedWithIds(context.models, 'accounts', ids.slice(start, start + CHUNK));
    const present = [...stored.values()].filter(({ legacyAbsence }) => !legacyAbsence);
    changes.accounts.marked += await mark(context.models, present, since);
  }
}

/** An account that is changed in this moment is left to the next round. */
async function mark(
  models: Round['context']['models'],
  accounts: readonly StoredAccount[],
  since: Date,
): Promise<number> {
  if (accounts.length === 0) {
    return 0;
  }
  const operations = accounts.map(({ _id, emailKey: key, disabledAt = null }) => ({
    updateOne: {
      filter: { _id, emailKey: key, disabledAt } as mongo.Filter<StoredAccount>,
      update: {
        $set: {
          legacyAbsence: { since, disabledAt },
          disabledAt: disabledAt ?? since,
          emailKey: absentKey(_id),
        },
      },
    },
  }));
  const { modifiedCount } = await collectionOf(models, 'accounts').bulkWrite(operations, { ordered: false });
  return modifiedCount;
}
