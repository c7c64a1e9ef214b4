import type { AdministeredAccount, StoredAccount } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { RunningWork } from '../../system/running-work.ts';
import type { Actor, Caller } from '../caller.ts';
import { RunningAct } from '../running-act.ts';
import type { AuditSubject, AuditTrail, Recorded, RecordedOutcome } from './audit-trail.ts';

/** Runs the acts of callers: within the time of the request, to their end, and with an event in the audit trail. */
export class RecordedActs {
  /** @param running work that continues after its caller has closed the connection */
  constructor(
    private readonly audit: AuditTrail,
    private readonly running: RunningWork,
  ) {}

  /**
   * Runs an act and records its outcome.
   * @throws what `act` throws; ServiceUnavailableError when the time of the request is over
   */
  record<T>(
    subject: AuditSubject,
    caller: Caller,
    act: (note: EventNote) => Promise<RecordedOutcome<T>>,
  ): Promise<T> {
    return this.complete(caller, () => this.audit.record(subject, caller, act));
  }

  /**
   * Runs a check before an act, and records only a refusal: an act that passes has one event, at its end.
   * @throws what `check` throws
   */
  async recordRefusal(subject: AuditSubject, caller: Caller, check: () => Promise<unknown>): Promise<void> {
    try {
      await check();
    } catch (refusal) {
      void this.audit.write(subject, caller, refusal);
      throw refusal;
    }
  }

  /**
   * Waits for a recorded act within the time of the request. The act is finished or undone even if its caller has gone. Its
   * event is written before the answer, so that a kill does not lose it.
   * @throws what `act` throws; ServiceUnavailableError when the time of the request is over; UnknownOutcome in place of both if the
   *   act may have happened ({@link RunningAct})
   */
  async complete<T>(caller: Caller, act: () => Promise<Recorded<T>>): Promise<T> {
    const running = new RunningAct(caller.timeBudget);
    const { result, written } = await caller.timeBudget
      .within(() => this.running.add(running.run(act)))
      .catch((error: unknown) => {
        throw running.asAnswer(error);
      });
    // The act has succeeded. If the database does not take the event, the answer is late, but the same.
    await caller.timeBudget.within(() => written).catch(() => {});
    return result;
  }
}

/**
 * Runs an operator's act. Its event is written before this returns.
 * @throws what `act` throws; the trail then has a failure
 */
export async function recordedByOperator<T>(
  audit: AuditTrail,
  subject: AuditSubject,
  actor: Actor,
  act: (note: EventNote) => Promise<RecordedOutcome<T>>,
): Promise<T> {
  const { result, written } = await audit.record(subject, actor, act);
  await written;
  return result;
}

/** Says whose event it is, as soon as that is known: the trail has it of a failure, too. */
export function nameAccount(
  subject: AuditSubject,
  { _id, email }: Pick<StoredAccount, '_id' | 'email'>,
): void {
  subject.accountId = _id;
  subject.email = email;
}

/** The subject of an act on an account. */
export const accountSubject = (
  act: AuditedAct,
  { id, email }: Pick<AdministeredAccount, 'id' | 'email'>,
): AuditSubject => ({
  act,
  email,
  accountId: id,
});
