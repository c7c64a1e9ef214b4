import { Schema } from 'mongoose';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/**
 * What is left of an erased account: its id, which names nobody any more. A move from a legacy service must not take the
 * account again, and no other account may get its id.
 */
export interface StoredErasure {
  /** The id that the account had. */
  _id: string;
  erasedAt: Date;
  /**
   * The SHA-256 of its e-mail, to find events of the audit trail that another instance writes late; null if it had none. It
   * is removed a day after the erasure.
   */
  emailDigest?: string | null;
  /** When the digest was removed; absent (or null) until then. */
  settledAt?: Date | null;
}

const ERASURES = 'erasures';

export const erasureSchema = new Schema<StoredErasure>(
  {
    _id: { type: String, required: true },
    erasedAt: { type: Date, required: true },
    emailDigest: { type: String },
    settledAt: { type: Date },
  },
  { collection: ERASURES, versionKey: false },
);
erasureSchema.index({ settledAt: 1, _id: 1 });

/** The erasures. One is unsettled until all events about its person are surely written and anonymised. */
export class ErasureStore extends Store<StoredErasure> {
  constructor(database: LimitedConnection) {
    super(database, ERASURES);
  }

  /**
   * Records an erasure that has begun. A repetition moves its time ahead.
   * @param emailDigest null if the account had no e-mail
   */
  async note(id: string, emailDigest: string | null, erasedAt: Date): Promise<void> {
    const change = { $set: { erasedAt, emailDigest }, $unset: { settledAt: true as const } };
    const upsert = this.collection.updateOne({ _id: id }, change, { upsert: true });
    await this.within(upsert).catch((error: unknown) => {
      // Of two simultaneous upserts, one may fail. The other has done the same.
      if (!isDuplicateKey(error, '_id')) {
        throw error;
      }
    });
  }

  /** The next unsettled erasures after an id, in the order of ids. */
  unsettled(afterId: string, limit: number): Promise<StoredErasure[]> {
    const filter = { settledAt: null, _id: { $gt: afterId } };
    return this.within(this.collection.find(filter).sort({ _id: 1 }).limit(limit).toArray());
  }

  /** Keeps only the id and the times of an erasure, unless it was repeated since it was read. */
  async settle({ _id, erasedAt }: StoredErasure, settledAt: Date): Promise<void> {
    const change = { $set: { settledAt }, $unset: { emailDigest: true as const } };
    await this.within(this.collection.updateOne({ _id, erasedAt }, change));
  }

  /** Removes the record of an erasure, unless it was repeated since it was read. */
  async forget({ _id, erasedAt }: StoredErasure): Promise<void> {
    await this.within(this.collection.deleteOne({ _id, erasedAt }));
  }

  /**
   * The ids of accounts that were erased.
   * @param among only these are looked for; undefined: all
   */
  async ids(among?: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = among ? { _id: { $in: [...among] } } : {};
    const found = await this.within(this.collection.find(filter, { projection: { _id: 1 } }).toArray());
    return new Set(found.map(({ _id }) => _id));
  }
}
