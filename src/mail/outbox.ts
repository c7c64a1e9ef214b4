import { createHash, randomInt } from 'node:crypto';
import type { MessageOrder, MessageStore } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';

/** Takes messages for mails. They are sent later, at least once. */
export interface Outbox {
  /** False if no mail server is set up: then messages are dropped. */
  readonly isOn: boolean;
  /**
   * Stores a message. It waits for the database, never for a mail server.
   * @param limit in the options silently drops the message if another one of its key was stored too short a time ago. A
   *   dropped message takes the same single exchange with the database. If an older message of the key still waits, the new one
   *   replaces it
   * @throws the database's error
   */
  add(order: MessageOrder, options?: MessageOptions): Promise<void>;
  /** Calls `act` after each message of this process, dropped ones included. */
  onAdded(act: () => void): void;
}

/** At most one message of a key in any such time, whichever instances take the messages. */
interface MailLimit {
  /** Any text that names what is limited, for example the kind and an e-mail key. Only its digest is stored. */
  key: string;
  perMillis: number;
}

/** What is known about a message besides the mail. */
interface MessageOptions {
  limit?: MailLimit;
  /** The address of the sender of the request, as networksOf takes it. Networks take turns. Empty for an operator. */
  orderedFrom?: string;
  /** A notice about the mail. It is stored before, and the mail waits until the notice was sent, refused for good, or tried for an hour. */
  notice?: MessageOrder;
}

/** Twice the time after which the delivery gives a message up, so that the log always reports it first. */
const KEPT_MILLIS = 2 * 86_400_000;

/**
 * How long a message waits at least before it is due. By then the request is answered: its time must not reveal whether there was
 * a mail to write, for which an account must exist.
 */
export const HOLD_MILLIS = 1_000;
/**
 * How long it waits at most. In between, the moment is random: which of two messages goes first, and when, must not reveal whether
 * the other one was for an account.
 */
export const LONGEST_HOLD_MILLIS = 4_500;

/** How long a mail waits for the notice about it, from the first try of that: a lost mailbox must not stop the mail. */
export const NOTICE_MILLIS = 3_600_000;

/** Keeps messages in the database, until an instance has sent them. */
export class DatabaseOutbox implements Outbox {
  readonly isOn = true;
  #onAdded = () => {};

  constructor(
    private readonly messages: MessageStore,
    private readonly clock: Clock,
  ) {}

  onAdded(act: () => void): void {
    this.#onAdded = act;
  }

  async add(order: MessageOrder, { limit, orderedFrom = '', notice }: MessageOptions = {}): Promise<void> {
    const now = this.clock.now();
    const own = {
      order,
      orderedFrom,
      createdAt: new Date(now),
      nextAttemptAt: new Date(now + randomInt(HOLD_MILLIS, LONGEST_HOLD_MILLIS + 1)),
      expiresAt: new Date(now + KEPT_MILLIS),
    };
    const after = notice && (await this.messages.add({ ...own, order: notice }));
    const fresh = after === undefined ? own : { ...own, after, nextAttemptAt: new Date(now + NOTICE_MILLIS) };
    if (limit) {
      const limitKey = createHash('sha256').update(limit.key).digest('hex');
      await this.messages.addLimited(fresh, limitKey, limit.perMillis);
    } else {
      await this.messages.add(fresh);
    }
    this.#onAdded();
  }
}

/** The outbox of a gateway without a mail server. */
export const noOutbox: Outbox = { isOn: false, add: async () => {}, onAdded: () => {} };
