import type { DocumentStore } from '../../documents/document-store.ts';
import { type Account, type AccountStore, MAX_ID_CHARACTERS, ROLES } from '../../stores/accounts.ts';
import { inCommon } from '../../stores/doctor-matches.ts';
import { type DoctorStore, endOf, statusAt, type VerificationStatus } from '../../stores/doctors.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import { dayAfter, dayAt, endOfDay, isCalendarDate } from '../../system/calendar.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { NotFoundError, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditSubject, AuditTrail, Recorded } from '../audit/audit-trail.ts';
import type { Actor, Caller } from '../caller.ts';
import { finishChange } from '../corrections.ts';
import { againIfOvertaken } from '../overtaken-writes.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import { commit } from '../running-act.ts';
import {
  causeOf,
  givenEnd,
  mailedStatus,
  REVIEW_DECISIONS,
  type Review,
  type ReviewDecision,
  typeOfDecision,
  verificationAfter,
} from './decisions.ts';
import { type LicenseRule, licenseFitsOf } from './license-rules.ts';
import { type DoctorsPage, type DoctorsQuery, type ReviewedDoctor, ReviewQueue } from './review-queue.ts';

interface ReviewsParts {
  accounts: AccountStore;
  doctors: DoctorStore;
  documents: DocumentStore;
  audit: AuditTrail;
  notices: OwnerNotices;
  /** TIME_ZONE, in which the days of verifications end. */
  timeZone: string;
  /** VERIFICATION_DAYS: how long a verification lasts of which nothing is said; undefined: for ever. */
  verificationDays: number | undefined;
  /** LICENSE_RULES_FILE. */
  licenseRules: readonly LicenseRule[];
  clock: Clock;
  log: Logger;
}

/** The others that are shown with a doctor. */
export const MAX_OTHERS = 5;

/** The review of doctors, for reviewers and for operators. Its callers check that the actor may do so. */
export class Reviews {
  readonly #queue: ReviewQueue;

  constructor(private readonly parts: ReviewsParts) {
    const { accounts, doctors, notices, clock, licenseRules } = parts;
    this.#queue = new ReviewQueue(accounts, doctors, notices, clock, licenseRules);
  }

  /**
   * The doctors of a status, the oldest documents first. Doctors whose account is disabled are left out.
   * @throws ValidationError on `after`
   */
  page(query: DoctorsQuery): Promise<DoctorsPage> {
    return this.#queue.page(query);
  }

  /**
   * @param id any text
   * @param disabledToo whether the account may be disabled
   * @throws NotFoundError when no such account of a doctor has the id, or it cannot be shown
   */
  async find(id: string, disabledToo = false): Promise<ReviewedDoctor> {
    const { doctors } = this.parts;
    const profile = id.length <= MAX_ID_CHARACTERS ? await doctors.find(id) : undefined;
    // A kill may have kept the account from a change.
    const profiles = profile ? [await doctors.finishAccountChange(profile)] : [];
    const [doctor] = await this.#queue.withAccounts(profiles, disabledToo);
    if (!doctor) {
      throw new NotFoundError('No doctor has this id.');
    }
    return doctor;
  }

  /**
   * A doctor in whatever state, with up to five others in whatever state who have the same license number or document.
   * @throws what {@link find} throws
   */
  async findWithOthers(id: string): Promise<ReviewedDoctor> {
    const doctor = await this.find(id, true);
    const found = await this.parts.doctors.matching(doctor.profile);
    const others = await this.#queue.withAccounts(found, true);
    const compared = others.map((other) => ({ ...other, ...inCommon(doctor.profile, other.profile) }));
    return { ...doctor, others: compared.slice(0, MAX_OTHERS) };
  }

  /**
   * Decides on a doctor. Documents that were submitted again replace those of the last decision. Of a verified doctor with a
   * proposal, an approval applies it and a rejection drops it; the end stays, unless the proposal renews it. The doctor gets a mail.
   * @param byAccountId the account of the reviewer; undefined for an operator, whom the actor names
   * @returns the doctor after the decision; `written` also waits for the mail and the removal of the replaced documents
   * @throws NotFoundError; ValidationError on `revision` if the doctor has changed since, on `decision` if the status does not
   *   allow it, on `documents` and `grounds` if it is no rejection that has them, on `until` if it is no day from today on, or gives no verification
   */
  async decide(review: Review, actor: Actor, byAccountId?: string): Promise<Recorded<ReviewedDoctor>> {
    const subject: AuditSubject = { act: 'review', byAccountId };
    let aftermath = Promise.resolve();
    const { result, written } = await this.parts.audit.record(subject, actor, async (note) => {
      const decision = await againIfOvertaken(async () => {
        const doctor = await this.find(review.id);
        subject.accountId = doctor.account.id;
        subject.email = doctor.account.email;
        const after = await this.#decide(doctor, review, note);
        return after && { doctor, after };
      });
      if (!decision) {
        throw changedSince();
      }
      const { doctor, after } = decision;
      aftermath = this.#finish(doctor, after, actor, review.decision);
      const cause = causeOf(doctor.profile, after.profile, review.decision);
      return { result: after, facts: { cause, published: typeOfDecision(doctor.profile, review.decision) } };
    });
    return { result, written: Promise.all([written, aftermath]).then(() => {}) };
  }

  /** @returns undefined if another change was faster */
  async #decide(
    doctor: ReviewedDoctor,
    review: Review,
    note: EventNote,
  ): Promise<ReviewedDoctor | undefined> {
    if (review.decision !== REVIEW_DECISIONS.SUSPEND && doctor.revision !== review.revision) {
      throw changedSince();
    }
    const { doctors, clock } = this.parts;
    const decidedAt = new Date(clock.now());
    const verification = verificationAfter(doctor.profile, review, decidedAt, this.#endBy(review));
    const isAccepted = review.decision === REVIEW_DECISIONS.APPROVE;
    const profile = await commit(() =>
      review.decision === REVIEW_DECISIONS.CHANGE_END
        ? doctors.changeEnd(doctor.profile, verification, note)
        : doctors.decide(doctor.profile, verification, isAccepted, note),
    );
    if (!profile) {
      return undefined;
    }
    const { name } = (isAccepted && doctor.profile.proposal) || {};
    const account = { ...doctor.account, ...(name !== undefined && { name, updatedAt: decidedAt }) };
    const fits = licenseFitsOf(profile, this.parts.licenseRules);
    return { ...doctor, account, profile, revision: profile.revision ?? 0, ...fits };
  }

  /**
   * When the verification ends that a decision gives; undefined: never.
   * @throws ValidationError on `until` if that is no day from today on
   */
  #endBy({ decision, until }: Review): Date | undefined {
    const { timeZone, verificationDays, clock } = this.parts;
    const today = dayAt(clock.now(), timeZone);
    if (until === undefined) {
      const isByDefault = decision === REVIEW_DECISIONS.APPROVE && verificationDays !== undefined;
      return isByDefault ? endOfDay(dayAfter(today, verificationDays), timeZone) : undefined;
    }
    // Days of this form compare like texts.
    if (!isCalendarDate(until) || until < today || until > dayAfter(today, MAX_VERIFICATION_DAYS)) {
      const text = 'The until field must be a day from today on, YYYY-MM-DD, within 100 years.';
      throw new ValidationError({ until: broken('date', text) });
    }
    return endOfDay(until, timeZone);
  }

  /** The decision stands even if these fail. */
  async #finish(
    before: ReviewedDoctor,
    { account, profile }: ReviewedDoctor,
    { ip }: Actor,
    decision: ReviewDecision,
  ): Promise<void> {
    const { documents, doctors, notices, log } = this.parts;
    const { reason, decidedAt, documents: again, grounds } = profile.verification ?? {};
    const until = givenEnd(before.profile, profile, decision);
    const order = {
      kind: 'doctor decided',
      to: { accountId: account.id },
      facts: {
        status: mailedStatus(before.profile, profile, decision),
        ...(until && { until: until.toISOString() }),
        ...(reason && { reason }),
        ...(again && { documents: again.join(' ') }),
        ...(grounds && { grounds: grounds.join(' ') }),
        ...(decidedAt && { at: decidedAt.toISOString() }),
      },
    } as const;
    await Promise.all([
      finishChange(profile, this.parts),
      notices.send(order, account.id, ip),
      doctors.removeReplacedFiles(before.profile, profile, documents).catch((err: unknown) => {
        log.warn({ err, accountId: account.id }, 'replaced documents were left to the sweep');
      }),
    ]);
  }
}

const changedSince = () =>
  new ValidationError({ revision: broken('expired', 'The doctor has changed since. Read again.') });

const MAX_VERIFICATION_DAYS = 36_500;

/** Whether a doctor is verified now, and how long. */
export interface VerificationNow {
  status: VerificationStatus;
  /** When it ends, or has ended; undefined: never. */
  until: Date | undefined;
}

/** What reviewers have decided about a doctor, for other services. */
export class Verifications {
  constructor(
    private readonly doctors: DoctorStore,
    private readonly clock: Clock,
  ) {}

  /**
   * The state of a doctor's review. It is read with every question, so a suspension counts at once. Only a doctor costs an
   * exchange with the database.
   * @returns undefined for other accounts; `pending` for a doctor whose profile is missing or cannot be shown
   * @throws ServiceUnavailableError
   */
  async find(
    { id, role }: Pick<Account, 'id' | 'role'>,
    { timeBudget }: Caller,
  ): Promise<VerificationNow | undefined> {
    if (role !== ROLES.DOCTOR) {
      return undefined;
    }
    const standing = await timeBudget.within(() => this.doctors.standingOf(id));
    return { status: statusAt(standing, this.clock.now()), until: endOf(standing) };
  }
}
