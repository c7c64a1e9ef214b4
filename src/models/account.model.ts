import { domainToASCII, domainToUnicode } from 'node:url';
import { type Connection, type Model, Schema, Types } from 'mongoose';

/** The roles (docs/contract.md, "Account"); set from the registration used, never from the request. */
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
   * Digests of the networks from which a login has succeeded, the newest at the end. Absent in imported accounts and in
   * accounts of earlier versions until their next login.
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

/** Composed after the change of case, too: a J with a caron is composed as a small letter, but not as a capital. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** The two parts of a valid e-mail: the domain is behind the last at sign. */
export const splitEmail = (email: string): { local: string; domain: string } => {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, at), domain: email.slice(at + 1) };
};

/** Domains whose ASCII form is more than their lower case. */
const INTERNATIONAL_DOMAIN = /[^\0-\x7f]|xn--/i;

/**
 * The ASCII form of a domain (UTS #46, as browsers do it), by which international domains are the same (RFC 5890 section
 * 2.3.2.4): `MÜLLER.de` is `xn--mller-kva.de`.
 * @param domain of an otherwise valid e-mail. If it contained a path, only its host would be read
 * @returns an empty text for a domain that has no ASCII form
 */
export const asciiDomain = (domain: string): string =>
  INTERNATIONAL_DOMAIN.test(domain) ? domainToASCII(domain) : domain.toLowerCase();

/**
 * The form of an e-mail that decides whether two are the same: in lower case, letters composed, the domain in ASCII.
 * @param email a valid e-mail, or any text that is not too long to match
 */
export function emailKey(email: string): string {
  const { local, domain } = splitEmail(email);
  const ascii = asciiDomain(domain);
  return ascii === '' ? foldCase(email) : `${foldCase(local)}@${ascii}`;
}

/**
 * All keys under which an account of this e-mail may be stored. Earlier versions stored international domains as they were
 * typed, in lower case.
 */
export function storedEmailKeys(email: string): string[] {
  const { local, domain } = splitEmail(email);
  const key = emailKey(email);
  if (!INTERNATIONAL_DOMAIN.test(domain)) return [key];
  return [...new Set([key, foldCase(email), `${foldCase(local)}@${domainToUnicode(domain)}`])];
}

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
