import { createHash } from 'node:crypto';
import { isDatabaseAway } from '../../database/database-errors.ts';
import { InvalidCredentialsError } from '../../errors/errors.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { emailKey, newId } from '../../models/account.model.ts';
import type { AuditEvent, AuditedAct } from '../../models/audit-event.model.ts';
import type { Logger } from '../../system/log.ts';
import type { Caller } from '../caller.ts';
import { type AuditEvents, AuditWriter } from './audit-writer.ts';
import { RefusalSums } from './refusal-sums.ts';

/** What an event is about. The act fills in what it finds out. */
export interface AuditSubject {
  act: AuditedAct;
  email?: string;
  accountId?: string;
  /** The one token that was issued or revoked. Never an id that a caller sent: it may be a whole token. */
  tokenId?: string;
  /** How many tokens were revoked, for acts that may revoke several. */
  revoked?: number;
  /** Why nothing was changed, if the answer is no error. */
  failure?: string;
  /** Why the gateway acted by itself. */
  cause?: string;
}

/** What an event says about its caller. */
export type AuditedCaller = Pick<Caller, 'door' | 'ip' | 'requestId' | 'userAgent' | 'identify'> & {
  /** The system user who ran the command line. */
  operator?: string;
};

/** The result of an act that has succeeded. */
export interface Recorded<T> {
  result: T;
  /** Resolves when the first attempt to write the event has ended. It never rejects. */
  written: Promise<void>;
}

/** Called once for each act, refusals included; `error` is undefined on success. */
export type AuditObserver = (event: AuditEvent, error: unknown) => void;

const USER_AGENT_CHARACTERS = 256;

/** The form of an e-mail in the trail, which has no e-mail in clear: SHA-256 of its key, in hex. */
export const emailDigest = (email: string): string =>
  createHash('sha256').update(emailKey(email)).digest('hex');

/**
 * Records who did what, and when (OWASP ASVS 16.3.1). A success is recorded after it has happened, and callers wait for
 * its event before they answer. Failures are written after the answer. Failures that are cheap to repeat are summed up.
 */
export class AuditTrail {
  readonly #writer: AuditWriter;
  readonly #refusals: RefusalSums;

  /**
   * @param retentionMillis how long an event is kept; undefined: for ever
   * @param observe called for each act
   */
  constructor(
    events: AuditEvents,
    private readonly retentionMillis: number | undefined,
    log: Logger,
    private readonly observe: AuditObserver = () => {},
  ) {
    this.#writer = new AuditWriter(events, log);
    this.#refusals = new RefusalSums(this.#writer);
  }

  /** How many events are not written yet, and how many were lost because too many were waiting. */
  get backlog(): { waiting: number; lost: number } {
    return this.#writer.backlog;
  }

  /**
   * Runs an act and records its outcome.
   * @param act may fill in the subject
   * @returns the result as soon as it exists, and a promise for the write of its event
   * @throws what `act` throws
   */
  async record<T>(
    subject: AuditSubject,
    caller: AuditedCaller,
    act: (subject: AuditSubject) => Promise<T>,
  ): Promise<Recorded<T>> {
    let result: T;
    try {
      result = await act(subject);
    } catch (error) {
      void this.#add(subject, caller, error);
      throw error;
    }
    return { result, written: this.#add(subject, caller) };
  }

  /** Records a part of another act. Its event is written before that of the other act, or with it. */
  note(subject: AuditSubject, caller: AuditedCaller): void {
    void this.#add(subject, caller);
  }

  /**
   * Writes all waiting events and sums. Those that the database does not take go to the log, so a stop loses nothing.
   * Later events, of requests that were cut off, go to the log too.
   */
  async close(): Promise<void> {
    this.#refusals.close();
    await this.#writer.close();
  }

  /** @returns a promise for the write of a success; resolved at once for a refusal */
  #add(subject: AuditSubject, caller: AuditedCaller, error?: unknown): Promise<void> {
    if (subject.accountId !== undefined) {
      caller.identify(subject.accountId);
    }
    const event = this.#eventOf(subject, caller, error);
    this.observe(event, error);
    // A wrong password costs a hash, and the throttle limits it. All other failures are cheap to repeat.
    if (event.outcome === 'success' || error instanceof InvalidCredentialsError) {
      return this.#writer.add(event);
    }
    this.#refusals.add(event, kindOf(event, error));
    return Promise.resolve();
  }

  #eventOf(subject: AuditSubject, caller: AuditedCaller, error: unknown): AuditEvent {
    const at = new Date();
    const failure = error === undefined ? subject.failure : reasonOf(error);
    const { act, accountId, tokenId, revoked, email, cause } = subject;
    return {
      _id: newId(),
      at,
      act,
      outcome: failure === undefined ? 'success' : 'failure',
      reason: failure ?? cause ?? null,
      accountId: accountId ?? null,
      tokenId: tokenId ?? null,
      revoked: revoked ?? null,
      // An account that another program has written may have none.
      emailDigest: typeof email === 'string' ? emailDigest(email) : null,
      ip: caller.ip,
      userAgent: caller.userAgent?.slice(0, USER_AGENT_CHARACTERS) ?? null,
      door: caller.door,
      operator: caller.operator ?? null,
      requestId: caller.requestId,
      count: null,
      lastAt: null,
      expiresAt: this.retentionMillis === undefined ? null : new Date(at.getTime() + this.retentionMillis),
    };
  }
}

/** Only our own errors have texts that are known to contain nothing that was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) {
    return error.detail ?? error.message;
  }
  return isDatabaseAway(error) ? 'the database does not answer' : 'unexpected error';
}

/** The kind by which refusals are summed: the code of our own error, because its reason may contain figures. */
const kindOf = ({ reason }: AuditEvent, error: unknown): string =>
  error instanceof ServiceError ? error.code : `${reason}`;
