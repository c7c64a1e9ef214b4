import type { RunningWork } from '../system/running-work.ts';
import type { AuditSubject, AuditTrail, Outcome, Recorded } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';

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
  record<T>(subject: AuditSubject, caller: Caller, act: () => Promise<Outcome<T>>): Promise<T> {
    return this.answer(caller, () => this.audit.record(subject, caller, act));
  }

  /**
   * Waits for a recorded act within the time of the request. The act is finished or undone even if its caller has gone. Its
   * event is written before the answer, so that a kill does not lose it.
   */
  async answer<T>(caller: Caller, act: () => Promise<Recorded<T>>): Promise<T> {
    const { result, written } = await caller.timeBudget.within(() => this.running.add(act()));
    // The act has succeeded. If the database does not take the event, the answer is late, but the same.
    await caller.timeBudget.within(() => written).catch(() => {});
    return result;
  }
}
