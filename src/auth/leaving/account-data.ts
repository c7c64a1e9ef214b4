import type { StoredAccount } from '../../stores/accounts.ts';
import type { PendingMail } from '../../stores/messages.ts';
import type { Stores } from '../../stores/stores.ts';

type Owner = Pick<StoredAccount, '_id' | 'email' | 'emailKey'>;

/** A password reset that somebody has asked for. */
export interface PendingReset {
  expiresAt: Date | null;
}

/** The short-lived records of an account: access tokens, password reset tokens and mails. */
export class AccountData {
  constructor(private readonly stores: Pick<Stores, 'accessTokens' | 'messages' | 'resetTokens'>) {}

  /** Ends all sessions and password resets. @returns how many sessions there were */
  async endSessions(accountId: string): Promise<number> {
    const removed = await this.stores.accessTokens.revokeAll(accountId);
    await this.stores.resetTokens.removeAll(accountId);
    return removed;
  }

  /** Removes the mails to an account, also those that were ordered by its e-mail. */
  async removeMails(owner: Owner): Promise<void> {
    await this.stores.messages.removeFor(owner);
  }

  /** The password resets that are still possible. */
  async pendingResets(accountId: string): Promise<PendingReset[]> {
    const found = await this.stores.resetTokens.pending(accountId);
    return found.map(({ expiresAt }) => ({ expiresAt: dateOf(expiresAt) }));
  }

  /** The mails that are not sent yet. */
  pendingMails(owner: Owner): Promise<PendingMail[]> {
    return this.stores.messages.pendingFor(owner);
  }
}

const dateOf = (value: unknown): Date | null => (value instanceof Date ? value : null);
