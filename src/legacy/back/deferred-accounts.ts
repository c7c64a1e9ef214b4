import { randomUUID } from 'node:crypto';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import { type Exchange, ringsOf } from '../rings.ts';
import { type BackState, chunks, notWritten } from './back-state.ts';
import { rowsThere, update } from './written-rows.ts';

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
    for (const accounts of chunks([...deferred.values()])) {
      await update(
        state,
        'accounts',
        accounts.map(({ account }) => account),
      );
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
  const there = await rowsThere(
    state,
    'accounts',
    waiting.map(({ _id: key }) => ({ key })),
  );
  const exchanges = waiting.map((account): DeferredAccount => {
    const held = emailKey(there.get(account._id)?.values.email ?? '');
    return { id: account._id, held, wanted: emailKey(account.email), account };
  });
  const rings = ringsOf(exchanges).filter((ring) => ring.length > 1);
  for (const ring of rings) {
    const accounts = ring.map(({ account }) => account);
    await update(state, 'accounts', accounts, async () => {
      for (const { _id } of accounts) {
        await state.writer.update('accounts', _id, { email: `exchange.${randomUUID()}@invalid` });
      }
    });
  }
  return rings.length > 0;
}
