import type { DueMessage } from '../stores/messages.ts';
import type { Cancel } from '../system/clock.ts';
import { DueMessages } from './due-messages.ts';
import { type AttemptParts, isFollowed, MailAttempts, type ReadyMessage } from './mail-attempts.ts';
import { MailServerState } from './mail-failures.ts';
import { LONGEST_HOLD_MILLIS } from './outbox.ts';

/** How often the database is asked for messages of other instances, and for those that are due again. */
const CHECK_MILLIS = 10_000;
/** How often it is asked while messages of this process become due. */
const LOOK_MILLIS = 1_000;
/** How long all mails rest after the mail server could not be used. */
const REST_MILLIS = 60_000;
/** How many mails are sent at the same time. Those that were tried before have places of their own, and only these. */
const FIRST_PLACES = 4;
const AGAIN_PLACES = 2;
/** How long a stop lets mails be sent, and how long it waits in all. */
const STOP_SENDING_MILLIS = 1_500;
const STOP_MILLIS = 3_000;

/** A mail that is being sent. */
interface Sending {
  isAgain: boolean;
  interrupt: AbortController;
  ended: Promise<void>;
}

/**
 * Sends the messages that are due, several at a time, for as long as it runs. No request ever waits for it.
 *
 * A message is due at a random moment between 1 and 4.5 seconds after its request: neither the time of the answer nor the sequence of a
 * person's own mails shows whether somebody else got one. A claim is one `findAndModify` that postpones the message by five minutes, so a mail
 * is sent at least once; a second copy has the same `Message-ID`. The text is written when it is sent, by what its reader can do then, and a
 * token in it does not exist before. Looking up an address without an account ends before it takes a place.
 */
export class MailDelivery {
  readonly #due: DueMessages;
  readonly #server: MailServerState;
  readonly #attempts: MailAttempts;
  readonly #sending = new Set<Sending>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isAgain = false;
  #serving: Promise<void> | undefined;
  #mayServe = false;
  #isResting = false;
  #cancelNext: Cancel = () => {};
  #cancelLater: Cancel | undefined;
  /** When the last message of this process is due, by the process's own clock. */
  #lastDueAt = 0;

  constructor(private readonly parts: AttemptParts) {
    const { messages, clock, log } = parts;
    this.#due = new DueMessages(messages, clock);
    this.#server = new MailServerState(log);
    this.#attempts = new MailAttempts(parts, this.#server, this.#stopping.signal, () => this.#rest());
  }

  /** Looks for due messages until a message of this moment is due. */
  wakeLater(): void {
    const { clock } = this.parts;
    this.#lastDueAt = clock.elapsed() + LONGEST_HOLD_MILLIS;
    const lookLater = (): Cancel => {
      const leftMillis = this.#lastDueAt - clock.elapsed();
      return clock.after(Math.min(LOOK_MILLIS, leftMillis), () => {
        this.wake();
        this.#cancelLater = clock.elapsed() < this.#lastDueAt ? lookLater() : undefined;
      });
    };
    this.#cancelLater ??= lookLater();
  }

  /** Looks for due messages now. After the first call it looks by itself. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#isResting) {
      return;
    }
    this.#isAgain = true;
    this.#running ??= this.#run();
  }

  /** Lets the mails be sent that are under way, within a limit. Interrupted ones are sent again later. */
  async stop(): Promise<void> {
    const { clock, transport } = this.parts;
    this.#stopping.abort();
    this.#cancelNext();
    this.#cancelLater?.();
    const cancelSending = clock.after(STOP_SENDING_MILLIS, () => {
      for (const { interrupt } of this.#sending) {
        interrupt.abort();
      }
    });
    let cancelWait: Cancel = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancelWait = clock.after(STOP_MILLIS, resolve);
    });
    await Promise.race([this.#ended(), tooLate]);
    cancelSending();
    cancelWait();
    transport.close();
  }

  async #ended(): Promise<void> {
    await this.#running;
    await this.#serving;
    await Promise.all([...this.#sending].map(({ ended }) => ended));
  }

  get #isPaused(): boolean {
    return this.#stopping.signal.aborted || this.#isResting;
  }

  async #run(): Promise<void> {
    this.#cancelNext();
    while (this.#isAgain && !this.#isPaused) {
      this.#isAgain = false;
      await this.#look();
    }
    // In the same tick as the last check. Otherwise a message in between would wait for the next one.
    this.#running = undefined;
    if (!this.#isPaused) {
      this.#cancelNext = this.parts.clock.after(CHECK_MILLIS, () => this.wake());
    }
  }

  async #look(): Promise<void> {
    try {
      await this.#due.read(() => this.#serve());
      this.#attempts.noteDatabaseAnswer();
    } catch (err) {
      this.#attempts.noteDatabase(err);
    }
  }

  #rest(): void {
    this.#isResting = true;
    this.#cancelNext();
    this.#cancelNext = this.parts.clock.after(REST_MILLIS, () => {
      this.#isResting = false;
      this.wake();
      void this.#serve();
    });
  }

  /** Gives places at the mail server to the known messages, one after the other. */
  #serve(): Promise<void> {
    this.#mayServe = true;
    this.#serving ??= this.#keepServing();
    return this.#serving;
  }

  async #keepServing(): Promise<void> {
    while (this.#mayServe) {
      this.#mayServe = false;
      await this.#serveKnown();
    }
    this.#serving = undefined;
  }

  async #serveKnown(): Promise<void> {
    let hasServed = false;
    for (let due = this.#next(); due; due = this.#next()) {
      hasServed = true;
      const ready = await this.#claim(due);
      if (ready) {
        this.#send(ready, due.isAgain);
      }
    }
    if (hasServed && this.#due.wantsMore) {
      this.wake();
    }
  }

  async #claim({ id }: DueMessage): Promise<ReadyMessage | undefined> {
    const { messages, clock } = this.parts;
    const claimed = messages.claim(id, new Date(clock.now()));
    const message = await claimed.catch((err: unknown) => this.#attempts.noteDatabase(err));
    return message ? this.#attempts.prepare(message) : undefined;
  }

  /** The message whose turn it is, if it has a place. While the server is unavailable, one mail tries it. */
  #next(): DueMessage | undefined {
    const sending = [...this.#sending];
    if (this.#isPaused || (this.#server.isUnavailable && sending.length > 0)) {
      return undefined;
    }
    const again = sending.filter(({ isAgain }) => isAgain).length;
    return (
      (sending.length - again < FIRST_PLACES ? this.#due.nextFirst() : undefined) ??
      (again < AGAIN_PLACES ? this.#due.nextAgain() : undefined)
    );
  }

  #send(ready: ReadyMessage, isAgain: boolean): void {
    const interrupt = new AbortController();
    const ended = this.#attempts
      .send(ready, interrupt)
      .catch((err: unknown) => this.parts.log.error({ err }, 'the delivery failed'))
      .finally(() => {
        this.#sending.delete(sending);
        void this.#serve();
        if (isFollowed(ready.message)) {
          this.wake();
        }
      });
    const sending = { isAgain, interrupt, ended };
    this.#sending.add(sending);
  }
}
