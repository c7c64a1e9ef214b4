import type { DocumentStore } from '../../documents/document-store.ts';
import type { AccountStore } from '../../stores/accounts.ts';
import type { OwnedRecord } from '../../stores/store.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import { collectOrphans, type Sweepable } from './sweepable.ts';

interface RecordParts {
  /** The documents of the profiles. */
  store: DocumentStore;
  stores: Pick<Stores, 'accessTokens' | 'accounts' | 'doctors'>;
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
export const orphanedTokens = ({ stores: { accessTokens, accounts } }: RecordParts): Sweepable => ({
  kind: 'access token',
  find: (before, signal) =>
    collectOrphans(accessTokens.createdBefore(before), (page) => withoutAccount(accounts, page), signal),
  remove: async (id) => {
    const owner = await accessTokens.ownerOf(id);
    const isOwned = owner !== undefined && (await accounts.existing([owner])).size > 0;
    return !isOwned && accessTokens.remove(id);
  },
});

async function withoutAccount(accounts: AccountStore, records: OwnedRecord[]): Promise<string[]> {
  const existing = await accounts.existing([...new Set(records.map(({ accountId }) => accountId))]);
  return records.filter(({ accountId }) => !existing.has(accountId)).map(({ _id }) => _id);
}
