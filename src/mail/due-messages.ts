import type { DueMessage, MessageStore } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';
import { FairQueue } from '../system/fair-queue.ts';

/** How many messages of each kind are known at once. All others stay in the database, and are found later. */
const PLACES = 2_000;
const PAGE_ORDERS = 500;
/** How often it looks for messages that another clock, or a kill, made due at an earlier time. */
const START_OVER_MILLIS = 60_000;

/**
 * The messages that are due, in the order of their turns. They are found in the order of their time, a page at a time. If there
 * are more than places, the network with the most loses one (FairQueue): whoever has ordered thousands of mails delays only the
 * mails of its own network.
 */
export class DueMessages {
  readonly #first = new FairQueue<DueMessage>(PLACES);
  /** Those that were tried before. They are apart, so that mails which fail do not hold up others. */
  readonly #again = new FairQueue<DueMessage>(PLACES);
  readonly #known = new Map<string, DueMessage>();
  /** Messages that became due before have been found. */
  #since = new Date(0);
  #startedAt = 0;
  #isLeftOut = false;

  constructor(
    private readonly messages: MessageStore,
    private readonly clock: Clock,
  ) {}

  /** True if a read may find more: none is known, or messages have lost their place and few are left. */
  get wantsMore(): boolean {
    const { size } = this.#known;
    return size === 0 || (this.#isLeftOut && size < PAGE_ORDERS);
  }

  /** The next message that was never tried. */
  nextFirst(): DueMessage | undefined {
    return this.#forget(this.#first.next());
  }

  /** The next message that was tried before. */
  nextAgain(): DueMessage | undefined {
    return this.#forget(this.#again.next());
  }

  /**
   * Reads what has become due since the last time.
   * @param onPage called after each page, and in the end
   * @throws the database's error
   */
  async read(onPage: () => Promise<void>): Promise<void> {
    const isOld = this.clock.elapsed() - this.#startedAt >= START_OVER_MILLIS;
    if (this.wantsMore || isOld) {
      this.#since = new Date(0);
      this.#startedAt = this.clock.elapsed();
      this.#isLeftOut = false;
      await this.messages.recall(new Date(this.clock.now()));
    }
    const now = new Date(this.clock.now());
    for await (const page of this.messages.due(now, this.#since, PAGE_ORDERS)) {
      for (const message of page) {
        this.#add(message);
        this.#since = message.dueAt;
      }
      await onPage();
    }
    await onPage();
  }

  #add(message: DueMessage): void {
    const known = this.#known.get(message.id);
    if (known?.orderedFrom === message.orderedFrom && known.isAgain === message.isAgain) {
      return;
    }
    // Another message of its key has replaced it, and must not wait for a turn of the network that had ordered first.
    if (known) {
      this.#queueOf(known).remove(known);
    }
    this.#known.set(message.id, message);
    const queue = this.#queueOf(message);
    const left = queue.add(message, message.orderedFrom);
    if (left) {
      this.#forget(left);
      this.#isLeftOut = true;
    }
  }

  #queueOf({ isAgain }: DueMessage): FairQueue<DueMessage> {
    return isAgain ? this.#again : this.#first;
  }

  #forget(message: DueMessage | undefined): DueMessage | undefined {
    if (message) {
      this.#known.delete(message.id);
    }
    return message;
  }
}
