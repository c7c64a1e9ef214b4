import { boundedExchange } from '../database/bounded-exchange.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { AccountStore } from '../stores/accounts/accounts.ts';
import type { Models } from '../stores/models.ts';
import { type DatedRecord, type OwnedRecord, PAGE_SIZE, pagesBefore } from '../stores/pages.ts';
import type { Stores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import { collectOrphans, type Sweepable } from './sweepable.ts';

interface RecordParts {
  /** The documents of the profiles. */
  store: DocumentStore;
  models: Models;
  stores: Pick<Stores, 'accounts' | 'doctors'>;
  clock: Clock;
}

/** Removals that a kill has interrupted: of profiles with their documents, and of documents that others have replaced. */
export const unfinishedRemovals = ({ stores: { doctors }, store }: RecordParts): Sweepable => ({
  kind: 'unfinished removal',
  find: async () => {
    const orphans = await doctors.unfinishedRemovals();
    return { examined: orphans.length, orphans };
  },
  remove: (id) => doctors.finishRemoval(id, store),
});

/** Profiles whose account does not exist. They go to the trash, with their imported documents. */
export const orphanedProfiles = ({
  stores: { accounts, doctors },
  store,
  clock,
}: RecordParts): Sweepable => ({
  kind: 'profile',
  find: (before, signal) =>
    collectOrphans(doctors.pagesBefore(before), (page) => withoutAccount(accounts, page), signal),
  remove: (id) => doctors.sweepAway(id, store, new Date(clock.now())),
});

/** Access tokens whose account does not exist. They are not valid, and never will be. */
export const orphanedTokens = ({
  models: { tokens },
  stores: { accounts },
  clock,
}: RecordParts): Sweepable => ({
  kind: 'access token',
  find: (before, signal) => {
    const next = (lastId: string) => {
      const query = tokens.find({ _id: { $gt: lastId } }).select('accountId createdAt');
      return boundedExchange(query.sort({ _id: 1 }).limit(PAGE_SIZE).lean<DatedRecord[]>(), clock);
    };
    return collectOrphans(pagesBefore(before, next), (page) => withoutAccount(accounts, page), signal);
  },
  remove: async (id) => {
    const token = await boundedExchange(tokens.findById(id).select('accountId').lean<OwnedRecord>(), clock);
    const isOwned = token && (await accounts.existing([token.accountId])).size > 0;
    return !isOwned && (await boundedExchange(tokens.deleteOne({ _id: id }), clock)).deletedCount === 1;
  },
});

async function withoutAccount(accounts: AccountStore, records: OwnedRecord[]): Promise<string[]> {
  const existing = await accounts.existing([...new Set(records.map(({ accountId }) => accountId))]);
  return records.filter(({ accountId }) => !existing.has(accountId)).map(({ _id }) => _id);
}
