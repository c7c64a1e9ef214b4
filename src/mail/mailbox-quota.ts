import type { Draft } from './letter.ts';

/** A mail that counts at its mailbox. */
export interface QuotaShare {
  /** Takes the mail back, because it was not sent. */
  giveBack(): Promise<void>;
}

/** Bounds the mails that one mailbox gets in an hour. */
export interface MailboxQuota {
  /**
   * Counts a mail before it is sent, so that simultaneous ones cannot exceed the limit together.
   * @returns how long to wait if the mailbox has had enough
   * @throws the database's error
   */
  take(draft: Pick<Draft, 'kind' | 'to'>): Promise<QuotaShare | { retryAfterMillis: number }>;
}
