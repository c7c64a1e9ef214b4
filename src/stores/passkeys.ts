import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/** The public key of a passkey. It counts only while its account names it ({@link StoredAccount.passkeys}). */
export interface StoredPasskey {
  _id: string;
  accountId: string;
  /** The id that the authenticator has given it: up to 1023 bytes, in base64url. No two passkeys have the same. */
  credentialId: string;
  /** As COSE has it, in base64url. */
  publicKey: string;
  /** The signature counter; 0 in authenticators that have none. */
  counter: number;
  /** True if it can be copied to other devices of its owner. That never changes. */
  isBackupEligible: boolean;
  isBackedUp: boolean;
  /** The model of the authenticator, as it says itself; nobody has attested it. */
  aaguid: string;
  /** How browsers reach the authenticator. */
  transports: string[];
  name: string;
  /** The PASSKEY_RP_ID that it was made for. It works with no other. */
  rpId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** What a use of a passkey changes. */
type PasskeyUse = Pick<StoredPasskey, 'counter' | 'isBackedUp'> & { at: Date };

export const passkeySchema = new Schema<StoredPasskey>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    credentialId: { type: String, required: true },
    publicKey: { type: String, required: true },
    counter: { type: Number, required: true },
    isBackupEligible: { type: Boolean, required: true },
    isBackedUp: { type: Boolean, required: true },
    aaguid: { type: String, required: true },
    transports: { type: [String], required: true },
    name: { type: String, required: true },
    rpId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
  },
  { collection: 'passkeys' },
);
passkeySchema.index({ credentialId: 1 }, { unique: true });
passkeySchema.index({ accountId: 1 });
passkeySchema.index({ rpId: 1 });

/** The passkeys. Which of them an account has is said by the account alone: a record that it does not name gives nothing. */
export class PasskeyStore extends Store<StoredPasskey> {
  constructor(database: LimitedConnection) {
    super(database, passkeySchema);
  }

  /** @returns false if there is a passkey with the same credential id. Of simultaneous calls, one gets true */
  insert(passkey: StoredPasskey): Promise<boolean> {
    return isUnique(this.records.insert(passkey), 'credentialId');
  }

  /** @param credentialId in base64url */
  async findByCredential(credentialId: string): Promise<StoredPasskey | undefined> {
    return this.records.first({ credentialId });
  }

  /** Those of these ids that are there, the oldest first. */
  async findMany(ids: readonly string[]): Promise<StoredPasskey[]> {
    const found = await this.records.list({ _id: { $in: [...ids] } });
    return found.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  }

  /**
   * Notes a use. Counter and time never go back.
   * @returns false if the passkey was removed meanwhile
   */
  async noteUse(id: string, { counter, isBackedUp, at }: PasskeyUse): Promise<boolean> {
    const change = { $set: { isBackedUp }, $max: { counter, lastUsedAt: at } };
    return this.records.update({ _id: id }, change);
  }

  /** @returns false if there is no such passkey */
  async rename(id: string, name: string): Promise<boolean> {
    return this.records.update({ _id: id }, { $set: { name } });
  }

  /** Removes passkeys that their account does not name any more. Naming them one by one keeps what was added meanwhile. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.records.removeAll({ _id: { $in: [...ids] } });
  }

  /** Removes all passkeys of an account that is being erased. */
  async removeAll(accountId: string): Promise<void> {
    await this.records.removeAll({ accountId });
  }

  /** How many were made for another PASSKEY_RP_ID than this one. */
  countOfOthers(rpId: string): Promise<number> {
    return this.records.count({ rpId: { $gt: '', $nin: [rpId] } });
  }
}
