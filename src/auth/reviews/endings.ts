import { newId } from '../../stores/accounts.ts';
import { type DoctorProfile, type DoctorStore, ENDING_MILLIS, endOf } from '../../stores/doctors.ts';
import { DAY_MILLIS } from '../../system/calendar.ts';
import { type Clock, repeat, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { gatewayActor } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';

interface EndingsParts {
  doctors: DoctorStore;
  notices: OwnerNotices;
  audit: AuditTrail;
  clock: Clock;
  log: Logger;
}

const MINUTE_MILLIS = 60_000;
const BATCH_SIZE = 100;
/** The second mail comes so long before the end. */
const REMINDER_MILLIS = 7 * DAY_MILLIS;

/**
 * Tells doctors and services that a verification ends, and services that it has ended. It only tells: who is verified follows from the time.
 *
 * `tellAt` of a profile is the next moment to tell: the decision, or 60 days before the end if that is later, then 7 days before it, then the
 * end. An instance moves it and notes the event in one write, so each event comes once, and no kill loses it.
 */
export class VerificationEndings {
  constructor(private readonly parts: EndingsParts) {}

  /** Tells every minute. Two instances may do it at the same time. */
  schedule(): Schedule {
    return repeat((signal) => this.run(signal), MINUTE_MILLIS, this.parts.clock);
  }

  /** It never rejects. What is left is tried again. */
  async run(signal?: AbortSignal): Promise<void> {
    const { doctors, clock, log } = this.parts;
    try {
      let found: DoctorProfile[];
      do {
        found = await doctors.toBeTold(new Date(clock.now()), BATCH_SIZE);
        for (const profile of found) {
          await this.#tell(profile);
        }
      } while (found.length === BATCH_SIZE && !signal?.aborted);
    } catch (err) {
      log.warn({ err }, 'some ends of verifications are not told yet');
    }
  }

  async #tell(profile: DoctorProfile): Promise<void> {
    const { doctors, notices, audit, clock } = this.parts;
    const now = clock.now();
    const accountId = profile._id;
    const dueAt = profile.tellAt?.getTime() ?? now;
    const end = endOf(profile);
    if (!end) {
      // An earlier version, which knows no ends, has decided since.
      await doctors.noteTold(profile, undefined);
      return;
    }
    const marks = [ENDING_MILLIS, REMINDER_MILLIS, 0].map((before) => end.getTime() - before);
    const last = marks.findLast((mark) => mark <= now) ?? dueAt;
    const next = marks.find((mark) => mark > now);
    // Of two mails that are late, one is enough; and none is sent whose time was over when the end was given.
    if (next !== undefined && last >= dueAt) {
      await notices.ofEnd(accountId, end, last);
    }
    const isReminder = dueAt === end.getTime() - REMINDER_MILLIS && next !== undefined;
    const act = next === undefined ? 'verification end' : 'verification notice';
    const note = isReminder ? undefined : ({ id: newId(), act, at: new Date(now) } as const);
    const isTold = await doctors.noteTold(profile, next === undefined ? undefined : new Date(next), note);
    if (note && isTold) {
      const { id: eventId, at } = note;
      const facts = { cause: `until ${end.toISOString()}` };
      const done = async () => ({ result: undefined, facts });
      await (await audit.record({ act, eventId, at, accountId }, gatewayActor(), done)).written;
    }
  }
}
