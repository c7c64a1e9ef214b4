import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { OutgoingMail } from '../../stores/messages.ts';
import type { Models } from '../../stores/models.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';

type Owner = Pick<StoredAccount, '_id' | 'email' | 'emailKey'>;

/** A password reset that somebody has asked for. */
export interface PendingReset {
  expiresAt: Date | null;
}

/** A mail that waits to be sent. */
export interface PendingMail {
  kind: string;
  orderedAt: Date | null;
}

/** Far more than an account may have: one a minute, each for an hour or a day. */
const MAX_LISTED = 100;

/** The short-lived records of an account: access tokens, password reset tokens and mails. */
export class Belongings {
  constructor(
    private readonly models: Models,
    private readonly stores: Pick<Stores, 'accessTokens' | 'resetTokens'>,
    private readonly clock: Clock,
  ) {}

  /** Ends all sessions and password resets. @returns how many sessions there were */
  async endSessions(accountId: string): Promise<number> {
    const removed = await this.stores.accessTokens.revokeAll(accountId);
    await this.stores.resetTokens.removeAll(accountId);
    return removed;
  }

  /** Removes the mails to an account, also those that were ordered by its e-mail. */
  async removeMails(owner: Owner): Promise<void> {
    await this.#within(this.models.outgoingMails.deleteMany(mailsTo(owner)).exec());
  }

  /** The password resets that are still possible. */
  async pendingResets(accountId: string): Promise<PendingReset[]> {
    const found = await this.stores.resetTokens.pending(accountId);
    return found.map(({ expiresAt }) => ({ expiresAt: dateOf(expiresAt) }));
  }

  /** The mails that are not sent yet. */
  async pendingMails(owner: Owner): Promise<PendingMail[]> {
    const query = this.models.outgoingMails.find(mailsTo(owner)).limit(MAX_LISTED);
    const found = await this.#within(query.lean<OutgoingMail[]>());
    return found.map(({ order, createdAt }) => ({ kind: String(order?.kind), orderedAt: dateOf(createdAt) }));
  }

  #within<T>(exchange: PromiseLike<T>): Promise<T> {
    return boundedExchange(exchange, this.clock);
  }
}

/** The filter for mails to an account. An order by e-mail has it as somebody typed it. */
const mailsTo = ({ _id, email, emailKey }: Owner) => {
  // An account that another program has written may have none.
  const emails = [email, emailKey].filter((each) => typeof each === 'string');
  return { $or: [{ 'order.to.accountId': _id }, { 'order.to.email': { $in: emails } }] };
};

const dateOf = (value: unknown): Date | null => (value instanceof Date ? value : null);
