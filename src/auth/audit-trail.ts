import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, refusedInserts } from '../database/database-errors.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { emailKey, newId } from '../models/account.model.ts';
import type { AuditEvent, AuditedAct } from '../models/audit-event.model.ts';
import type { Caller } from './caller.ts';

/** What an event is about; filled in while it happens. */
export interface AuditSubject {
  act: AuditedAct;
  email?: string;
  accountId?: string;
  /** Why nothing came of it, where that is an answer and no error. */
  failure?: string;
}

/** What is told of a caller. */
export type AuditedCaller = Pick<Caller, 'door' | 'ip' | 'requestId' | 'userAgent' | 'identify'>;

/** Where events are written to: their model. */
interface AuditEvents {
  insertMany(events: AuditEvent[], options: { ordered: false; lean: true }): Promise<unknown>;
}

/** Is told of everything that is, as it happens; `error` is undefined where it went well. */
export type AuditObserver = (event: AuditEvent, error: unknown) => void;

/** How long events are gathered, so that a busy minute is a few writes. */
const GATHER_MILLIS = 200;
const RETRY_MILLIS = 1_000;
const MOST_AT_ONCE = 500;
/** Some megabytes: what may wait while the database is away. */
const MOST_WAITING = 10_000;
const USER_AGENT_CHARACTERS = 256;

/** How an e-mail is found in the trail, which has no e-mail in clear: SHA-256 of its key, in hex. */
export const emailDigest = (email: string): string =>
  createHash('sha256').update(emailKey(email)).digest('hex');

/**
 * Who did what, and when (OWASP ASVS 16.3.1). Events are written behind the answers, in the order in which they happened,
 * and wait while the database is away.
 */
export class AuditTrail {
  readonly #waiting: AuditEvent[] = [];
  #lost = 0;
  #lostAndTold = 0;
  #isStuck = false;
  #writing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  /**
   * @param retentionMillis how long an event is kept; undefined: for ever
   * @param observe is told of each event
   */
  constructor(
    private readonly events: AuditEvents,
    private readonly retentionMillis: number | undefined,
    private readonly log: Logger,
    private readonly observe: AuditObserver = () => {},
  ) {}

  /** How many events are waiting to be written, and how many were lost because too many were. */
  get backlog(): { waiting: number; lost: number } {
    return { waiting: this.#waiting.length, lost: this.#lost };
  }

  /**
   * Does what is to be told of later, and remembers how it ended.
   * @param act may fill in what the subject turns out to be
   * @throws what `act` throws
   */
  async tell<T>(
    subject: AuditSubject,
    caller: AuditedCaller,
    act: (subject: AuditSubject) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await act(subject);
      this.#add(subject, caller);
      return result;
    } catch (error) {
      this.#add(subject, caller, error);
      throw error;
    }
  }

  /**
   * Writes what waits. What the database does not take goes to the log: a stop loses nothing. So does what is told of
   * later, by requests that were cut off.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  #add(subject: AuditSubject, caller: AuditedCaller, error?: unknown): void {
    if (subject.accountId !== undefined) caller.identify(subject.accountId);
    const reason = error === undefined ? (subject.failure ?? null) : reasonOf(error);
    const event = this.#eventOf(subject, caller, reason);
    this.observe(event, error);
    if (this.#waiting.length >= MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(event);
    this.#writing ??= this.#writeAll();
  }

  #eventOf(
    { act, accountId, email }: AuditSubject,
    caller: AuditedCaller,
    reason: string | null,
  ): AuditEvent {
    const at = new Date();
    return {
      _id: newId(),
      at,
      act,
      outcome: reason === null ? 'success' : 'failure',
      reason,
      accountId: accountId ?? null,
      // An account that another program has written may have none.
      emailDigest: typeof email === 'string' ? emailDigest(email) : null,
      ip: caller.ip,
      userAgent: caller.userAgent?.slice(0, USER_AGENT_CHARACTERS) ?? null,
      door: caller.door,
      requestId: caller.requestId,
      expiresAt: this.retentionMillis === undefined ? null : new Date(at.getTime() + this.retentionMillis),
    };
  }

  /** Until nothing waits. */
  async #writeAll(): Promise<void> {
    let pauseMillis = GATHER_MILLIS;
    while (this.#waiting.length > 0) {
      await sleep(pauseMillis, undefined, { signal: this.#closing.signal }).catch(() => {});
      const isWritten = await this.#writeSome();
      if (!isWritten && this.#closing.signal.aborted) this.#logAll();
      pauseMillis = isWritten ? this.#pauseMillis() : RETRY_MILLIS;
    }
    // In the same step as the last look: what is added between the two would wait for the event after it.
    this.#writing = undefined;
  }

  #pauseMillis(): number {
    return this.#waiting.length < MOST_AT_ONCE ? GATHER_MILLIS : 0;
  }

  /** @returns false where it is not known to be written: the same again later */
  async #writeSome(): Promise<boolean> {
    const batch = this.#waiting.slice(0, MOST_AT_ONCE);
    try {
      await this.events.insertMany(batch, { ordered: false, lean: true });
    } catch (err) {
      // Those of an attempt that had no answer may be there already, which is no refusal.
      const refused = refusedInserts(err);
      if (refused === undefined) {
        this.#tellStuck(err);
        return false;
      }
      if (refused.length > 0) this.log.error({ err }, 'the database refused audit events');
      this.#logUnwritten(batch.filter((_, index) => refused.includes(index)));
    }
    this.#isStuck = false;
    this.#waiting.splice(0, batch.length);
    this.#tellOfLost();
    return true;
  }

  /** Once for each time that the database is away, not for each attempt. */
  #tellStuck(err: unknown): void {
    if (!this.#isStuck) this.log.warn({ err }, 'audit events wait for the database');
    this.#isStuck = true;
  }

  #logAll(): void {
    this.#logUnwritten(this.#waiting.splice(0));
    this.#tellOfLost();
  }

  #logUnwritten(events: AuditEvent[]): void {
    for (const event of events) this.log.error({ event }, 'an audit event was not written');
  }

  #tellOfLost(): void {
    const lost = this.#lost - this.#lostAndTold;
    if (lost === 0) return;
    this.log.error({ lost }, 'audit events were lost while the database was away');
    this.#lostAndTold = this.#lost;
  }
}

/** Only an error of ours has a text that is known to hold nothing of what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.detail ?? error.message;
  return isDatabaseAway(error) ? 'the database does not answer' : 'unexpected error';
}
