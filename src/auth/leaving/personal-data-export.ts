import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { type StoredAccount, toAccount } from '../../stores/accounts/accounts.ts';
import type { AuditEvent } from '../../stores/audit-events.ts';
import type { DoctorStore } from '../../stores/doctors/doctors.ts';
import type { Models } from '../../stores/models.ts';
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
/** Records are read in parts, so that other requests are served in between. */
const BATCH_SIZE = 100;

/** Collects everything that the gateway holds about a person. */
export class PersonalDataExport {
  constructor(
    private readonly models: Models,
    private readonly doctors: DoctorStore,
    private readonly belongings: Belongings,
    private readonly clock: Clock,
  ) {}

  /**
   * Collects the data of an account. Hashes, digests and tokens in clear are never part of it.
   * @returns undefined if the account does not exist
   * @throws the database's error
   */
  async collect(accountId: string): Promise<PersonalData | undefined> {
    const { accounts } = this.models;
    const query = accounts.findById(accountId).select('+knownPlaces');
    const stored = await this.#within(query.lean<StoredAccount>());
    if (!stored) {
      return undefined;
    }
    const [profile, tokens, events, passwordResets, mails] = await Promise.all([
      this.doctors.find(accountId),
      this.#tokens(accountId),
      this.#events(accountId),
      this.belongings.pendingResets(accountId),
      this.belongings.pendingMails(stored),
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
    const query = this.models.tokens.find({ accountId }).sort({ createdAt: -1, _id: -1 });
    const limited = query.limit(MAX_LISTED + 1).batchSize(BATCH_SIZE);
    const tokens = await this.#within(limited.lean<StoredAccessToken[]>());
    return tokens.map(toPersonalToken);
  }

  async #events(accountId: string): Promise<PersonalEvent[]> {
    const [about, by] = await Promise.all([
      this.#newestEvents({ accountId }),
      // What a reviewer did to others has the reviewer's address, and so have attempts that were refused.
      this.#newestEvents({ byAccountId: accountId }),
    ]);
    const events = [...about, ...by.filter((event) => event.accountId !== accountId)];
    events.sort((a, b) => b.at.getTime() - a.at.getTime());
    return events.slice(0, MAX_LISTED + 1).map((event) => toPersonalEvent(event, accountId));
  }

  #newestEvents(whose: { accountId: string } | { byAccountId: string }): Promise<AuditEvent[]> {
    const query = this.models.auditEvents.find(whose).sort({ at: -1 });
    return this.#within(
      query
        .limit(MAX_LISTED + 1)
        .batchSize(BATCH_SIZE)
        .lean<AuditEvent[]>(),
    );
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
