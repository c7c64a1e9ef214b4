import { DOCUMENT_GROUPS, type DocumentStore } from '../../documents/document-store.ts';
import type { Quarantine } from '../../documents/quarantine.ts';
import type { AccountStore } from '../../stores/accounts.ts';
import type { DoctorStore } from '../../stores/doctors.ts';
import { type OwnedRecord, PAGE_SIZE } from '../../stores/store.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';

/** The result of a search for orphans. */
export interface Found {
  /** How many were old enough to be checked. */
  examined: number;
  /** The ids of the files or records that belong to no account. */
  orphans: string[];
}

/** One kind of file or record that a registration makes before its account exists. A crash may leave it behind. */
export interface Sweepable {
  /** The name of the kind for people, in the singular. */
  kind: string;
  /**
   * Looks for orphans, up to {@link MAX_ORPHANS}.
   * @param before only older ones are checked: younger ones may belong to a registration that is still running
   * @param signal ends the search early; the result has the orphans that were found until then
   */
  find(before: Date, signal?: AbortSignal): Promise<Found>;
  /**
   * Removes an orphan, unless it has an owner by now.
   * @returns false if it has an owner, or is a record that no longer exists. Stores do not report whether a file existed,
   *   so two simultaneous sweeps may both count it
   */
  remove(id: string): Promise<boolean>;
}

/** Uploads that were never accepted. They have no owner, and remain only after a process was killed. */
export const orphanedUploads = (quarantine: Quarantine): Sweepable => ({
  kind: 'upload',
  find: (before, signal) => {
    const orphansOf = async (files: { path: string; modifiedAt: Date }[]) =>
      files.filter(({ modifiedAt }) => modifiedAt < before).map(({ path }) => path);
    return collectOrphans(inBatches(quarantine.list(), PAGE_SIZE), orphansOf, signal);
  },
  remove: async (path) => {
    await quarantine.discard(path);
    return true;
  },
});

/** Documents that are in no profile of an existing account. They go to the trash. */
export function orphanedDocuments(store: DocumentStore, doctors: DoctorStore): Sweepable {
  const orphansOf = async (paths: string[]) => {
    const owned = await doctors.ownedFiles(paths);
    return paths.filter((path) => !owned.has(path));
  };
  return {
    kind: 'document',
    find: (before, signal) =>
      collectOrphans(inBatches(pathsBefore(store, before), PAGE_SIZE), orphansOf, signal),
    remove: async (path) => {
      if ((await orphansOf([path])).length === 0) {
        return false;
      }
      await store.trash.put(path);
      return true;
    },
  };
}

async function* pathsBefore(store: DocumentStore, before: Date): AsyncGenerator<string> {
  for (const group of DOCUMENT_GROUPS) {
    for await (const { path, storedAt } of store.list(group)) {
      if (storedAt < before) {
        yield path;
      }
    }
  }
}

interface RecordParts {
  /** The documents of the profiles. */
  documents: DocumentStore;
  stores: Pick<Stores, 'accessTokens' | 'accounts' | 'doctors'>;
  clock: Clock;
}

/**
 * Removals that a kill has interrupted: of profiles with their documents, and of documents that others have replaced. Changes of
 * accounts that a kill has kept from them are finished, too.
 */
export const unfinishedRemovals = ({ stores: { doctors }, documents }: RecordParts): Sweepable => ({
  kind: 'unfinished removal',
  find: async () => {
    const orphans = await doctors.unfinishedRemovals();
    return { examined: orphans.length, orphans };
  },
  remove: (id) => doctors.finishRemoval(id, documents),
});

/** Profiles whose account does not exist. They go to the trash, with their imported documents. */
export const orphanedProfiles = ({
  stores: { accounts, doctors },
  documents,
  clock,
}: RecordParts): Sweepable => ({
  kind: 'profile',
  find: (before, signal) =>
    collectOrphans(doctors.pagesBefore(before), (page) => withoutAccount(accounts, page), signal),
  remove: (id) => doctors.sweepAway(id, documents, new Date(clock.now())),
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

/** How many orphans of a kind one sweep removes; the next sweep continues. It bounds the memory of a sweep. */
const MAX_ORPHANS = 10_000;

/** Checks batches of files or records for orphans. */
async function collectOrphans<T>(
  batches: AsyncIterable<T[]>,
  orphansOf: (batch: T[]) => Promise<string[]>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const found: Found = { examined: 0, orphans: [] };
  for await (const batch of batches) {
    found.examined += batch.length;
    found.orphans.push(...(await orphansOf(batch)));
    if (signal?.aborted || found.orphans.length >= MAX_ORPHANS) {
      break;
    }
  }
  return found;
}

/** Groups single items into batches. */
export async function* inBatches<T>(things: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const thing of things) {
    batch.push(thing);
    if (batch.length < size) {
      continue;
    }
    yield batch;
    batch = [];
  }
  if (batch.length > 0) {
    yield batch;
  }
}
