import type { ClaimedOrder } from '../stores/messages.ts';
import type { Logger } from '../system/log.ts';
import { senderOf } from '../system/networks.ts';
import type { SmtpFailure } from './smtp-failure.ts';

type FailedOrder = Pick<ClaimedOrder, 'id' | 'orderedFrom'>;

/**
 * Whether mails can be sent, as far as the last ones have shown. A server that cannot be reached holds up all mails. One
 * exchange that broke says nothing about the server: it may have dropped the connection because of the recipient. If an order
 * of another sender breaks next, before any mail was answered, the server is the reason. Of one sender any number may break:
 * it can order mails to addresses at which exchanges break.
 */
export class MailServerState {
  #isAway = false;
  #firstBroken: FailedOrder | undefined;

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
    this.#firstBroken = undefined;
  }

  /**
   * Learns why a mail was not sent.
   * @returns true if all mails must rest
   */
  noteFailure(order: FailedOrder, { kind, detail }: SmtpFailure): boolean {
    if (kind === 'refused' || kind === 'deferred') {
      this.noteAnswer();
      return false;
    }
    const first = this.#firstBroken ?? order;
    if (kind === 'broken' && isOfSameSender(first, order)) {
      this.#firstBroken = first;
      return false;
    }
    this.#firstBroken = undefined;
    // Once for each time that the server is away, not for each mail.
    if (!this.#isAway) {
      this.log.warn(detail, 'the mail server cannot be used: mails wait');
    }
    this.#isAway = true;
    return true;
  }
}

/** One order may have had two senders: the later one has replaced the order of the first. */
const isOfSameSender = (one: FailedOrder, other: FailedOrder): boolean =>
  one.id === other.id || senderOf(one.orderedFrom) === senderOf(other.orderedFrom);
