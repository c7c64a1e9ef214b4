import { createHmac } from 'node:crypto';
import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import type { LoginAttempt } from './login-throttle.ts';

/** Enough for one person: home, work, a few mobile networks. */
const MAX_PLACES = 8;
/** A login from one of the newest places writes nothing, so an ordinary login costs no write. */
const RECENT_PLACES = 4;

/** The networks from which a login to an account has succeeded, stored in the account as digests. */
export class KnownPlaces {
  /**
   * @param key of the HMAC. Without a key, a thief could try all four billion IPv4 addresses
   */
  constructor(
    private readonly accounts: AccountStore,
    private readonly key: Buffer,
  ) {}

  /** The digest of a place, which differs for each account. */
  digest({ email, ip }: LoginAttempt): string {
    return createHmac('sha256', this.key)
      .update(`${emailKey(email)}\n${ip}`)
      .digest('base64url');
  }

  /**
   * True if a login has succeeded from there before. The look-up uses only the digest. For a stranger it finds nothing,
   * with or without an account, so it takes the same time.
   */
  has(attempt: LoginAttempt): Promise<boolean> {
    return this.accounts.knowsNetwork(this.digest(attempt));
  }

  /**
   * Remembers a place after a success, and forgets the least recently used one beyond the limit.
   * @param account with its known places. If two places are added at once, one may be lost until its next login
   */
  async add(account: StoredAccount, ip: string): Promise<void> {
    const { email, knownPlaces = [] } = account;
    const place = this.digest({ email, ip });
    if (knownPlaces.slice(-RECENT_PLACES).includes(place)) {
      return;
    }
    const others = knownPlaces.filter((known) => known !== place).slice(1 - MAX_PLACES);
    await this.accounts.setKnownNetworks(account, [...others, place]);
  }
}
