import { boundedExchange } from '../database/bounded-exchange.ts';
import type { Cancel, Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { HOLD_MILLIS } from './database-outbox.ts';
import type { Letter, WriteLetter } from './letter.ts';
import { CLAIM_MILLIS, type ClaimedOrder, type OrderQueue } from './order-queue.ts';
import { repeat } from './repeat.ts';
import type { MailTransport } from './smtp.ts';
import { failureOf, type SmtpFailure } from './smtp-failure.ts';

/**
 * What became of an attempt: `sent`; `dropped`, because there was nothing to write any more; `postponed`, to be tried again;
 * `refused` for good by the mail server; `expired` after a day.
 */
export const MAIL_OUTCOMES = ['sent', 'dropped', 'postponed', 'refused', 'expired'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

interface DeliveryParts {
  queue: OrderQueue;
  writeLetter: WriteLetter;
  transport: MailTransport;
  clock: Clock;
  log: Logger;
  observe?: ((outcome: MailOutcome) => void) | undefined;
}

/** How often the database is asked for orders of other instances, and for those that are due again. */
const CHECK_MILLIS = 10_000;
/** How long all mails rest after the mail server could not be used. */
const REST_MILLIS = 60_000;
/** Ends a server that sends a byte now and then. With the other steps of an attempt it is far less than a claim. */
const MAX_SEND_MILLIS = 120_000;
/** The first pause of an order; each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MILLIS = 60_000;
const LONGEST_PAUSE_MILLIS = 3_600_000;
const GIVE_UP_MILLIS = 86_400_000;
/** How soon the end of an order is written again that the database has not taken. */
const REPEAT_MILLIS = 1_000;
/** How long a stop lets a mail be sent, and how long it waits in all. */
const STOP_SENDING_MILLIS = 1_500;
const STOP_MILLIS = 3_000;

/** Sends the orders that are due, one after the other, for as long as it runs. No request ever waits for it. */
export class MailDelivery {
  #running: Promise<void> | undefined;
  #isAgain = false;
  #cancelNext: Cancel = () => {};
  #cancelLater: Cancel | undefined;
  /** When the last order of this process is due, by the process's own clock. */
  #lastDueAt = 0;
  #isResting = false;
  #isDatabaseAway = false;
  #isServerAway = false;
  #sending: AbortController | undefined;
  readonly #stopping = new AbortController();

  constructor(private readonly parts: DeliveryParts) {}

  /** Looks for due orders when an order of this moment is due. */
  wakeLater(): void {
    const { clock } = this.parts;
    this.#lastDueAt = clock.elapsed() + HOLD_MILLIS;
    const lookLater = (millis: number): Cancel =>
      clock.after(millis, () => {
        this.wake();
        const leftMillis = this.#lastDueAt - clock.elapsed();
        this.#cancelLater = leftMillis > 0 ? lookLater(leftMillis) : undefined;
      });
    this.#cancelLater ??= lookLater(HOLD_MILLIS);
  }

  /** Looks for due orders now. After the first call it looks by itself. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#isResting) {
      return;
    }
    this.#isAgain = true;
    this.#running ??= this.#run();
  }

  /** Lets the mail be sent that is under way, within a limit. An interrupted one is sent again later. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelNext();
    this.#cancelLater?.();
    if (this.#running) {
      await this.#endOf(this.#running);
    }
    this.parts.transport.close();
  }

  async #endOf(running: Promise<void>): Promise<void> {
    const { clock } = this.parts;
    const cancelSending = clock.after(STOP_SENDING_MILLIS, () => this.#sending?.abort());
    let cancelWait: Cancel = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancelWait = clock.after(STOP_MILLIS, resolve);
    });
    await Promise.race([running, tooLate]);
    cancelSending();
    cancelWait();
  }

  async #run(): Promise<void> {
    this.#cancelNext();
    while (this.#isAgain && !this.#isResting) {
      this.#isAgain = false;
      await this.#sendDue().catch((err: unknown) => this.parts.log.error({ err }, 'the delivery failed'));
    }
    // In the same tick as the last check. Otherwise an order in between would wait for the next one.
    this.#running = undefined;
    if (!this.#stopping.signal.aborted) {
      this.#cancelNext = this.parts.clock.after(this.#isResting ? REST_MILLIS : CHECK_MILLIS, () => {
        this.#isResting = false;
        this.wake();
      });
    }
  }

  async #sendDue(): Promise<void> {
    while (!(this.#stopping.signal.aborted || this.#isResting)) {
      const order = await this.parts.queue.claim().catch((err: unknown) => this.#noteDatabase(err));
      if (!order) {
        return;
      }
      this.#isDatabaseAway = false;
      const outcome = await this.#attempt(order);
      this.parts.observe?.(outcome);
    }
  }

  async #attempt(order: ClaimedOrder): Promise<MailOutcome> {
    const { log, clock, queue } = this.parts;
    if (clock.now() - order.createdAt.getTime() >= GIVE_UP_MILLIS) {
      log.error(factsOf(order), 'a mail was given up after a day');
      await this.#settle(order, () => queue.finish(order));
      return 'expired';
    }
    let letter: Letter | undefined;
    try {
      letter = await boundedExchange(this.parts.writeLetter(order.order), clock);
    } catch (err) {
      log.warn({ ...factsOf(order), err }, 'a mail could not be written');
      return this.#postpone(order);
    }
    if (!letter) {
      log.debug(factsOf(order), 'a mail was dropped');
      await this.#settle(order, () => queue.finish(order));
      return 'dropped';
    }
    return this.#send(order, letter);
  }

  async #send(order: ClaimedOrder, letter: Letter): Promise<MailOutcome> {
    const { transport, clock, log, queue } = this.parts;
    const sending = new AbortController();
    const cancel = clock.after(MAX_SEND_MILLIS, () => sending.abort());
    this.#sending = sending;
    try {
      await transport.send(letter, order, sending.signal);
    } catch (error) {
      return await this.#fail(order, failureOf(error));
    } finally {
      cancel();
      this.#sending = undefined;
    }
    log.info(factsOf(order), 'a mail was sent');
    this.#noteServer(undefined);
    await this.#settle(order, () => queue.finish(order));
    return 'sent';
  }

  async #fail(order: ClaimedOrder, { kind, detail }: SmtpFailure): Promise<MailOutcome> {
    const { log, queue } = this.parts;
    if (this.#stopping.signal.aborted) {
      await this.#settle(order, () => queue.postpone(order, 0));
      return 'postponed';
    }
    this.#noteServer(kind === 'away' ? detail : undefined);
    if (kind === 'refused') {
      log.error({ ...factsOf(order), ...detail }, 'a mail was refused');
      await this.#settle(order, () => queue.finish(order));
      return 'refused';
    }
    if (kind === 'deferred') {
      log.info({ ...factsOf(order), ...detail }, 'a mail was deferred');
    }
    return this.#postpone(order);
  }

  async #postpone(order: ClaimedOrder): Promise<MailOutcome> {
    const pause = Math.min(FIRST_PAUSE_MILLIS * 2 ** (order.attempts - 1), LONGEST_PAUSE_MILLIS);
    await this.#settle(order, () => this.parts.queue.postpone(order, pause));
    return 'postponed';
  }

  /** Once for each time that the mail server is away, not for each mail. */
  #noteServer(away: SmtpFailure['detail'] | undefined): void {
    const { log } = this.parts;
    if (away && !this.#isServerAway) {
      log.warn(away, 'the mail server cannot be used: mails wait');
    }
    if (!away && this.#isServerAway) {
      log.info('the mail server can be used again');
    }
    this.#isServerAway = away !== undefined;
    this.#isResting = this.#isServerAway;
  }

  #noteDatabase(err: unknown): undefined {
    if (!this.#isDatabaseAway) {
      this.parts.log.warn({ err }, 'mails wait for the database');
    }
    this.#isDatabaseAway = true;
  }

  /**
   * Records what became of an order, again and again if the database does not take it: a sent mail must not be sent twice for
   * a lost connection. When the claim ends, it is.
   */
  async #settle(order: ClaimedOrder, record: () => Promise<void>): Promise<void> {
    const { clock, log } = this.parts;
    const isRecorded = await repeat(record, {
      clock,
      signal: this.#stopping.signal,
      pauseMillis: REPEAT_MILLIS,
      maxMillis: CLAIM_MILLIS,
      onFailure: (err) => this.#noteDatabase(err),
    });
    if (!isRecorded) {
      log.warn(factsOf(order), 'the end of a mail was not recorded: it will be tried again');
    }
  }
}

/** An order in the log. Neither the address nor the facts are there. */
const factsOf = ({ id, order, attempts }: ClaimedOrder) => ({ mail: id, kind: order.kind, attempts });
