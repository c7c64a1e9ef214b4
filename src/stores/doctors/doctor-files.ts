import { isDuplicateKey } from '../../database/database-errors.ts';
import type { LimitedConnection } from '../../database/exchange-limit.ts';
import { DOCUMENT_GROUPS, type DocumentStore, isLegacyPath } from '../../documents/document-store.ts';
import type { AccountStore } from '../accounts/accounts.ts';
import { Store } from '../store.ts';
import { allDocumentsOf, DOCUMENT_FIELDS, FIELD_OF_GROUP, replacedBy } from './document-paths.ts';
import { DOCTOR_PROFILES, type DoctorProfile } from './profile-record.ts';
import { asReviewed } from './revision.ts';
import { SweptProfiles } from './swept-profiles.ts';

/** The documents may be replaced between two tries, but only by a request that had begun before the account was closed. */
const MAX_TRIES = 5;

/** The profiles of doctors with their documents: which there are, and how they go. */
export abstract class DoctorFiles extends Store<DoctorProfile> {
  readonly #accounts: AccountStore;
  readonly #swept: SweptProfiles;

  constructor(database: LimitedConnection, accounts: AccountStore) {
    super(database, DOCTOR_PROFILES);
    this.#accounts = accounts;
    this.#swept = new SweptProfiles(database);
  }

  /**
   * True if a profile names this document. A legacy service may have stored one file for two doctors; the names that are made
   * here are random. Each field has an index: one query with `$or` would make the embedded engine read all profiles.
   * @param path a stored path
   * @param exceptId the id of a profile that does not count
   */
  async isFileNamed(path: string, exceptId?: string): Promise<boolean> {
    const except = exceptId === undefined ? {} : { _id: { $ne: exceptId } };
    const users = await Promise.all(
      DOCUMENT_FIELDS.map((field) => {
        const query = this.collection.findOne({ [field]: path, ...except }, { projection: { _id: 1 } });
        return this.within(query);
      }),
    );
    return users.some((user) => user !== null);
  }

  /** The stored paths among these that are in the profile of an existing account, also those that wait for a decision. */
  async ownedFiles(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const owned = await Promise.all(
      DOCUMENT_GROUPS.map((group) => {
        const ofGroup = paths.filter((path) => path.startsWith(`${group}/`));
        return this.#ownedIn(FIELD_OF_GROUP[group], ofGroup);
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
      [field, `resubmitted.${field}`].map((name) => {
        const query = this.collection.find({ [name]: { $in: [...paths] } }, { projection });
        return this.within(query.toArray());
      }),
    );
    const profiles = found.flat();
    const accounts = await this.#accounts.existing(profiles.map(({ _id }) => _id));
    return profiles
      .filter(({ _id }) => accounts.has(_id))
      .flatMap((profile) => [profile[field], profile.resubmitted?.[field]])
      .filter((path) => typeof path === 'string');
  }

  /** Removes the documents that a decision has replaced. An imported document that another profile names stays. */
  async removeReplacedFiles(
    before: DoctorProfile,
    after: DoctorProfile,
    documents: DocumentStore,
  ): Promise<void> {
    for (const path of replacedBy(before, after)) {
      if (!(await this.isFileNamed(path))) {
        await documents.remove(path);
      }
    }
    if (after.replaced) {
      // A later decision may have added others. It removes these again, which is no error.
      const change = { $unset: { replaced: true as const } };
      await this.within(this.collection.updateOne(asReviewed(after), change));
    }
  }

  /**
   * Removes a doctor's documents, then the profile. So a profile that is left has what the next try removes. One that the sweep
   * has removed comes back first: nothing else knows its documents.
   * @throws errors of the database or the document store
   */
  async removeWithFiles(id: string, documents: DocumentStore): Promise<void> {
    await this.#restore(id);
    await this.#swept.remove(id);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const profile = await this.within(this.collection.findOne({ _id: id }));
      if (!profile) {
        return;
      }
      for (const path of allDocumentsOf(profile)) {
        // Only imported documents may be shared.
        if (!isLegacyPath(path) || !(await this.isFileNamed(path, id))) {
          await documents.remove(path);
        }
      }
      await this.within(this.collection.deleteOne(withSameFiles(profile)));
    }
    throw new Error('the profile of an account that is being erased keeps changing');
  }

  /**
   * Moves a profile to the trash. A kill leaves it in both places, and the next sweep does it again.
   * @returns false if it has an account, or does not exist
   */
  async sweepAway(id: string, sweptAt: Date): Promise<boolean> {
    const isOwned = (await this.#accounts.existing([id])).has(id);
    const profile = isOwned ? null : await this.within(this.collection.findOne({ _id: id }));
    if (!profile) {
      return false;
    }
    await this.#swept.put(profile, sweptAt);
    return (await this.within(this.collection.deleteOne({ _id: id }))).deletedCount === 1;
  }

  /** Moves the profiles back whose doctors have an account again. @returns their ids */
  async restoreOwned(signal?: AbortSignal): Promise<string[]> {
    const restored: string[] = [];
    for await (const ids of this.#swept.idPages()) {
      for (const id of await this.#accounts.doctorsAmong(ids)) {
        if (await this.#restore(id)) {
          restored.push(id);
        }
      }
      if (signal?.aborted) {
        break;
      }
    }
    return restored;
  }

  /**
   * Moves a profile back. It never overwrites.
   * @returns false if there is none in the trash, or there is another one in its place
   */
  async #restore(id: string): Promise<boolean> {
    const profile = await this.#swept.find(id);
    const isRestored = profile !== undefined && (await this.#insertUnlessThere(profile));
    if (isRestored) {
      await this.#swept.remove(id);
    }
    return isRestored;
  }

  async #insertUnlessThere(profile: DoctorProfile): Promise<boolean> {
    try {
      await this.within(this.collection.insertOne(profile));
      return true;
    } catch (error) {
      if (isDuplicateKey(error, '_id')) {
        return false;
      }
      throw error;
    }
  }
}

/** The filter for a profile whose documents are the same as when it was read. */
const withSameFiles = ({ _id, licenseFilePath, resubmitted }: DoctorProfile) => ({
  _id,
  licenseFilePath,
  'resubmitted.licenseFilePath': resubmitted?.licenseFilePath ?? null,
});
