import { randomUUID } from 'node:crypto';
import { boundedExchange } from '../database/bounded-exchange.ts';
import type { OutgoingMail, OutgoingMailModel } from '../stores/messages.ts';
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
  /** As in {@link DueOrder}. */
  orderedFrom: string;
  createdAt: Date;
  /** With this one. */
  attempts: number;
  claim: string;
  /** Until when it keeps other orders of its key away. */
  limitedUntil: Date | undefined;
}

/** An order that is due, before it is claimed. */
export interface DueOrder {
  id: string;
  /** The address that ordered it; empty for an operator, and for orders of earlier releases. */
  orderedFrom: string;
  /** True if an instance has begun to send it before. */
  isAgain: boolean;
  dueAt: Date;
}

/** Which orders to find: those that have been due since a time, without the first ones. */
interface DuePage {
  since: Date;
  skip: number;
  limit: number;
}

/** The orders in the database, as the delivery sees them. Every exchange is bounded, and throws the database's error. */
export class OrderQueue {
  constructor(
    private readonly mails: OutgoingMailModel,
    private readonly clock: Clock,
  ) {}

  /** Finds orders that are due, those that have been due for longest first. */
  async due({ since, skip, limit }: DuePage): Promise<DueOrder[]> {
    const found = this.mails
      .find({ nextAttemptAt: { $gte: since, $lte: new Date(this.clock.now()) } })
      .select('orderedFrom attempts nextAttemptAt')
      .sort({ nextAttemptAt: 1 })
      .skip(skip)
      .limit(limit)
      .lean<Required<Pick<OutgoingMail, '_id' | 'orderedFrom' | 'attempts' | 'nextAttemptAt'>>[]>();
    const mails = await boundedExchange(found, this.clock);
    return mails.map(({ _id, orderedFrom, attempts, nextAttemptAt }) => ({
      id: _id,
      orderedFrom: orderedFrom ?? '',
      isAgain: attempts > 0,
      dueAt: nextAttemptAt,
    }));
  }

  /**
   * Claims an order, in one step, so that no two instances send it at the same time.
   * @returns undefined if it is not due any more
   */
  async claim(id: string): Promise<ClaimedOrder | undefined> {
    const now = this.clock.now();
    const claim = randomUUID();
    const claimed = this.mails
      .findOneAndUpdate(
        { _id: id, nextAttemptAt: { $lte: new Date(now) } },
        { $set: { claim, nextAttemptAt: new Date(now + CLAIM_MILLIS) }, $inc: { attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<OutgoingMail>();
    const mail = await boundedExchange(claimed, this.clock);
    return mail ? toClaimed(mail, claim) : undefined;
  }

  /** Ends an order. What limits other orders of its key stays until the limit ends. */
  async finish({ id, claim, limitedUntil }: ClaimedOrder): Promise<void> {
    const own = { _id: id, claim };
    const rest = {
      $set: { expiresAt: limitedUntil, attempts: 0 },
      $unset: { order: true, orderedFrom: true, nextAttemptAt: true, claim: true },
    };
    const finished = limitedUntil ? this.mails.updateOne(own, rest) : this.mails.deleteOne(own);
    await boundedExchange<unknown>(finished, this.clock);
  }

  /** Gives an order back after an attempt that failed, to be tried again after a time. */
  async postpone(order: ClaimedOrder, millis: number): Promise<void> {
    await this.#giveBack(order, millis);
  }

  /** Gives an order back that was not tried. */
  async defer(order: ClaimedOrder, millis: number): Promise<void> {
    await this.#giveBack(order, millis, { $inc: { attempts: -1 } });
  }

  async #giveBack({ id, claim }: ClaimedOrder, millis: number, change = {}): Promise<void> {
    const nextAttemptAt = new Date(this.clock.now() + millis);
    const givenBack = this.mails.updateOne(
      { _id: id, claim },
      { $set: { nextAttemptAt }, $unset: { claim: true }, ...change },
    );
    await boundedExchange(givenBack, this.clock);
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
  orderedFrom: mail.orderedFrom ?? '',
  createdAt: mail.createdAt,
  attempts: mail.attempts,
  claim,
  limitedUntil: mail.limitedUntil,
});
