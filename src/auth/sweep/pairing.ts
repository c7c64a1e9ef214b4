import { DOCUMENT_GROUPS, type DocumentStore } from '../../documents/document-store.ts';
import type { Found } from './orphans.ts';

/** Thrown if it is not certain that the documents belong to this database. The text is for operators. */
export class UnpairedError extends Error {
  override readonly name = 'UnpairedError';
}

const ADVICE =
  'check DATA_DIR or MONGODB_URI, and if they are right, run `auth-gateway sweep --adopt` (docs/operations.md).';

/** Of so many documents, one may belong to no account in a store without an id that is taken for the store of this database. */
const DOCUMENTS_FOR_AN_ORPHAN = 10;

interface PairingParts {
  documents: DocumentStore;
  databaseId: string;
  /** Looks for documents of any age that belong to no account. */
  findOrphans(signal?: AbortSignal): Promise<Found>;
}

/**
 * Which database a document store belongs to: the store carries the id of its database (`.store-id`). To another database all documents
 * look like orphans, so nothing may be removed there but uploads that were never accepted. The id is made from the secret `known-places`, so
 * it moves with the database and is in a restored one, and all instances write the same.
 *
 * An older or copied database has the id, too. So orphaned documents and profiles go to a trash for 30 days, and come back when an account
 * owns them. Tokens without an account are removed for good: ending a token is the safe choice. A sweep that would remove over a hundred
 * records of a kind, and more than half of it, removes nothing.
 */
export class Pairing {
  constructor(private readonly parts: PairingParts) {}

  /**
   * Marks a store without documents as that of this database. Call it before the first document is stored. Errors are left to
   * {@link require}.
   */
  async claimEmpty(): Promise<void> {
    const { documents, databaseId } = this.parts;
    if ((await documents.readId()) === undefined && (await isEmpty(documents))) {
      await documents.writeId(databaseId);
    }
  }

  /**
   * Checks that the store belongs to this database, and marks a store without an id if it does.
   * @throws UnpairedError if it does not; errors of the database or the store
   */
  async require(signal?: AbortSignal): Promise<void> {
    const { documents, databaseId } = this.parts;
    const obstacle = await this.obstacle(signal);
    signal?.throwIfAborted();
    if (obstacle !== undefined) {
      throw new UnpairedError(obstacle);
    }
    if ((await documents.readId()) === undefined) {
      await documents.writeId(databaseId);
      // Another database may have done the same in between.
      await this.require(signal);
    }
  }

  /**
   * Why documents of this store may not be removed. Nothing is changed. Releases before 1.0.0 stored no id: a store without
   * one is taken for that of this database if nearly all of its documents belong to accounts here. Their names are random, so
   * only this database, an older state of it or a copy names them.
   * @returns a sentence for operators; undefined if the store belongs to this database
   */
  async obstacle(signal?: AbortSignal): Promise<string | undefined> {
    const { documents, databaseId, findOrphans } = this.parts;
    const id = await documents.readId();
    if (id !== undefined) {
      return id === databaseId
        ? undefined
        : `the sweep removes nothing, because the document store belongs to another database: ${ADVICE}`;
    }
    const { examined, orphans } = await findOrphans(signal);
    return orphans.length * DOCUMENTS_FOR_AN_ORPHAN > examined
      ? `the sweep removes nothing, because the document store has no id, and ${orphans.length} of ${examined} documents ` +
          `belong to no account of this database: ${ADVICE}`
      : undefined;
  }

  /**
   * Marks the store as that of this database, whatever it was before.
   * @param force adopts it even if no document belongs to an account here
   * @throws UnpairedError if nothing in the store belongs to this database
   */
  async adopt(force: boolean): Promise<Found> {
    const { documents, databaseId, findOrphans } = this.parts;
    const found = await findOrphans();
    const { examined, orphans } = found;
    if (!force && examined > 0 && orphans.length === examined) {
      throw new UnpairedError(
        `none of the ${examined} documents that were looked at belongs to an account of this database, so it is likely ` +
          'another one. To adopt them anyway, add --force.',
      );
    }
    await documents.writeId(databaseId);
    return found;
  }
}

async function isEmpty(store: DocumentStore): Promise<boolean> {
  for (const group of DOCUMENT_GROUPS) {
    for await (const _ of store.list(group)) {
      return false;
    }
  }
  for await (const _ of store.trash.list()) {
    return false;
  }
  return true;
}
