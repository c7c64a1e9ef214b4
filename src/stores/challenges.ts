import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/** What a challenge is for: to finish a login, or to set up the second factor that a policy asks for. */
export type ChallengePurpose = 'login' | 'setup';

/** A login whose password was right and that waits for more. The plain text of the challenge is nowhere in the database. */
export interface StoredChallenge {
  /** SHA-256 of the challenge, in hex. Its 256 random bits need no slow hash. */
  _id: string;
  accountId: string;
  purpose: ChallengePurpose;
  /** Digest of the e-mail that the account had. */
  emailDigest: string;
  /** The last change of the password before the challenge; null if there was none. Another one ends the challenge. */
  passwordChangeId: string | null;
  /** That of the account then ({@link StoredAccount.accessVersion}). Another one ends the challenge. */
  accessVersion: string | null;
  /** How many codes were tried. */
  tries: number;
  expiresAt: Date;
}

// A used challenge of a passkey ceremony has only its id and its end.
export const challengeSchema = new Schema<StoredChallenge | UsedChallenge>(
  {
    _id: { type: String, required: true },
    accountId: String,
    purpose: String,
    emailDigest: String,
    passwordChangeId: String,
    accessVersion: String,
    tries: Number,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'challenges' },
);
challengeSchema.index({ accountId: 1 });
// The database removes expired challenges within about a minute. Their validity does not depend on it.
challengeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** A challenge of a passkey ceremony that was used. Until then nothing of it is stored (auth/passkeys/passkey-challenges.ts). */
interface UsedChallenge {
  /** SHA-256 of the challenge, in hex. */
  _id: string;
  /** Later than its own end, by which other clocks may differ. */
  expiresAt: Date;
}

/** The challenges. Each is valid until it is used or expires, and only as long as it fits its account. */
export class ChallengeStore extends Store<StoredChallenge | UsedChallenge> {
  constructor(database: LimitedConnection) {
    super(database, challengeSchema);
  }

  insert(challenge: StoredChallenge): Promise<void> {
    return this.records.insert(challenge);
  }

  /** @returns undefined for a challenge that is unknown, used or expired at `now`, or for something else */
  async find(id: string, purpose: ChallengePurpose, now: Date): Promise<StoredChallenge | undefined> {
    const filter = { ...unexpired(id, now), purpose };
    return this.records.first<StoredChallenge>(filter);
  }

  /**
   * Counts a try of a code.
   * @returns false if there were `limit` already, or the challenge is gone
   */
  async countTry(id: string, limit: number): Promise<boolean> {
    const filter = { _id: id, tries: { $lt: limit } };
    return this.records.update(filter, { $inc: { tries: 1 } });
  }

  /** Takes a try back that could not be decided. */
  async giveBackTry(id: string): Promise<void> {
    await this.records.update({ _id: id, tries: { $gt: 0 } }, { $inc: { tries: -1 } });
  }

  /**
   * Uses a challenge up.
   * @returns false if it is unknown, used or expired at `now`. Of simultaneous calls, one gets true
   */
  async use(id: string, now: Date): Promise<boolean> {
    return (await this.records.within(this.records.collection.findOneAndDelete(unexpired(id, now)))) !== null;
  }

  /**
   * Notes that the challenge of a passkey ceremony was used.
   * @returns false if it was before. Of simultaneous calls, one gets true
   */
  async noteUsed(id: string, expiresAt: Date): Promise<boolean> {
    return isUnique(this.records.insert({ _id: id, expiresAt }), '_id');
  }

  /** Removes all challenges of an account that wait. */
  async removeAll(accountId: string): Promise<void> {
    await this.records.removeAll({ accountId });
  }
}

/** The database removes expired challenges late, and by its own clock. */
const unexpired = (_id: string, now: Date) => ({ _id, expiresAt: { $gt: now } });
