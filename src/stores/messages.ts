import { randomUUID } from 'node:crypto';
import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { CLOCK_TOLERANCE_MILLIS } from '../system/clock.ts';
import { newId } from './account-record.ts';
import type { StoredAccount } from './accounts.ts';
import { overAt, Store } from './store.ts';

/** What mails are about. A text is written when it is sent, so no database holds a secret that a mail carries. */
export const MAIL_KINDS = [
  'password reset',
  'password changed',
  'e-mail proof',
  'e-mail change',
  'e-mail change requested',
  'e-mail changed',
  'e-mail in use',
  'new device',
  'doctor decided',
  'verification ends',
  'second factor added',
  'second factor replaced',
  'second factor removed',
  'second factor reset',
  'new recovery codes',
  'recovery code used',
  'few recovery codes',
  'wrong codes',
  'passkey added',
  'passkey removed',
  'account closed',
  'account disabled',
  'account enabled',
  'invitation',
] as const;
export type MessageKind = (typeof MAIL_KINDS)[number];

/** The notice that the link of a change waits for. */
export const NOTICE_OF_CHANGE: MessageKind = 'e-mail change requested';

/** A mail to be written and sent. It never has the text of the mail, and no secret. */
export interface MessageOrder {
  kind: MessageKind;
  /** To whom: the id of an account, or an e-mail as somebody typed it, with or without an account. */
  to: { accountId: string } | { email: string };
  /** What the text needs to know besides the account. Short texts without secrets. */
  facts?: Readonly<Record<string, string>>;
}

/** A mail that is not sent yet, or what is left of it while it keeps others of its key away. */
export interface StoredMessage {
  _id: string;
  /** Absent if there is nothing to send any more. */
  order?: MessageOrder;
  /**
   * The address that ordered it, whose networks take turns; empty for an operator. Absent in messages of earlier
   * releases, and without an order.
   */
  orderedFrom?: string;
  /** When it was ordered. */
  createdAt: Date;
  /** How often an instance has begun to send it. */
  attempts: number;
  /** When it is due. An instance that sends it moves this ahead: after that time, another one may. Absent without an order. */
  nextAttemptAt?: Date;
  /** The claim of the instance that sends it; absent between attempts. */
  claim?: string;
  /** SHA-256 of the key of its limit, in hex; absent without a limit. */
  limitKey?: string;
  /** Until then no other message of this key is taken. */
  limitedUntil?: Date;
  /** The id of the notice that it waits for; absent if for none. */
  after?: string;
  /** When the database removes it, if nothing else has. */
  expiresAt: Date;
}

const required = { type: Date, required: true };

export const messageSchema = new Schema<StoredMessage>(
  {
    _id: { type: String, required: true },
    order: Schema.Types.Mixed,
    orderedFrom: String,
    createdAt: required,
    attempts: { type: Number, required: true },
    nextAttemptAt: Date,
    claim: String,
    limitKey: String,
    limitedUntil: Date,
    after: String,
    expiresAt: required,
  },
  { collection: 'outgoing_mails' },
);
// Finds the messages that are due.
messageSchema.index({ nextAttemptAt: 1 }, { sparse: true });
// It decides between simultaneous messages of one key.
messageSchema.index({ limitKey: 1 }, { unique: true, sparse: true });
messageSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
messageSchema.index({ after: 1 }, { sparse: true });
// The mails to one account, for its export and its erasure.
messageSchema.index({ 'order.to.accountId': 1 }, { sparse: true });
messageSchema.index({ 'order.to.email': 1 }, { sparse: true });

/**
 * How long one attempt may take before another instance may try. Far longer than a delivery takes: only an instance that was
 * killed, or has lost the database, keeps a message for so long.
 */
export const CLAIM_MILLIS = 300_000;
/** For how long a message is postponed at most. */
export const MAX_PAUSE_MILLIS = 3_600_000;

/** More than wait for one account in practice: a link, and the notices of a day. A longer list is cut. */
const MAX_LISTED = 100;

/** A message as it is ordered. */
interface NewMessage {
  order: MessageOrder;
  /** The address that ordered it, whose networks take turns; empty for an operator. */
  orderedFrom: string;
  createdAt: Date;
  /** When it is due. */
  nextAttemptAt: Date;
  /** As in {@link StoredMessage}. */
  after?: string;
  /** When the database removes it, if nothing else has. */
  expiresAt: Date;
}

/** A message that is due, before it is claimed. */
export interface DueMessage {
  id: string;
  /** The address that ordered it; empty for an operator, and for messages of earlier releases. */
  orderedFrom: string;
  /** True if an instance has begun to send it before. */
  isAgain: boolean;
  dueAt: Date;
}

/** A message that this instance alone may send now. */
export interface ClaimedMessage {
  id: string;
  order: MessageOrder;
  /** As in {@link DueMessage}. */
  orderedFrom: string;
  createdAt: Date;
  /** With this one. */
  attempts: number;
  claim: string;
  /** Until when it keeps other messages of its key away. */
  limitedUntil: Date | undefined;
  /** As in {@link StoredMessage}. */
  after?: string | undefined;
}

/** A message that waits to be sent. */
export interface PendingMessage {
  kind: string;
  orderedAt: Date | null;
}

/** A message that waits, as operators see it. */
export interface WaitingMessage {
  id: string;
  kind: string;
  to: MessageOrder['to'] | undefined;
  orderedAt: Date;
  /** How often an instance has begun to send it. */
  attempts: number;
  /** When it is tried again. */
  dueAt: Date | undefined;
  isBeingSent: boolean;
}

/** The owner of messages, by everything that they may be addressed to. */
type Addressee = Pick<StoredAccount, '_id' | 'email' | 'emailKey'>;

/**
 * The messages that wait to be sent. One is added, becomes due, is claimed by one instance, and is finished or given back for
 * another attempt. What limits others of its key stays until its time is over.
 */
export class MessageStore extends Store<StoredMessage> {
  constructor(database: LimitedConnection) {
    super(database, messageSchema);
  }

  /** @returns its id */
  async add(message: NewMessage): Promise<string> {
    const _id = newId();
    await this.records.insert({ ...message, _id, attempts: 0 });
    return _id;
  }

  /**
   * Adds a message unless another one of its key was added too short a time ago. One that still waits is replaced, and keeps its
   * attempts: asking again does not make a mail that fails a new one.
   *
   * It is one write, taken or not. While the time of the key runs, no record matches; then the upsert inserts, and the unique
   * index refuses it. Of simultaneous messages the index lets one pass.
   * @param limitKey SHA-256 of the key, in hex
   * @param perMillis how long it keeps others away
   */
  async addLimited(message: NewMessage, limitKey: string, perMillis: number): Promise<void> {
    const limitedUntil = new Date(message.createdAt.getTime() + perMillis);
    const isOver = { limitKey, limitedUntil: overAt(message.createdAt, perMillis) };
    const change = {
      ...{ $set: { ...message, limitedUntil }, $unset: { claim: true as const } },
      $setOnInsert: { _id: newId(), attempts: 0 },
    };
    await isUnique(this.records.update(isOver, change, { upsert: true }), 'limitKey');
  }

  /**
   * Reads messages that have been due since a time, batch by batch, the longest due first. It uses one cursor, because an operator, or a
   * clock that was set back, makes all of them due in the same millisecond.
   */
  async *due(now: Date, since: Date, batchSize: number): AsyncGenerator<DueMessage[]> {
    const filter = { nextAttemptAt: { $gte: since, $lte: now } };
    const projection = { orderedFrom: 1, attempts: 1, nextAttemptAt: 1 };
    const options = { projection, sort: { nextAttemptAt: 1 }, batchSize } as const;
    for await (const batch of this.records.batches(filter, options)) {
      yield batch.map(({ _id, orderedFrom = '', attempts, nextAttemptAt = now }) => ({
        id: _id,
        orderedFrom,
        isAgain: attempts > 0,
        dueAt: nextAttemptAt,
      }));
    }
  }

  /**
   * Claims a message, in one step, so that no two instances send it at the same time.
   * @returns undefined if it is not due any more
   */
  async claim(id: string, now: Date): Promise<ClaimedMessage | undefined> {
    const claim = randomUUID();
    const nextAttemptAt = new Date(now.getTime() + CLAIM_MILLIS);
    const message = await this.records.updated(
      { _id: id, nextAttemptAt: { $lte: now } },
      { $set: { claim, nextAttemptAt }, $inc: { attempts: 1 } },
    );
    // One that is due has an order.
    return message?.order && toClaimed(message, message.order, claim);
  }

  /** Ends a claimed message. What limits others of its key stays until the limit ends. */
  async finish({ id, claim, limitedUntil }: ClaimedMessage): Promise<void> {
    const own = { _id: id, claim };
    if (!limitedUntil) {
      await this.records.remove(own);
      return;
    }
    const rest = {
      $set: { expiresAt: limitedUntil, attempts: 0 },
      $unset: { order: true, orderedFrom: true, nextAttemptAt: true, claim: true },
    } as const;
    await this.records.update(own, rest);
  }

  /** Gives a claimed message back after an attempt that failed. */
  async postpone({ id, claim }: ClaimedMessage, nextAttemptAt: Date): Promise<void> {
    const change = { $set: { nextAttemptAt }, $unset: { claim: true as const } };
    await this.records.update({ _id: id, claim }, change);
  }

  /** Gives a claimed message back that was not tried. */
  async defer({ id, claim }: ClaimedMessage, nextAttemptAt: Date): Promise<void> {
    const change = { $set: { nextAttemptAt }, $unset: { claim: true as const }, $inc: { attempts: -1 } };
    await this.records.update({ _id: id, claim }, change);
  }

  /** True if a message waits that no instance has begun to send. */
  async isUntried(id: string): Promise<boolean> {
    const untried = { _id: id, attempts: 0, nextAttemptAt: { $gt: new Date(0) } };
    return this.records.exists(untried);
  }

  /** Says when the messages are due that wait for this one, unless they are being sent. */
  async letFollow(id: string, nextAttemptAt: Date): Promise<void> {
    const following = { after: id, claim: { $exists: false } };
    await this.records.updateAll(following, { $set: { nextAttemptAt } });
  }

  /** Makes messages due that a clock which was ahead has postponed. */
  async recall(now: Date): Promise<void> {
    const latest = new Date(now.getTime() + MAX_PAUSE_MILLIS + CLOCK_TOLERANCE_MILLIS);
    const change = { $set: { nextAttemptAt: now } };
    await this.records.updateAll({ nextAttemptAt: { $gt: latest } }, change);
  }

  /** How many messages wait, or are being sent, by all instances. */
  count(): Promise<number> {
    return this.records.count({ nextAttemptAt: { $gt: new Date(0) } });
  }

  /**
   * The queued messages, the earliest due first.
   * @param after the id of a message; the list begins behind it
   * @returns undefined if there is no message `after`
   */
  async waiting(limit: number, after: string | undefined): Promise<WaitingMessage[] | undefined> {
    const last = after === undefined ? new Date(0) : await this.#placeOf(after);
    if (!last) {
      return undefined;
    }
    const filter = { nextAttemptAt: { $gte: last } };
    const found: WaitingMessage[] = [];
    for await (const batch of this.records.batchesBehind(filter, { sort: { nextAttemptAt: 1 } }, after)) {
      found.push(...batch.map(toWaiting));
      if (found.length >= limit) {
        break;
      }
    }
    return found.slice(0, limit);
  }

  /** The queued messages to a person, the earliest due first. A longer list is cut. */
  async waitingFor(addressee: Addressee): Promise<WaitingMessage[]> {
    const found = await this.records.list(addressedTo(addressee), { limit: MAX_LISTED });
    const dueMillis = ({ dueAt }: WaitingMessage) => dueAt?.getTime() ?? 0;
    return found.map(toWaiting).sort((one, other) => dueMillis(one) - dueMillis(other));
  }

  async #placeOf(id: string): Promise<Date | undefined> {
    return (await this.records.first({ _id: id }, { projection: { nextAttemptAt: 1 } }))?.nextAttemptAt;
  }

  /**
   * Makes messages due that wait for a later attempt. One that is being sent stays as it is.
   * @param id of one; undefined: all of them
   * @returns how many
   */
  async hurry(now: Date, id?: string): Promise<number> {
    const filter = {
      nextAttemptAt: { $gt: now },
      claim: { $exists: false },
      ...(id !== undefined && { _id: id }),
    };
    return this.records.updateAll(filter, { $set: { nextAttemptAt: now } });
  }

  /** The messages to an account that are not sent yet, also those that were ordered by its e-mail. */
  async pendingFor(addressee: Addressee): Promise<PendingMessage[]> {
    return (await this.records.list(addressedTo(addressee), { limit: MAX_LISTED })).map(
      ({ order, createdAt }) => ({
        kind: String(order?.kind),
        orderedAt: createdAt instanceof Date ? createdAt : null,
      }),
    );
  }

  /** Removes the messages to an account, also those that were ordered by its e-mail. */
  async removeFor(addressee: Addressee): Promise<void> {
    await this.records.removeAll(addressedTo(addressee));
  }
}

const toWaiting = (mail: StoredMessage): WaitingMessage => ({
  id: mail._id,
  kind: String(mail.order?.kind),
  to: mail.order?.to,
  orderedAt: mail.createdAt,
  attempts: mail.attempts,
  dueAt: mail.nextAttemptAt,
  isBeingSent: mail.claim !== undefined,
});

const toClaimed = (message: StoredMessage, order: MessageOrder, claim: string): ClaimedMessage => ({
  id: message._id,
  order,
  orderedFrom: message.orderedFrom ?? '',
  createdAt: message.createdAt,
  attempts: message.attempts,
  claim,
  limitedUntil: message.limitedUntil,
  after: message.after,
});

/** A message to an e-mail has it as somebody typed it. */
function addressedTo({ _id, email, emailKey }: Addressee) {
  // An account that another program has written may have none.
  const emails = [email, emailKey].filter((each) => typeof each === 'string');
  return { $or: [{ 'order.to.accountId': _id }, { 'order.to.email': { $in: emails } }] };
}
