import type { mongo } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { digestOf } from '../documents/document-digest.ts';
import { DOCUMENT_GROUPS, type DocumentStore } from '../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../documents/stored-path.ts';
import { type AccountStore, newId } from './accounts.ts';
import { BulkRecords } from './bulk-records.ts';
import { matchedFieldsOf } from './doctor-matches.ts';
import {
  allDocumentsOf,
  DOCUMENT_FIELDS,
  type DoctorProfile,
  doctorProfileSchema,
  FIELD_OF_GROUP,
  type ProfileRemoval,
  replacedBy,
  shownDocumentsOf,
} from './doctor-profile-record.ts';
import { PAGE_SIZE, Store } from './store.ts';
import { SweptProfiles } from './swept-profiles.ts';

/** How many unfinished removals are listed at a time. */
const MAX_UNFINISHED = 10_000;

/** The profiles whose documents one sweep hashes. */
const MAX_HASHED = 2_000;

/** What a removal for good needs of the document store. */
export type DocumentRemover = Pick<DocumentStore, 'remove'>;

/** What is back from the trash. */
interface Restored {
  /** Their ids. */
  profiles: string[];
  /** Their stored paths. */
  documents: string[];
}

/**
 * The profiles of doctors with their documents, and how both are removed.
 *
 * No visible profile names a document that a removal has taken, and after a kill the next run finds what is left. So each removal
 * first stores that it has begun (a removal to the trash puts a copy there before), then removes the documents, and the record at the
 * end:
 *
 * | `removal`    | Copy in the trash | State |
 * | ------------ | ----------------- | ------------------------------------------------------------------------ |
 * | absent       | none              | visible to its account |
 * | `final`      | none              | being removed for good: by an erasure, an `undo`, or what finishes these |
 * | `to trash`   | there             | on its way to the trash or back: its documents may be in both places |
 * | (no profile) | there             | in the trash for 30 days, and so are the documents that only it named |
 * | absent       | there             | back from the trash, or another one with its id: the copy expires |
 *
 * The documents that a change has replaced are in `replaced` until they are removed.
 */
export abstract class DoctorFiles extends Store<DoctorProfile> {
  /** For the move from and to a legacy service. A change since a profile was read is noticed by its documents and revision. */
  readonly bulk: BulkRecords<DoctorProfile>;
  readonly #accounts: AccountStore;
  readonly #swept: SweptProfiles;

  constructor(database: LimitedConnection, accounts: AccountStore) {
    super(database, doctorProfileSchema);
    const compared = [...DOCUMENT_FIELDS, 'revision', 'removal'];
    const derived = (record: object) => matchedFieldsOf(record as DoctorProfile);
    this.bulk = new BulkRecords(database, doctorProfileSchema, compared, derived);
    this.#accounts = accounts;
    this.#swept = new SweptProfiles(database);
  }

  /**
   * True if a profile that is not being removed names this document, also beside new ones that wait for a decision. A legacy service
   * may have stored one file for two doctors; the names that are made here are random. Each field has an index: one query with `$or`
   * would make the embedded engine read all profiles.
   * @param path a stored path
   */
  async isFileNamed(path: string): Promise<boolean> {
    const users = await Promise.all(
      DOCUMENT_FIELDS.flatMap((field) => [field, `resubmitted.${field}`]).map((field) =>
        this.records.exists({ [field]: path, removal: null }),
      ),
    );
    return users.includes(true);
  }

  /** The stored paths among these that are in the profile of an existing account, also those that wait for a decision. */
  async ownedFiles(paths: readonly string[]): Promise<ReadonlySet<string>> {
    // A legacy service may have named a file of one group in the field of another.
    const legacy = paths.filter(isLegacyPath);
    const owned = await Promise.all(
      DOCUMENT_GROUPS.map((group) => {
        const ofGroup = paths.filter((path) => path.startsWith(`${group}/`));
        return this.#ownedIn(FIELD_OF_GROUP[group], [...ofGroup, ...legacy]);
      }),
    );
    return new Set(owned.flat());
  }

  async #ownedIn(field: (typeof DOCUMENT_FIELDS)[number], paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) {
      return [];
    }
    const projection = { ...Object.fromEntries(DOCUMENT_FIELDS.map((each) => [each, 1])), resubmitted: 1 };
    const found = await Promise.all(
      // Two queries: an index serves each of them.
      [field, `resubmitted.${field}`].map((name) =>
        this.records.list({ [name]: { $in: [...paths] } }, { projection }),
      ),
    );
    const profiles = found.flat();
    const accounts = await this.#accounts.existing(profiles.map(({ _id }) => _id));
    return profiles
      .filter(({ _id }) => accounts.has(_id))
      .flatMap((profile) => [profile[field], profile.resubmitted?.[field]])
      .filter((path) => typeof path === 'string');
  }

  /**
   * Adds the hashes of documents to a profile that lacks some, unless its documents have changed since it was read. A document that does
   * not exist waits, behind those of all others.
   * @param hashOf returns the SHA-256 of a document in hex; undefined if it does not exist
   * @throws what `hashOf` throws; the hashes before that are stored
   */
  async addHashes(
    profile: DoctorProfile,
    hashOf: (path: string) => Promise<string | undefined>,
  ): Promise<void> {
    const documentHashes = [...(profile.documentHashes ?? [])];
    try {
      for (const path of shownDocumentsOf(profile)) {
        const isKnown = documentHashes.some((one) => one.path === path);
        const sha256 = isKnown ? undefined : await hashOf(path);
        documentHashes.push(...(sha256 === undefined ? [] : [{ path, sha256 }]));
      }
    } finally {
      await this.bulk.replaceIfUnchanged([{ before: profile, after: { ...profile, documentHashes } }]);
    }
  }

  /** Hashes documents that have no hash, a chunk at a time: those of the profiles that have waited longest. */
  async hashDocuments(documents: Pick<DocumentStore, 'open'>, signal?: AbortSignal): Promise<void> {
    // What waits once more is larger.
    const waiting = { unhashed: { $gt: '', $lt: newId() } };
    const options = { sort: { unhashed: 1 }, limit: MAX_HASHED, batchSize: PAGE_SIZE } as const;
    for await (const batch of this.records.batches(waiting, options, signal)) {
      for (const profile of batch) {
        if (signal?.aborted) {
          return;
        }
        await this.addHashes(profile, async (path) => {
          const content = await documents.open(path);
          return content && (await digestOf(content)).sha256;
        });
      }
    }
  }

  /** Removes documents for good, but those that a profile names. It is no error if one is not there. */
  async removeUnnamedFiles(paths: readonly string[], documents: DocumentRemover): Promise<void> {
    for (const path of paths) {
      if (isStoredPath(path) && !(await this.isFileNamed(path))) {
        await documents.remove(path);
      }
    }
  }

  /** Removes the documents that a change has replaced, unless another profile names them. */
  async removeReplacedFiles(
    before: DoctorProfile,
    after: DoctorProfile,
    documents: DocumentRemover,
  ): Promise<void> {
    await this.removeUnnamedFiles(replacedBy(before, after), documents);
    if (after.replaced) {
      // A later change may have added others. It removes these again, which is no error.
      const change = { $unset: { replaced: true as const } };
      await this.records.update(asReviewed(after), change);
    }
  }

  /**
   * Does the second write of a change that concerns the account, too. It may be repeated.
   * @returns the profile without that change
   */
  async finishAccountChange(profile: DoctorProfile): Promise<DoctorProfile> {
    const { accountChange, ...finished } = profile;
    if (!accountChange) {
      return profile;
    }
    await this.#accounts.takeChange(profile._id, accountChange);
    const written = { _id: profile._id, 'accountChange.revision': accountChange.revision };
    const change = { $unset: { accountChange: true as const } };
    await this.records.update(written, change);
    return finished;
  }

  /**
   * Removes a profile for good, with all its documents that no other profile names. From the first step on, nobody sees it. It
   * may be repeated.
   * @param asRead if it is given, a profile that a reviewer or its doctor has changed since stays
   * @returns false if there is no such profile, or it stays
   * @throws errors of the database or the document store. {@link finishRemoval} then does the rest
   */
  async removeWithFiles(id: string, documents: DocumentRemover, asRead?: DoctorProfile): Promise<boolean> {
    // A profile in the trash comes back first: nothing else knows its documents.
    const swept = await this.#swept.find(id);
    if (swept) {
      // What an earlier version has put into the trash gets the fields that it lacks. One that is there stays as it is.
      await this.bulk.insertMany([{ ...swept, removal: 'final' }]);
    }
    const profile = await this.#mark(asRead ? asReviewed(asRead) : { _id: id }, 'final');
    if (swept) {
      await this.#swept.remove(id);
    }
    if (profile) {
      await this.#remove(profile, 'final', (path) => documents.remove(path));
    }
    return profile !== undefined;
  }

  /** The ids of profiles with a removal, replaced documents or a change of the account that a kill may have left unfinished. */
  async unfinishedRemovals(): Promise<string[]> {
    const marks: object[] = [
      { removal: { $gt: '' } },
      { replaced: { $gt: '' } },
      { 'accountChange.revision': { $gt: 0 } },
    ];
    const found = await Promise.all(
      // A query for each: an index serves it.
      marks.map((mark) => this.records.ids(mark, { limit: MAX_UNFINISHED })),
    );
    return [...new Set(found.flatMap((ids) => [...ids]))];
  }

  /**
   * Does the rest of a removal, or brings a profile back whose account exists again.
   * @returns false if nothing was to be removed
   */
  async finishRemoval(id: string, documents: DocumentStore): Promise<boolean> {
    const profile = await this.records.first({ _id: id });
    if (profile?.removal === 'final') {
      return this.#remove(profile, 'final', (path) => documents.remove(path));
    }
    if (profile?.removal) {
      if ((await this.#accounts.existing([id])).has(id)) {
        await this.#bringBack(profile, documents);
      }
      return false;
    }
    if (profile?.accountChange) {
      await this.finishAccountChange(profile);
    }
    if (!profile?.replaced) {
      return false;
    }
    await this.removeReplacedFiles(profile, profile, documents);
    return true;
  }

  /**
   * Moves a profile without an account to the trash, with the imported documents that no other profile names: the sweep finds the
   * other documents by itself.
   * @returns false if it has an account, or does not exist
   */
  async sweepAway(id: string, documents: DocumentStore, sweptAt: Date): Promise<boolean> {
    const isOwned = (await this.#accounts.existing([id])).has(id);
    const profile = isOwned ? null : await this.records.first({ _id: id });
    if (profile?.removal === 'final') {
      return this.finishRemoval(id, documents);
    }
    if (!profile) {
      return false;
    }
    const { removal: _, ...copy } = profile;
    await this.#swept.put(copy, sweptAt);
    const marked = await this.#mark({ _id: id, removal: { $ne: 'final' } }, 'to trash');
    const putAway = async (path: string) => {
      if (isLegacyPath(path)) {
        await documents.trash.put(path);
      }
    };
    return marked !== undefined && this.#remove(marked, 'to trash', putAway);
  }

  /** Moves the profiles back whose doctors have an account again, their documents first. */
  async restoreOwned(documents: DocumentStore, signal?: AbortSignal): Promise<Restored> {
    const restored: Restored = { profiles: [], documents: [] };
    for await (const ids of this.#swept.idPages()) {
      for (const id of await this.#accounts.doctorsAmong(ids)) {
        await this.#restore(id, documents, restored);
      }
      if (signal?.aborted) {
        break;
      }
    }
    return restored;
  }

  /** Does nothing if there is none in the trash, or another one in its place. */
  async #restore(id: string, documents: DocumentStore, restored: Restored): Promise<void> {
    const copy = await this.#swept.find(id);
    if (!copy) {
      return;
    }
    await this.bulk.insertMany([{ ...copy, removal: 'to trash' }]);
    const profile = await this.records.first({ _id: id, removal: 'to trash' });
    if (profile) {
      restored.documents.push(...(await this.#bringBack(profile, documents)));
      restored.profiles.push(id);
    }
  }

  /** @returns the paths of the documents that were in the trash */
  async #bringBack({ _id, ...profile }: DoctorProfile, documents: DocumentStore): Promise<string[]> {
    const back: string[] = [];
    for (const path of allDocumentsOf(profile)) {
      if (await documents.trash.restore(path)) {
        back.push(path);
      }
    }
    const change = { $unset: { removal: true as const } };
    if (await this.records.update({ _id, removal: 'to trash' }, change)) {
      await this.#swept.remove(_id);
    }
    return back;
  }

  /**
   * Begins a removal: from now on nobody sees the profile or changes its documents.
   * @returns undefined if there is no such profile
   */
  async #mark(
    filter: mongo.Filter<DoctorProfile>,
    removal: ProfileRemoval,
  ): Promise<DoctorProfile | undefined> {
    const change = { $set: { removal } };
    return this.records.updated(filter, change);
  }

  /**
   * Removes the documents of a marked profile, then the profile.
   * @returns false if another process was faster
   */
  async #remove(
    profile: DoctorProfile,
    removal: ProfileRemoval,
    removeFile: (path: string) => Promise<void>,
  ): Promise<boolean> {
    for (const path of allDocumentsOf(profile)) {
      // Only imported documents may be shared.
      if (!isLegacyPath(path) || !(await this.isFileNamed(path))) {
        await removeFile(path);
      }
    }
    const marked = { _id: profile._id, removal };
    return this.records.remove(marked);
  }
}

/** The filter for a profile that nobody has reviewed, submitted again or begun to remove since it was read. */
export function asReviewed({ _id, revision }: Pick<DoctorProfile, '_id' | 'revision'>) {
  const seen = revision ?? 0;
  return { _id, revision: seen === 0 ? { $in: [0, null] } : seen, removal: null };
}
