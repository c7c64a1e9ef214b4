import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { toAccount } from '../../stores/accounts.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import type { AccountData } from './account-data.ts';
import {
  type PersonalData,
  type PersonalEvent,
  type PersonalToken,
  toPersonalAccount,
  toPersonalEvent,
} from './personal-data.ts';

/** The newest tokens and events of an export. Neither has a limit of its own. */
const MAX_LISTED = 1_000;

/** Collects everything that the gateway holds about a person. */
export class PersonalDataExport {
  constructor(
    private readonly stores: Pick<Stores, 'accessTokens' | 'accounts' | 'auditEvents' | 'doctors'>,
    private readonly accountData: AccountData,
    private readonly clock: Clock,
  ) {}

  /**
   * Collects the data of an account. Hashes, digests and tokens in clear are never part of it.
   * @returns undefined if the account does not exist
   * @throws the database's error
   */
  async collect(accountId: string): Promise<PersonalData | undefined> {
    const { accounts, doctors } = this.stores;
    const stored = await accounts.findWithNetworks(accountId);
    if (!stored) {
      return undefined;
    }
    const [profile, tokens, events, passwordResets, mails] = await Promise.all([
      doctors.find(accountId),
      this.#tokens(accountId),
      this.#events(accountId),
      this.accountData.pendingResets(accountId),
      this.accountData.pendingMails(stored),
    ]);
    return {
      generatedAt: new Date(this.clock.now()),
      account: toPersonalAccount(toAccount(stored), stored),
      profile: profile ?? null,
      tokens: tokens.slice(0, MAX_LISTED),
      passwordResets,
      mails,
      events: events.slice(0, MAX_LISTED),
      isTruncated: tokens.length > MAX_LISTED || events.length > MAX_LISTED,
    };
  }

  /** One more than the limit, to tell whether there are more. */
  async #tokens(accountId: string): Promise<PersonalToken[]> {
    const tokens = await this.stores.accessTokens.list(accountId, MAX_LISTED + 1);
    return tokens.map(toPersonalToken);
  }

  async #events(accountId: string): Promise<PersonalEvent[]> {
    const events = await this.stores.auditEvents.newest(accountId, MAX_LISTED + 1);
    return events.map((event) => toPersonalEvent(event, accountId));
  }
}

function toPersonalToken(token: StoredAccessToken): PersonalToken {
  const { _id, name, abilities, createdAt, lastUsedAt, expiresAt, device, ip, imported } = token;
  return {
    id: _id,
    name,
    abilities: abilities ?? null,
    createdAt: createdAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
    expiresAt: expiresAt ?? null,
    device: device ?? null,
    ip: ip ?? null,
    isImported: imported === true,
  };
}
