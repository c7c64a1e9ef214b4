import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
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

export const erasureSchema = new Schema<StoredErasure>(
  {
    _id: { type: String, required: true },
    erasedAt: { type: Date, required: true },
    emailDigest: String,
    settledAt: Date,
  },
  { collection: 'erasures' },
);
erasureSchema.index({ settledAt: 1, _id: 1 });

/** The erasures. One is unsettled until all events about its person are surely written and anonymised. */
export class ErasureStore extends Store<StoredErasure> {
  constructor(database: LimitedConnection) {
    super(database, erasureSchema);
  }

  /**
   * Records an erasure that has begun. A repetition moves its time ahead.
   * @param emailDigest null if the account had no e-mail
   */
  async note(id: string, emailDigest: string | null, erasedAt: Date): Promise<void> {
    const change = { $set: { erasedAt, emailDigest }, $unset: { settledAt: true as const } };
    // Of two simultaneous upserts, one may fail. The other has done the same.
    await isUnique(this.records.update({ _id: id }, change, { upsert: true }), '_id');
  }

  /** The next unsettled erasures after an id, in the order of ids. */
  unsettled(afterId: string, limit: number): Promise<StoredErasure[]> {
    const filter = { settledAt: null, _id: { $gt: afterId } };
    return this.records.list(filter, { sort: { _id: 1 }, limit });
  }

  /** Keeps only the id and the times of an erasure, unless it was repeated since it was read. */
  async settle({ _id, erasedAt }: StoredErasure, settledAt: Date): Promise<void> {
    const change = { $set: { settledAt }, $unset: { emailDigest: true as const } };
    await this.records.update({ _id, erasedAt }, change);
  }

  /** Removes the record of an erasure, unless it was repeated since it was read. */
  async forget({ _id, erasedAt }: StoredErasure): Promise<void> {
    await this.records.remove({ _id, erasedAt });
  }

  /**
   * The ids of accounts that were erased.
   * @param among only these are looked for; undefined: all
   */
  ids(among?: readonly string[]): Promise<ReadonlySet<string>> {
    return this.records.ids(among ? { _id: { $in: [...among] } } : {});
  }
}
