import { createHmac } from 'node:crypto';
import { type AccountModel, emailKey, type StoredAccount } from '../models/account.model.ts';
import type { LoginAttempt } from './login-throttle.ts';

/** As many as a person is at in turn: home, work, a few mobile networks. */
const MAX_PLACES = 8;
/** The places that were new last. One of them is not written again: an ordinary login writes nothing. */
const RECENT_PLACES = 4;

/** The networks from which the login to an account has succeeded, kept in the account as digests. */
export class KnownPlaces {
  /**
   * @param key what the digests are keyed with: without it, the four billion addresses of IPv4 would soon be tried
   */
  constructor(
    private readonly accounts: AccountModel,
    private readonly key: Buffer,
  ) {}

  /** The digest of a place, which differs for each account. */
  digest({ email, ip }: LoginAttempt): string {
    return createHmac('sha256', this.key)
      .update(`${emailKey(email)}\n${ip}`)
      .digest('base64url');
  }

  /**
   * Whether a login has succeeded from there before. Looked up by the digest alone: for a stranger it is not there,
   * whether there is an account or not, and so takes the same time.
   */
  async has(attempt: LoginAttempt): Promise<boolean> {
    return (await this.accounts.exists({ knownPlaces: this.digest(attempt) })) !== null;
  }

  /**
   * Remembers a place after a success; the one that was used the longest time ago is forgotten.
   * @param account with its known places. Of two places at once one may be lost, until its next login
   */
  async add({ _id, email, knownPlaces = [] }: StoredAccount, ip: string): Promise<void> {
    const place = this.digest({ email, ip });
    if (knownPlaces.slice(-RECENT_PLACES).includes(place)) return;
    const others = knownPlaces.filter((known) => known !== place).slice(1 - MAX_PLACES);
    await this.accounts.updateOne({ _id }, { $set: { knownPlaces: [...others, place] } });
  }
}
