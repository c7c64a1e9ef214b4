import { type Connection, type Model, Schema } from 'mongoose';

/** What is to be written, and to whom (mail/outbox.ts). It never has the text of a mail, and no secret. */
interface StoredOrder {
  kind: string;
  to: { accountId: string } | { email: string };
  facts?: Readonly<Record<string, string>>;
}

/** An order for a mail that is not sent yet; or what is left of it while it keeps others of its key away. */
export interface OutgoingMail {
  _id: string;
  /** Absent if there is nothing to send any more. */
  order?: StoredOrder;
  /**
   * The address that ordered it, whose networks take turns; empty for an operator. Absent in orders of earlier
   * releases, and without an order.
   */
  orderedFrom?: string;
  /** When it was ordered. */
  createdAt: Date;
  /** How often an instance has begun to send it. */
  attempts: number;
  /** When it is due. An instance that sends it moves this ahead: after that time, another one may. Absent without an order. */
  nextAttemptAt?: Date;
  /** The claim of the instance that sends it; absent between attempts. */
  claim?: string;
  /** SHA-256 of the key of its limit, in hex; absent without a limit. */
  limitKey?: string;
  /** Until then no other order of this key is taken. */
  limitedUntil?: Date;
  /** When the database removes it, if nothing else has. */
  expiresAt: Date;
}

export type OutgoingMailModel = Model<OutgoingMail>;

const OUTGOING_MAILS = 'outgoing_mails';

const required = { type: Date, required: true };

const outgoingMailSchema = new Schema<OutgoingMail>(
  {
    _id: { type: String, required: true },
    order: { type: Schema.Types.Mixed },
    orderedFrom: { type: String },
    createdAt: required,
    attempts: { type: Number, required: true },
    nextAttemptAt: { type: Date },
    claim: { type: String },
    limitKey: { type: String },
    limitedUntil: { type: Date },
    expiresAt: required,
  },
  { collection: OUTGOING_MAILS, versionKey: false },
);
// Finds the orders that are due.
outgoingMailSchema.index({ nextAttemptAt: 1 }, { sparse: true });
// It decides between simultaneous orders of one key.
outgoingMailSchema.index({ limitKey: 1 }, { unique: true, sparse: true });
outgoingMailSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
// The mails to one account, for its export and its erasure.
outgoingMailSchema.index({ 'order.to.accountId': 1 }, { sparse: true });
outgoingMailSchema.index({ 'order.to.email': 1 }, { sparse: true });

/** The orders of a connection. */
export const outgoingMailModel = (connection: Connection): OutgoingMailModel =>
  connection.model<OutgoingMail>('OutgoingMail', outgoingMailSchema);
