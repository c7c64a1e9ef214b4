import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isDuplicateKey } from '../database/database-errors.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { emailKey, newId } from '../models/account.model.ts';
import type { AuditEvent, AuditEventModel, AuditedAct } from '../models/audit-event.model.ts';
import type { Caller } from './caller.ts';

/** What an event is about; filled in while it happens. */
export interface AuditSubject {
  act: AuditedAct;
  email?: string;
  accountId?: string;
}

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
  #writing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  /** @param retentionMillis how long an event is kept; undefined: for ever */
  constructor(
    private readonly events: AuditEventModel,
    private readonly retentionMillis: number | undefined,
    private readonly log: Logger,
  ) {}

  /**
   * Does what is to be told of later, and remembers how it ended.
   * @param act may fill in what the subject turns out to be
   * @throws what `act` throws
   */
  async tell<T>(
    subject: AuditSubject,
    caller: Caller,
    act: (subject: AuditSubject) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await act(subject);
      this.#add(subject, caller, null);
      return result;
    } catch (error) {
      this.#add(subject, caller, reasonOf(error));
      throw error;
    }
  }

  /** Writes what waits. What the database does not take goes to the log: a stop loses nothing. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    for (const event of this.#waiting.splice(0)) this.log.error({ event }, 'an audit event was not written');
  }

  #add(subject: AuditSubject, caller: Caller, reason: string | null): void {
    if (subject.accountId !== undefined) caller.identify(subject.accountId);
    if (this.#waiting.length >= MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(this.#eventOf(subject, caller, reason));
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  #eventOf({ act, accountId, email }: AuditSubject, caller: Caller, reason: string | null): AuditEvent {
    const at = new Date();
    return {
      _id: newId(),
      at,
      act,
      outcome: reason === null ? 'success' : 'failure',
      reason,
      accountId: accountId ?? null,
      emailDigest: email === undefined ? null : emailDigest(email),
      ip: caller.ip,
      userAgent: caller.userAgent?.slice(0, USER_AGENT_CHARACTERS) ?? null,
      door: caller.door,
      requestId: caller.requestId,
      expiresAt: this.retentionMillis === undefined ? null : new Date(at.getTime() + this.retentionMillis),
    };
  }

  /** Until nothing waits, or the trail is closed and the database away. */
  async #writeAll(): Promise<void> {
    let pauseMillis = GATHER_MILLIS;
    while (this.#waiting.length > 0) {
      await sleep(pauseMillis, undefined, { signal: this.#closing.signal }).catch(() => {});
      const isWritten = await this.#writeSome();
      if (!isWritten && this.#closing.signal.aborted) return;
      pauseMillis = isWritten ? GATHER_MILLIS : RETRY_MILLIS;
    }
  }

  /** @returns false where the database is away: the same again later */
  async #writeSome(): Promise<boolean> {
    const batch = this.#waiting.slice(0, MOST_AT_ONCE);
    try {
      await this.events.insertMany(batch, { ordered: false, lean: true });
    } catch (err) {
      if (isDatabaseAway(err)) return false;
      // Those of an attempt that had no answer may be there already.
      if (!isDuplicateKey(err, '_id')) this.log.error({ err }, 'some audit events were not written');
    }
    this.#waiting.splice(0, batch.length);
    if (this.#lost > 0)
      this.log.error({ lost: this.#lost }, 'audit events were lost while the database was away');
    this.#lost = 0;
    return true;
  }
}

/** Only an error of ours has a text that is known to hold nothing of what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'unexpected error';
  return error.detail ?? error.message;
}
