import { randomUUID } from 'node:crypto';
import { boundedExchange } from '../database/bounded-exchange.ts';
import type { OutgoingMail, OutgoingMailModel } from '../models/outgoing-mail.model.ts';
import type { Clock } from '../system/clock.ts';
import type { MailOrder } from './outbox.ts';

/**
 * How long one attempt may take before another instance may try. Far longer than the delivery takes: only an instance that
 * was killed, or has lost the database, keeps an order for so long.
 */
export const CLAIM_MILLIS = 300_000;

/** An order that this instance alone may send now. */
export interface ClaimedOrder {
  id: string;
  order: MailOrder;
  createdAt: Date;
  /** With this one. */
  attempts: number;
  claim: string;
  /** Until when it keeps other orders of its key away. */
  limitedUntil: Date | undefined;
}

/** The orders in the database, as the delivery sees them. Every exchange is bounded, and throws the database's error. */
export class OrderQueue {
  constructor(
    private readonly mails: OutgoingMailModel,
    private readonly clock: Clock,
  ) {}

  /**
   * Claims the order that has been due for longest, in one step, so that no two instances send it at the same time.
   * @returns undefined if none is due
   */
  async claim(): Promise<ClaimedOrder | undefined> {
    const now = this.clock.now();
    const claim = randomUUID();
    const claimed = this.mails
      .findOneAndUpdate(
        { nextAttemptAt: { $lte: new Date(now) } },
        { $set: { claim, nextAttemptAt: new Date(now + CLAIM_MILLIS) }, $inc: { attempts: 1 } },
        { sort: { nextAttemptAt: 1 }, returnDocument: 'after' },
      )
      .lean<OutgoingMail>();
    const mail = await boundedExchange(claimed, this.clock);
    return mail ? toClaimed(mail, claim) : undefined;
  }

  /** Ends an order. What limits other orders of its key stays until the limit ends. */
  async finish({ id, claim, limitedUntil }: ClaimedOrder): Promise<void> {
    const own = { _id: id, claim };
    const rest = {
      $set: { expiresAt: limitedUntil },
      $unset: { order: true, nextAttemptAt: true, claim: true },
    };
    const finished = limitedUntil ? this.mails.updateOne(own, rest) : this.mails.deleteOne(own);
    await boundedExchange<unknown>(finished, this.clock);
  }

  /** Gives an order back, to be tried again after a time. */
  async postpone({ id, claim }: ClaimedOrder, millis: number): Promise<void> {
    const nextAttemptAt = new Date(this.clock.now() + millis);
    const postponed = this.mails.updateOne(
      { _id: id, claim },
      { $set: { nextAttemptAt }, $unset: { claim: true } },
    );
    await boundedExchange(postponed, this.clock);
  }

  /** How many orders wait, or are being sent, by all instances. */
  async count(): Promise<number> {
    const waiting = this.mails.countDocuments({ nextAttemptAt: { $gt: new Date(0) } });
    return boundedExchange(waiting, this.clock);
  }
}

const toClaimed = (mail: OutgoingMail, claim: string): ClaimedOrder => ({
  id: mail._id,
  order: mail.order as MailOrder,
  createdAt: mail.createdAt,
  attempts: mail.attempts,
  claim,
  limitedUntil: mail.limitedUntil,
});
