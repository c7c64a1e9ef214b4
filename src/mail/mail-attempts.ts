import {
  CLAIM_MILLIS,
  type ClaimedMessage,
  MAX_PAUSE_MILLIS,
  type MessageStore,
  NOTICE_OF_CHANGE,
} from '../stores/messages.ts';
import { type Clock, pause } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { failureOf, type MailServerState, type SmtpFailure } from './mail-failures.ts';
import type { Draft, DraftMail, WrittenMessage } from './message.ts';
import { NOTICE_MILLIS } from './outbox.ts';
import type { MailTransport } from './smtp.ts';

/**
 * What became of an attempt: `sent`; `dropped`, because there was nothing to write any more; `postponed`, to be tried again;
 * `refused` for good by the mail server; `expired` after a day.
 */
export const MAIL_OUTCOMES = ['sent', 'dropped', 'postponed', 'refused', 'expired'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface AttemptParts {
  messages: MessageStore;
  draftMail: DraftMail;
  mailboxQuota: MailboxQuota;
  transport: MailTransport;
  clock: Clock;
  log: Logger;
  onMail?: ((outcome: MailOutcome) => void) | undefined;
}

/** A mail that counts at its mailbox. */
export interface QuotaShare {
  /** Takes the mail back, because it was not sent. */
  giveBack(): Promise<void>;
}

/** Bounds the mails that one mailbox gets in an hour. */
export interface MailboxQuota {
  /**
   * Counts a mail before it is sent, so that simultaneous ones cannot exceed the limit together.
   * @returns how long to wait if the mailbox has had enough
   * @throws the database's error
   */
  take(draft: Omit<Draft, 'write'>): Promise<QuotaShare | { retryAfterMillis: number }>;
}

/** A mail that has its turn at the mail server. */
export interface ReadyMessage {
  message: ClaimedMessage;
  draft: Draft;
  share: QuotaShare;
}

/** Ends a server that sends a byte now and then. With the other steps of an attempt it is far less than a claim. */
const MAX_SEND_MILLIS = 120_000;
/** The first pause of a message; each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MILLIS = 60_000;
const GIVE_UP_MILLIS = 86_400_000;
/** How soon the end of a message is written again that the database has not taken. */
const REPEAT_MILLIS = 1_000;

/** The steps from a claimed message to a mail, and what becomes of the message. */
export class MailAttempts {
  #isDatabaseUnavailable = false;

  /**
   * @param stopping ends repetitions
   * @param rest called when all mails must rest
   */
  constructor(
    private readonly parts: AttemptParts,
    private readonly server: MailServerState,
    private readonly stopping: AbortSignal,
    private readonly rest: () => void,
  ) {}

  /**
   * Finds out what a message needs. Messages that need no mail, or no mail now, end here, before they take a place at the mail server.
   * So others are not held up, and the time of their mails does not reveal whether there is an account.
   * @returns undefined if it has ended
   */
  async prepare(message: ClaimedMessage): Promise<ReadyMessage | undefined> {
    const { log, clock, messages, draftMail, mailboxQuota } = this.parts;
    if (clock.now() - message.createdAt.getTime() >= GIVE_UP_MILLIS) {
      log.error(factsOf(message), 'a mail was given up after a day');
      return this.#finish(message, 'expired');
    }
    try {
      if (message.after !== undefined && (await messages.isUntried(message.after))) {
        log.info(factsOf(message), 'a mail waits: the notice about it was not tried yet');
        return this.#end(message, 'postponed', () =>
          messages.defer(message, this.#later(FIRST_PAUSE_MILLIS)),
        );
      }
      const draft = await draftMail(message.order, message.orderedFrom);
      if (!draft) {
        log.debug(factsOf(message), 'a mail was dropped');
        return this.#finish(message, 'dropped');
      }
      const share = await mailboxQuota.take(draft);
      if ('retryAfterMillis' in share) {
        log.info(factsOf(message), 'a mail waits: its mailbox has had enough in this hour');
        return this.#end(message, 'postponed', () =>
          messages.defer(message, this.#later(share.retryAfterMillis)),
        );
      }
      return { message, draft, share };
    } catch (err) {
      return this.#endUnwritten(message, err);
    }
  }

  /**
   * Sends a mail, and records what became of it.
   * @param interrupt ends the attempt
   */
  async send({ message, draft, share }: ReadyMessage, interrupt: AbortController): Promise<void> {
    const { transport, clock, log } = this.parts;
    const cancel = clock.after(MAX_SEND_MILLIS, () => interrupt.abort());
    let written: WrittenMessage | undefined;
    try {
      written = { to: draft.to, ...(await draft.write()) };
      await transport.send(written, message, interrupt.signal);
    } catch (error) {
      await share.giveBack().catch((err: unknown) => this.noteDatabase(err));
      return await (written ? this.#fail(message, error) : this.#endUnwritten(message, error));
    } finally {
      cancel();
    }
    log.info(factsOf(message), 'a mail was sent');
    this.server.noteAnswer();
    await this.#finish(message, 'sent');
  }

  #endUnwritten(message: ClaimedMessage, err: unknown): Promise<undefined> {
    const { log, messages } = this.parts;
    log.warn({ ...factsOf(message), err }, 'a mail could not be written');
    return this.#end(message, 'postponed', () =>
      messages.postpone(message, this.#later(pauseAfter(message))),
    );
  }

  /** Logs once for each time that the database is unavailable. */
  noteDatabase(err: unknown): void {
    if (!this.#isDatabaseUnavailable) {
      this.parts.log.warn({ err }, 'mails wait for the database');
    }
    this.#isDatabaseUnavailable = true;
  }

  noteDatabaseAnswer(): void {
    this.#isDatabaseUnavailable = false;
  }

  async #fail(message: ClaimedMessage, error: unknown): Promise<void> {
    const { log, messages } = this.parts;
    if (this.stopping.aborted) {
      return void (await this.#end(message, 'postponed', () => messages.postpone(message, this.#later(0))));
    }
    const failure = failureOf(error);
    if (this.server.noteFailure(message, failure)) {
      this.rest();
    }
    if (failure.kind === 'refused') {
      log.error({ ...factsOf(message), ...failure.detail }, 'a mail was refused');
      return void (await this.#finish(message, 'refused'));
    }
    if (failure.kind !== 'unavailable') {
      log.info({ ...factsOf(message), ...failure.detail }, DEFERRED[failure.kind]);
    }
    await this.#end(message, 'postponed', async () => {
      if (isFollowed(message) && message.attempts === 1) {
        await messages.letFollow(message.id, this.#later(NOTICE_MILLIS));
      }
      await messages.postpone(message, this.#later(pauseAfter(message)));
    });
  }

  /** What waits for the message becomes due first, so that a kill in between loses nothing. */
  #finish(message: ClaimedMessage, outcome: MailOutcome): Promise<undefined> {
    const { messages } = this.parts;
    return this.#end(message, outcome, async () => {
      if (isFollowed(message)) {
        await messages.letFollow(message.id, this.#later(0));
      }
      await messages.finish(message);
    });
  }

  #later(millis: number): Date {
    return new Date(this.parts.clock.now() + millis);
  }

  /**
   * Records what became of a message, and tries again while the database is unavailable: a sent mail must not be sent twice
   * because of a lost connection. If the claim ends first, it is.
   */
  async #end(message: ClaimedMessage, outcome: MailOutcome, record: () => Promise<void>): Promise<undefined> {
    const { clock, log, onMail } = this.parts;
    const endsAt = clock.elapsed() + CLAIM_MILLIS;
    let isRecorded = await this.#succeeds(record);
    while (!isRecorded && !this.stopping.aborted && clock.elapsed() < endsAt) {
      // The signal ends the pause.
      await pause(clock, REPEAT_MILLIS, this.stopping).catch(() => {});
      isRecorded = await this.#succeeds(record);
    }
    if (!isRecorded) {
      log.warn(factsOf(message), 'the end of a mail was not recorded: it will be tried again');
    }
    onMail?.(outcome);
  }

  /** @returns false if the database is unavailable */
  #succeeds(record: () => Promise<void>): Promise<boolean> {
    return record().then(
      () => true,
      (error: unknown) => {
        this.noteDatabase(error);
        return false;
      },
    );
  }
}

const DEFERRED: Readonly<Record<Exclude<SmtpFailure['kind'], 'refused' | 'unavailable'>, string>> = {
  deferred: 'a mail was deferred',
  broken: 'a mail was deferred: the mail server gave no answer',
};

/** True if another message waits for this one. */
export const isFollowed = ({ order }: ClaimedMessage): boolean => order.kind === NOTICE_OF_CHANGE;

const pauseAfter = ({ attempts }: ClaimedMessage): number =>
  Math.min(FIRST_PAUSE_MILLIS * 2 ** (attempts - 1), MAX_PAUSE_MILLIS);

/** A message in the log. Neither the address nor the facts are there. */
const factsOf = ({ id, order, attempts }: ClaimedMessage) => ({ mail: id, kind: order.kind, attempts });
