import { randomUUID } from 'node:crypto';
import type { StoredAccount } from '../../stores/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { type Exchange, ringsOf } from '../rings.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import { type BackState, chunks, notWritten, recordRows, rowsThere } from './back-state.ts';
import { update, updateOne } from './known-rows.ts';

/**
 * Writes the accounts whose e-mail another row had. It may have another one by now. Accounts that have exchanged their e-mails
 * wait for each other, so they are written in one transaction.
 */
export async function writeDeferred(state: BackState): Promise<void> {
  const { deferred } = state;
  for (let left = Number.POSITIVE_INFINITY; deferred.size > 0; ) {
    if (deferred.size >= left && !(await writeRings(state))) {
      break;
    }
    left = deferred.size;
    for (const waiting of chunks([...deferred.values()])) {
      const accounts = waiting.map(({ account }) => account);
      await update(state, 'accounts', accounts, await rowsOf(state, accounts));
    }
  }
  for (const [id, { reason }] of deferred) {
    notWritten(state, 'accounts', id, reason);
  }
}

interface DeferredAccount extends Exchange {
  account: StoredAccount;
}

/** @returns false if there is no ring */
async function writeRings(state: BackState): Promise<boolean> {
  const waiting = [...state.deferred.values()].map(({ account }) => account);
  const there = await rowsOf(state, waiting);
  const exchanges = waiting.map((account): DeferredAccount => {
    const held = emailKey(there.get(account._id)?.values.email ?? '');
    return { id: account._id, held, wanted: emailKey(account.email), account };
  });
  const rings = ringsOf(exchanges).filter((ring) => ring.length > 1);
  for (const ring of rings) {
    await writeRing(
      state,
      ring.map(({ account }) => account),
      there,
    );
  }
  return rings.length > 0;
}

const rowsOf = (state: BackState, accounts: readonly StoredAccount[]) =>
  rowsThere(
    state,
    'accounts',
    accounts.map(({ _id: key }) => ({ key })),
  );

/** All of a ring is written, or nothing: otherwise an account would keep the e-mail that stands for its own meanwhile. */
async function writeRing(
  state: BackState,
  accounts: readonly StoredAccount[],
  there: ReadonlyMap<string, LegacyRow>,
): Promise<void> {
  const { writer, deferred, written } = state;
  let refused: { id: string; reason: string } | undefined;
  await writer.transaction(() =>
    writer.attempt(async () => {
      for (const { _id } of accounts) {
        await writer.update('accounts', _id, { email: `exchange.${randomUUID()}@invalid` });
      }
      for (const account of accounts) {
        const { reason } = await updateOne(state, 'accounts', account, there.get(account._id));
        if (reason !== undefined) {
          refused = { id: account._id, reason };
          return false;
        }
      }
      return true;
    }),
  );
  for (const { _id } of accounts) {
    deferred.delete(_id);
    if (refused) {
      const other = `account ${refused.id}, with which it exchanges its e-mail, cannot be written`;
      notWritten(state, 'accounts', _id, _id === refused.id ? refused.reason : other);
    }
  }
  if (!refused) {
    written.accounts.changed += accounts.length;
    const digests = new Map(accounts.map((account) => [account._id, ACCOUNTS.digestOf(account)]));
    await recordRows(state, 'accounts', [...digests.keys()], digests);
  }
}
