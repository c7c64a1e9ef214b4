import type { Logger } from '../system/log.ts';
import type { SmtpFailure } from './smtp-failure.ts';

/**
 * Whether mails can be sent, as far as the last ones have shown. A server that cannot be reached holds up all mails. One
 * exchange that broke says nothing about the server: it may have dropped the connection because of the recipient. If another
 * order breaks next, before any mail was answered, the server is the reason.
 */
export class MailServerState {
  #isAway = false;
  #brokenOrder: string | undefined;

  constructor(private readonly log: Logger) {}

  /** True from the first mail that could not be sent until the first that was answered. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Learns that the server has answered about a mail, for good or ill. */
  noteAnswer(): void {
    if (this.#isAway) {
      this.log.info('the mail server can be used again');
    }
    this.#isAway = false;
    this.#brokenOrder = undefined;
  }

  /**
   * Learns why a mail was not sent.
   * @returns true if all mails must rest
   */
  noteFailure(orderId: string, { kind, detail }: SmtpFailure): boolean {
    if (kind === 'refused' || kind === 'deferred') {
      this.noteAnswer();
      return false;
    }
    if (kind === 'broken' && (this.#brokenOrder ?? orderId) === orderId) {
      this.#brokenOrder = orderId;
      return false;
    }
    this.#brokenOrder = undefined;
    // Once for each time that the server is away, not for each mail.
    if (!this.#isAway) {
      this.log.warn(detail, 'the mail server cannot be used: mails wait');
    }
    this.#isAway = true;
    return true;
  }
}
