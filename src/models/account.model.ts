import { type Connection, type Model, Schema, Types } from 'mongoose';

/** The roles of contract section 2; set from the registration used, never from the request. */
export const ROLES = { DOCTOR: 'doctor', PATIENT: 'patient' } as const;
export type Role = (typeof ROLES)[keyof typeof ROLES];

/** An account as it is stored. Ids are opaque strings, because imported legacy accounts keep their number as one. */
export interface StoredAccount {
  _id: string;
  name: string;
  /** As it was given. */
  email: string;
  /** {@link emailKey} of the e-mail: what it is matched and kept unique by. */
  emailKey: string;
  phone: string | null;
  role: Role;
  passwordHash: string;
  createdAt: Date;
  /** Since when nobody may log in to it; null where somebody may. */
  disabledAt: Date | null;
  /**
   * Digests of the networks from which a login has succeeded, the one that was new last at the end. Absent where no login
   * has succeeded since there is such a thing, as in imported accounts.
   */
  knownPlaces?: string[];
}

/** An account as the service hands it on: without the hash, which nothing outside login ever needs. */
export interface Account {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  role: Role;
  createdAt: Date;
}

export type AccountModel = Model<StoredAccount>;

/**
 * The form of an e-mail that decides whether two are the same (design: matched in lower case). Composed after the change
 * of case, too: a J with a caron has no composed form as a capital, and has one as a small letter.
 */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase().normalize('NFC');

/** A fresh opaque id: an ObjectId in hex. */
export const newId = (): string => new Types.ObjectId().toHexString();

export const ACCOUNTS = 'accounts';

const accountSchema = new Schema<StoredAccount>(
  {
    _id: { type: String, default: newId },
    name: { type: String, required: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true },
    phone: { type: String, default: null },
    role: { type: String, required: true, enum: Object.values(ROLES) },
    // Only a query that asks for the hash by name gets it.
    passwordHash: { type: String, required: true, select: false },
    createdAt: { type: Date, required: true },
    disabledAt: { type: Date, default: null },
    knownPlaces: { type: [String], default: undefined, select: false },
  },
  { collection: ACCOUNTS, versionKey: false },
);
accountSchema.index({ emailKey: 1 }, { unique: true });
accountSchema.index({ knownPlaces: 1 }, { sparse: true });

/** The account collection of a connection. */
export const accountModel = (connection: Connection): AccountModel =>
  connection.model<StoredAccount>('Account', accountSchema);

/** The stored account without what must not leave the service. */
export function toAccount(stored: Omit<StoredAccount, 'passwordHash'>): Account {
  const { _id, name, email, phone, role, createdAt } = stored;
  return { id: _id, name, email, phone: phone ?? null, role, createdAt };
}
