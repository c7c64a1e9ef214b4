import { boundedExchange } from '../database/bounded-exchange.ts';
import type { DocumentGroup } from '../documents/document-store.ts';
import type { DoctorDocumentPaths } from './doctor-profile.model.ts';
import type { Models } from './models.ts';

const PATH_FIELDS = {
  licenses: 'licenseFilePath',
  diplomas: 'diplomaFilePath',
  certifications: 'certificationFilePath',
} as const satisfies Record<DocumentGroup, keyof DoctorDocumentPaths>;

/** A record that belongs to an account. */
export interface OwnedRecord {
  _id: string;
  accountId: string;
}

/** How much is asked for at a time, so that a large collection takes no memory. */
export const BATCH_SIZE = 200;

/**
 * Tells what belongs to an account. Nothing else is visible to anybody
 * (docs/architecture.md, "A registration is one unit of work").
 */
export class Ownership {
  constructor(private readonly models: Models) {}

  /** Those of the accounts that exist. */
  async existingAccounts(accountIds: string[]): Promise<Set<string>> {
    // The sweep asks for each orphan by itself, and most of its questions are about nothing.
    if (accountIds.length === 0) return new Set();
    const query = this.models.accounts.find({ _id: { $in: accountIds } }).select('_id');
    const accounts = await boundedExchange(query.lean<{ _id: string }[]>());
    return new Set(accounts.map(({ _id }) => _id));
  }

  /** Those of a group's stored paths that stand in the profile of an account that exists. */
  async ownedDocuments(group: DocumentGroup, storedPaths: string[]): Promise<Set<string>> {
    if (storedPaths.length === 0) return new Set();
    const field = PATH_FIELDS[group];
    const query = this.models.profiles.find({ [field]: { $in: storedPaths } }).select(field);
    const profiles = await boundedExchange(query.lean<({ _id: string } & DoctorDocumentPaths)[]>());
    const accounts = await this.existingAccounts(profiles.map(({ _id }) => _id));
    const owned = profiles.filter(({ _id }) => accounts.has(_id)).map((profile) => profile[field]);
    return new Set(owned.filter((path) => path !== null));
  }

  /** Profiles, a batch at a time, that were made before a moment. A profile has its account's id. */
  profilesBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return batches(async (lastId) => {
      const query = this.models.profiles
        .find({ _id: { $gt: lastId }, createdAt: { $lt: moment } })
        .select('_id')
        .sort({ _id: 1 })
        .limit(BATCH_SIZE);
      const profiles = await boundedExchange(query.lean<{ _id: string }[]>());
      return profiles.map(({ _id }) => ({ _id, accountId: _id }));
    });
  }

  /** Access tokens, a batch at a time, that were made before a moment. */
  tokensBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return batches((lastId) => {
      const query = this.models.tokens
        .find({ _id: { $gt: lastId }, createdAt: { $lt: moment } })
        .select('accountId')
        .sort({ _id: 1 })
        .limit(BATCH_SIZE);
      return boundedExchange(query.lean<OwnedRecord[]>());
    });
  }
}

/** Batch by batch in the order of ids: each is a query of its own, so that no cursor stays open meanwhile. */
async function* batches(next: (lastId: string) => Promise<OwnedRecord[]>): AsyncGenerator<OwnedRecord[]> {
  let lastId = '';
  for (;;) {
    const batch = await next(lastId);
    if (batch.length === 0) return;
    yield batch;
    lastId = batch.at(-1)?._id ?? '';
  }
}
