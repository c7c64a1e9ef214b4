import { type Connection, type Model, Schema } from 'mongoose';

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
  /** When the digest was removed; absent until then. */
  settledAt?: Date;
}

export type ErasureModel = Model<StoredErasure>;

const erasureSchema = new Schema<StoredErasure>(
  {
    _id: { type: String, required: true },
    erasedAt: { type: Date, required: true },
    emailDigest: { type: String },
    settledAt: { type: Date },
  },
  { collection: 'erasures', versionKey: false },
);
erasureSchema.index({ settledAt: 1, _id: 1 });

/** The erased accounts of a connection. */
export const erasureModel = (connection: Connection): ErasureModel =>
  connection.model<StoredErasure>('Erasure', erasureSchema);
