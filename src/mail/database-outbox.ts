import { createHash, randomInt } from 'node:crypto';
import type { MailOrder, MessageStore } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';
import type { OrderOptions, Outbox } from './outbox.ts';

/** Twice the time after which the delivery gives an order up, so that the log always tells of it first. */
const KEPT_MILLIS = 2 * 86_400_000;

/**
 * How long an order waits at least before it is due. By then the request is answered: its time must not tell whether there was
 * a mail to write, for which an account must exist.
 */
export const HOLD_MILLIS = 1_000;
/**
 * How long it waits at most. In between, the moment is random: which of two orders goes first, and when, must not tell whether
 * the other one was for an account.
 */
export const LONGEST_HOLD_MILLIS = 4_500;

/** Keeps orders in the database, until an instance has sent them. */
export class DatabaseOutbox implements Outbox {
  readonly isOn = true;
  #onAdded = () => {};

  constructor(
    private readonly messages: MessageStore,
    private readonly clock: Clock,
  ) {}

  /** Calls `act` after each order of this process, dropped ones included. */
  onAdded(act: () => void): void {
    this.#onAdded = act;
  }

  async add(order: MailOrder, { limit, orderedFrom = '' }: OrderOptions = {}): Promise<void> {
    const now = this.clock.now();
    const fresh = {
      order,
      orderedFrom,
      createdAt: new Date(now),
      nextAttemptAt: new Date(now + randomInt(HOLD_MILLIS, LONGEST_HOLD_MILLIS + 1)),
      expiresAt: new Date(now + KEPT_MILLIS),
    };
    if (limit) {
      const limitKey = createHash('sha256').update(limit.key).digest('hex');
      await this.messages.addLimited(fresh, limitKey, new Date(now + limit.perMillis));
    } else {
      await this.messages.add(fresh);
    }
    this.#onAdded();
  }
}
