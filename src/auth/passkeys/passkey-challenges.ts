import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredAccount } from '../../stores/accounts.ts';
import type { ChallengeStore } from '../../stores/challenges.ts';
import type { Clock } from '../../system/clock.ts';
import { InvalidPasskeyError } from '../../system/errors.ts';

/** What a challenge is for: a login, the proof of somebody who is logged in, or a new passkey. */
export type CeremonyPurpose = 'login' | 'confirm' | 'add';

/** The account that a challenge is for, as it was read with its password. Nobody knows it at the beginning of a login. */
type Owner = Pick<StoredAccount, '_id' | 'accessVersion'>;

/** A challenge that can be used. */
export interface PresentedChallenge {
  digest: string;
  expiresAt: Date;
}

const MINUTE_MILLIS = 60_000;
/** The page of a login may be open for long before somebody chooses a passkey. */
const LIFETIME_MILLIS: Record<CeremonyPurpose, number> = {
  login: 10 * MINUTE_MILLIS,
  confirm: 5 * MINUTE_MILLIS,
  add: 5 * MINUTE_MILLIS,
};
/** How much longer a used one is known: by more than clocks differ. */
const MARGIN_MILLIS = 60 * MINUTE_MILLIS;

const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const HEAD_BYTES = RANDOM_BYTES + TIME_BYTES;

/**
 * The challenges of passkey ceremonies. Each is valid once, for one purpose and one account. Nothing is stored before it is used: a
 * challenge is random bytes, its end in milliseconds since the epoch, and an HMAC of these with its purpose and its account.
 */
export class PasskeyChallenges {
  /** @param key 32 bytes that all instances share */
  constructor(
    private readonly key: Buffer,
    private readonly store: ChallengeStore,
    private readonly clock: Clock,
  ) {}

  /** @param owner undefined for a login */
  make(purpose: CeremonyPurpose, owner?: Owner): Uint8Array<ArrayBuffer> {
    const head = Buffer.alloc(HEAD_BYTES);
    randomBytes(RANDOM_BYTES).copy(head);
    head.writeUIntBE(this.clock.now() + LIFETIME_MILLIS[purpose], RANDOM_BYTES, TIME_BYTES);
    return new Uint8Array([...head, ...this.#mac(head, purpose, owner)]);
  }

  /**
   * Reads the challenge that an authenticator has signed.
   * @param signed in base64url
   * @throws InvalidPasskeyError if it was not made here, or for something else or somebody else, or has expired
   */
  read(signed: string, purpose: CeremonyPurpose, owner?: Owner): PresentedChallenge {
    const bytes = Buffer.from(signed, 'base64url');
    const [head, mac] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)];
    // The digest is that of the bytes, so another spelling of them is no other challenge.
    if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, this.#mac(head, purpose, owner))) {
      throw new InvalidPasskeyError('another challenge');
    }
    const expiresAt = new Date(head.readUIntBE(RANDOM_BYTES, TIME_BYTES));
    if (expiresAt.getTime() <= this.clock.now()) {
      throw new InvalidPasskeyError('an expired challenge');
    }
    return { digest: createHash('sha256').update(bytes).digest('hex'), expiresAt };
  }

  /** @throws InvalidPasskeyError if it was used before. Of simultaneous calls, one succeeds */
  async use({ digest, expiresAt }: PresentedChallenge): Promise<void> {
    if (!(await this.store.noteUsed(digest, new Date(expiresAt.getTime() + MARGIN_MILLIS)))) {
      throw new InvalidPasskeyError('a used challenge');
    }
  }

  #mac(head: Uint8Array, purpose: CeremonyPurpose, owner: Owner | undefined): Buffer {
    // JSON keeps the parts apart. A change of what gives access to an account ends its challenges.
    const bound = JSON.stringify([purpose, owner?._id ?? null, owner?.accessVersion ?? null]);
    return createHmac('sha256', this.key).update(head).update(bound).digest();
  }
}
