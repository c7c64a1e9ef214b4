import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import { type AccountStore, toAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import type { Models } from '../../stores/models.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import type { Belongings } from './belongings.ts';
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
    private readonly accounts: AccountStore,
    private readonly models: Models,
    private readonly stores: Pick<Stores, 'accessTokens' | 'auditEvents'>,
    private readonly belongings: Belongings,
    private readonly clock: Clock,
  ) {}

  /**
   * Collects the data of an account. Hashes, digests and tokens in clear are never part of it.
   * @returns undefined if the account does not exist
   * @throws the database's error
   */
  async collect(accountId: string): Promise<PersonalData | undefined> {
    const { profiles } = this.models;
    const stored = await this.accounts.findWithNetworks(accountId);
    if (!stored) {
      return undefined;
    }
    const [profile, tokens, events, passwordResets, mails] = await Promise.all([
      this.#within(profiles.findById(accountId).lean<DoctorProfile>()),
      this.#tokens(accountId),
      this.#events(accountId),
      this.belongings.pendingResets(accountId),
      this.belongings.pendingMails(stored),
    ]);
    return {
      generatedAt: new Date(this.clock.now()),
      account: toPersonalAccount(toAccount(stored), stored),
      profile,
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

  #within<T>(exchange: PromiseLike<T>): Promise<T> {
    return boundedExchange(exchange, this.clock);
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
