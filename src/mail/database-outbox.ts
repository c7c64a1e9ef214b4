import { createHash, randomInt } from 'node:crypto';
import { isDuplicateKey } from '../database/database-errors.ts';
import { newId } from '../stores/accounts/accounts.ts';
import type { OutgoingMailModel } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';
import type { MailLimit, MailOrder, OrderOptions, Outbox } from './outbox.ts';

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
    private readonly mails: OutgoingMailModel,
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
      await this.#addLimited(fresh, limit);
    } else {
      await this.mails.insertOne({ _id: newId(), attempts: 0, ...fresh });
    }
    this.#onAdded();
  }

  /**
   * One write, taken or not. While the time of the key runs, no document matches; then the upsert inserts, and the unique
   * index refuses it. Of simultaneous orders the index lets one pass. An order that replaces a waiting one keeps its attempts:
   * asking again does not make a mail that fails a new one.
   */
  async #addLimited(fresh: { createdAt: Date }, { key, perMillis }: MailLimit): Promise<void> {
    const limitKey = createHash('sha256').update(key).digest('hex');
    const limitedUntil = new Date(fresh.createdAt.getTime() + perMillis);
    try {
      await this.mails.updateOne(
        { limitKey, limitedUntil: { $lte: fresh.createdAt } },
        {
          $set: { ...fresh, limitedUntil },
          $unset: { claim: true },
          $setOnInsert: { _id: newId(), attempts: 0 },
        },
        { upsert: true },
      );
    } catch (error) {
      if (!isDuplicateKey(error, 'limitKey')) {
        throw error;
      }
    }
  }
}
