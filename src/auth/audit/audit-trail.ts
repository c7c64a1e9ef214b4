import { isAnswerLost, isDatabaseAway } from '../../database/database-errors.ts';
import { newId } from '../../stores/accounts.ts';
import { type AuditEvent, type AuditedAct, ruleOf } from '../../stores/audit-events.ts';
import { emailDigest } from '../../stores/email-key.ts';
import type { EventNote, EventNoteStores } from '../../stores/event-notes.ts';
import type { EventType } from '../../stores/events.ts';
import type { Clock } from '../../system/clock.ts';
import {
  InvalidCredentialsError,
  InvalidPasskeyError,
  InvalidProofError,
  ServiceError,
  TwoFactorRequiredError,
} from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { Actor } from '../caller.ts';
import { typeOf } from '../events/published-acts.ts';
import { type AuditEventLog, AuditWriter } from './audit-writer.ts';
import { RefusalSums } from './refusal-sums.ts';

/** The facts of an event that are known only after the act. */
interface AuditFacts {
  email?: string;
  accountId?: string;
  /** The account that acts on that one, such as a reviewer. */
  byAccountId?: string | undefined;
  /** The one token that was issued or revoked. Never an id that a caller sent: it may be a whole token. */
  tokenId?: string;
  /** How many tokens were revoked, for acts that may revoke several. */
  revoked?: number;
  /** The service that acted. Never an id that is unknown: it may be a secret. */
  service?: string;
  /** Why nothing was changed, if the answer is no error. */
  failure?: string;
  /** Why the gateway acted by itself, or what was decided. */
  cause?: string;
  /** The type under which services hear of it, where the act does not say it; null if nothing has changed. */
  published?: EventType | null;
  /** The one token that the act has ended, if it is not `tokenId`. */
  endedTokenId?: string;
}

/** The subject of an event. */
export interface AuditSubject extends AuditFacts {
  act: AuditedAct;
  /** The id of the event, for an act that may be repeated and must have one event. */
  eventId?: string;
  /** When it happened; by default now. */
  at?: Date;
}

/** The outcome of an act: its result, and the facts for its event. */
export interface RecordedOutcome<T> {
  result: T;
  facts?: AuditFacts;
}

/** The result of an act that has succeeded. */
export interface Recorded<T> {
  result: T;
  /** Resolves when the first attempt to write the event has ended. It never rejects. */
  written: Promise<void>;
}

/** Called once for each act, refusals included; `error` is undefined on success. */
export type AuditObserver = (event: AuditEvent, error: unknown, actor: Actor) => void;

interface AuditTrailParts {
  auditEvents: AuditEventLog;
  /** How long an event is kept; undefined: for ever. */
  auditRetentionMillis: number | undefined;
  clock: Clock;
  log: Logger;
  auditObservers?: AuditObserver[];
  /** Where acts have noted their events (event-notes.ts); undefined: nowhere. */
  eventNotes?: EventNoteStores;
}

const USER_AGENT_CHARACTERS = 256;
const HOUR_MILLIS = 3_600_000;

/**
 * Records who did what, and when (OWASP ASVS 16.3.1). A success is recorded after it has happened, and callers wait for
 * its event before they answer. Failures are written after the answer. Failures that are cheap to repeat are summed up
 * by the minute, and so is what reviewers read; the authentications of services by the hour.
 */
export class AuditTrail {
  readonly #writer: AuditWriter;
  readonly #refusals: RefusalSums;
  readonly #services: RefusalSums;
  readonly #forwarded: RefusalSums;
  readonly #readings: RefusalSums;
  readonly #onStored: ((events: readonly AuditEvent[]) => void)[] = [];

  constructor(private readonly parts: AuditTrailParts) {
    this.#writer = new AuditWriter({
      ...parts,
      onStored: (events) => {
        for (const listener of this.#onStored) {
          listener(events);
        }
      },
    });
    this.#refusals = new RefusalSums(this.#writer, parts.clock);
    this.#services = new RefusalSums(this.#writer, parts.clock, HOUR_MILLIS);
    // Of their own: a proxy asks about each request of its callers, and these must not use up the sums of other refusals.
    this.#forwarded = new RefusalSums(this.#writer, parts.clock);
    this.#readings = new RefusalSums(this.#writer, parts.clock);
  }

  /** How many events are not written yet, and how many were lost because too many were waiting. */
  get backlog(): { waiting: number; lost: number } {
    return this.#writer.backlog;
  }

  /** Adds a listener that is called with events that are stored. */
  onStored(listener: (events: readonly AuditEvent[]) => void): void {
    this.#onStored.push(listener);
  }

  /**
   * Runs an act and records its outcome.
   * @param act gets the note about its event, for the update that makes a change which nobody would repeat
   * @returns the result as soon as it exists, and a promise for the write of its event
   * @throws what `act` throws
   */
  async record<T>(
    subject: AuditSubject,
    actor: Actor,
    act: (note: EventNote) => Promise<RecordedOutcome<T>>,
  ): Promise<Recorded<T>> {
    const note = { id: newId(), act: subject.act, at: new Date(this.parts.clock.now()) };
    try {
      const { result, facts } = await act(note);
      const event = this.#eventOf({ eventId: note.id, ...subject, ...facts }, actor, undefined);
      const isStored = this.#write(event, actor, undefined);
      return { result, written: isStored.then((stored) => (stored ? this.#forget(event) : undefined)) };
    } catch (error) {
      void this.write({ eventId: note.id, ...subject }, actor, error);
      throw error;
    }
  }

  /**
   * Records the outcome of an act.
   * @param error undefined on success
   * @returns for a success, a promise for the end of the first attempt to write its event; for a failure, it resolves at once
   */
  async write(subject: AuditSubject, actor: Actor, error?: unknown): Promise<void> {
    await this.#write(this.#eventOf(subject, actor, error), actor, error);
  }

  /** @returns true if the event is stored now */
  #write(event: AuditEvent, actor: Actor, error: unknown): Promise<boolean> {
    for (const observe of this.parts.auditObservers ?? []) {
      observe(event, error, actor);
    }
    if (this.#isSummed(event)) {
      return Promise.resolve(false);
    }
    if (event.outcome !== 'failure' || isWrittenAlone(event, error)) {
      return this.#writer.add(event);
    }
    this.#refusals.add(event, kindOf(event, error));
    return Promise.resolve(false);
  }

  /** Removes the note about an event that is stored. If that fails, the next run of noted-changes.ts does it. */
  async #forget({ _id: id, act, accountId, unpublished }: AuditEvent): Promise<void> {
    const { eventNotes, log } = this.parts;
    const { noted } = ruleOf(act);
    if (eventNotes && unpublished && accountId !== null && noted) {
      const removals = noted.map((store) => eventNotes[store].remove([{ id, accountId }]));
      await Promise.all(removals).catch((err: unknown) => {
        log.debug({ err, event: id }, 'the note about an event was not removed yet');
      });
    }
  }

  /** Adds an event to the sums of its act. One event for each of these would hide all others. */
  #isSummed(event: AuditEvent): boolean {
    const { act, outcome, service, byAccountId, reason } = event;
    if (act === 'service authentication' && outcome === 'success') {
      this.#services.add(event, `${service}`);
    } else if (act === 'forward authentication') {
      this.#forwarded.add(event, `${reason}`);
    } else if (act === 'reading' && outcome === 'success' && byAccountId !== null) {
      // A sum for each person, so that the trail says whom they have read about.
      this.#readings.add(event, [byAccountId, event.accountId, reason].join(' '));
    } else {
      return false;
    }
    return true;
  }

  /**
   * Writes all waiting events and sums. Those that the database does not take go to the log, so a stop loses nothing.
   * Later events, of requests that were cut off, go to the log too.
   */
  async close(): Promise<void> {
    this.#refusals.close();
    this.#services.close();
    this.#forwarded.close();
    this.#readings.close();
    await this.#writer.close();
  }

  #eventOf(subject: AuditSubject, actor: Actor, error: unknown): AuditEvent {
    const { clock, auditRetentionMillis } = this.parts;
    const at = subject.at ?? new Date(clock.now());
    const failure = error === undefined ? subject.failure : reasonOf(error);
    const { act, eventId, accountId, byAccountId, tokenId, revoked, email, cause, service } = subject;
    const outcome = failure === undefined ? 'success' : mayBeDone(act, error) ? 'unknown' : 'failure';
    // After a defect nobody knows what was changed. Services look at the state, so one event too many does no harm.
    const mayHaveChanged = outcome !== 'failure' || (error !== undefined && !(error instanceof ServiceError));
    const type =
      mayHaveChanged &&
      typeOf({ act, revoked: revoked ?? null, accountId: accountId ?? null }, subject.published);
    return {
      _id: eventId ?? newId(),
      at,
      act,
      outcome,
      reason: failure ?? reasonFor(cause, actor.reason),
      accountId: accountId ?? null,
      byAccountId: byAccountId ?? actor.accountId ?? null,
      tokenId: tokenId ?? null,
      revoked: revoked ?? null,
      // An account that another program has written may have none.
      emailDigest: typeof email === 'string' ? emailDigest(email) : null,
      ip: actor.ip,
      userAgent: actor.userAgent?.slice(0, USER_AGENT_CHARACTERS) ?? null,
      channel: actor.channel,
      operator: actor.operator ?? null,
      systemUser: actor.systemUser ?? null,
      service: service ?? null,
      requestId: actor.requestId,
      count: null,
      lastAt: null,
      expiresAt: auditRetentionMillis === undefined ? null : new Date(at.getTime() + auditRetentionMillis),
      ...(type && {
        unpublished: {
          type,
          token: type === 'sessions.revoked' ? (subject.endedTokenId ?? tokenId ?? null) : null,
        },
      }),
    };
  }
}

/** What the gateway knows, and what an operator has said. */
const reasonFor = (...texts: (string | undefined)[]): string | null =>
  texts.filter((text) => text !== undefined).join(': ') || null;

/** True if the act may have been done although it failed: the database has not answered a command. */
const mayBeDone = (act: AuditedAct, error: unknown): boolean =>
  !ruleOf(act).leavesNothing && isAnswerLost(error instanceof ServiceError ? error.cause : error);

/** Only the texts of a ServiceError are known to contain nothing that was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) {
    return error.detail ?? error.message;
  }
  return isDatabaseAway(error) ? 'the database does not answer' : 'unexpected error';
}

/** The kind by which refusals are summed: the code of a ServiceError, because its reason may contain figures. That of a passkey says more. */
const kindOf = ({ reason }: AuditEvent, error: unknown): string =>
  error instanceof ServiceError && !(error instanceof InvalidPasskeyError) ? error.code : `${reason}`;

/**
 * A wrong password costs a hash, and the throttle limits it, as it does a passkey that is not accepted. A missing or wrong code comes after
 * a right one: somebody knows the password. All other failures are cheap to repeat.
 */
const isWrittenAlone = ({ accountId }: AuditEvent, error: unknown): boolean =>
  [InvalidCredentialsError, InvalidProofError, TwoFactorRequiredError].some(
    (kind) => error instanceof kind,
  ) ||
  (error instanceof InvalidPasskeyError && accountId !== null);
