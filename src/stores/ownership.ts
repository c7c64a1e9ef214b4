import { boundedExchange } from '../database/bounded-exchange.ts';
import type { DocumentGroup } from '../documents/document-store.ts';
import type { Clock } from '../system/clock.ts';
import type { DoctorDocumentPaths, DoctorProfile } from './doctors/profile-record.ts';
import type { Models } from './models.ts';

const PATH_FIELDS = {
  licenses: 'licenseFilePath',
  diplomas: 'diplomaFilePath',
  certifications: 'certificationFilePath',
} as const satisfies Record<DocumentGroup, keyof DoctorDocumentPaths>;

type Documents = Pick<DoctorProfile, '_id' | 'resubmitted'> & DoctorDocumentPaths;

/** A record that belongs to an account. */
export interface OwnedRecord {
  _id: string;
  accountId: string;
}

/** The size of a batch. A large collection is never in memory as a whole. */
export const BATCH_SIZE = 200;

/** Finds the records and documents of accounts. All others are invisible to callers. */
export class Ownership {
  constructor(
    private readonly models: Models,
    private readonly clock: Clock,
  ) {}

  /** The ids among these that belong to an existing account. */
  async existingAccounts(accountIds: string[]): Promise<Set<string>> {
    // Most batches of the sweep are empty.
    if (accountIds.length === 0) {
      return new Set();
    }
    const query = this.models.accounts.find({ _id: { $in: accountIds } }).select('_id');
    const accounts = await boundedExchange(query.lean<{ _id: string }[]>(), this.clock);
    return new Set(accounts.map(({ _id }) => _id));
  }

  /** The stored paths of a group that are in the profile of an existing account, also those that wait for a decision. */
  async ownedDocuments(group: DocumentGroup, storedPaths: string[]): Promise<Set<string>> {
    if (storedPaths.length === 0) {
      return new Set();
    }
    const field = PATH_FIELDS[group];
    const found = await Promise.all(
      // Two queries: an index serves each of them.
      [field, `resubmitted.${field}`].map((path) => this.#profilesWith(path, storedPaths)),
    );
    const profiles = found.flat();
    const accounts = await this.existingAccounts(profiles.map(({ _id }) => _id));
    const owned = profiles
      .filter(({ _id }) => accounts.has(_id))
      .flatMap((profile) => [profile[field], profile.resubmitted?.[field]]);
    return new Set(owned.filter((path) => typeof path === 'string'));
  }

  /** The profiles with one of these documents, and only their documents. */
  #profilesWith(path: string, storedPaths: string[]): Promise<Documents[]> {
    const query = this.models.profiles
      .find({ [path]: { $in: storedPaths } })
      .select([...Object.values(PATH_FIELDS), 'resubmitted']);
    return boundedExchange(query.lean<Documents[]>(), this.clock);
  }

  /** The profiles that were created before a moment, in batches. A profile has the id of its account. */
  profilesBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return batchesBefore(moment, async (lastId) => {
      const query = this.models.profiles
        .find({ _id: { $gt: lastId } })
        .select('createdAt')
        .sort({ _id: 1 })
        .limit(BATCH_SIZE);
      const profiles = await boundedExchange(query.lean<Omit<DatedRecord, 'accountId'>[]>(), this.clock);
      return profiles.map(({ _id, createdAt }) => ({ _id, accountId: _id, createdAt }));
    });
  }

  /** The access tokens that were created before a moment, in batches. */
  tokensBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return batchesBefore(moment, (lastId) => {
      const query = this.models.tokens
        .find({ _id: { $gt: lastId } })
        .select('accountId createdAt')
        .sort({ _id: 1 })
        .limit(BATCH_SIZE);
      return boundedExchange(query.lean<DatedRecord[]>(), this.clock);
    });
  }
}

/** An imported record may have no time. */
type DatedRecord = OwnedRecord & { createdAt?: Date | null | undefined };

/**
 * Reads batches in the order of ids. Each is a query of its own, so no cursor stays open between them. The records that are not
 * that old are read, too: if there are very many of them, a query without them would take too long.
 */
async function* batchesBefore(
  moment: Date,
  next: (lastId: string) => Promise<DatedRecord[]>,
): AsyncGenerator<OwnedRecord[]> {
  for (let lastId = ''; ; ) {
    const batch = await next(lastId);
    yield batch.filter(({ createdAt }) => createdAt instanceof Date && createdAt < moment);
    if (batch.length < BATCH_SIZE) {
      return;
    }
    lastId = batch.at(-1)?._id ?? '';
  }
}
