import { type Account, ROLES, type Role } from '../../stores/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import { InsufficientAccessError } from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import { Admission, type SomeDocuments } from '../doctor-documents.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { TokenAct } from '../tokens/abilities.ts';
import type { Sessions } from '../tokens/sessions.ts';
import type { Resubmission } from './resubmission.ts';
import type { DoctorsPage, DoctorsQuery, ReviewedDoctor } from './review-queue.ts';
import type { Review, Reviews } from './reviews.ts';

interface ReviewServiceParts {
  sessions: Sessions;
  reviews: Reviews;
  resubmission: Resubmission;
  actThrottle: ActThrottle;
  acts: RecordedActs;
  audit: AuditTrail;
}

/**
 * The review of doctors for callers: reviewers list doctors and decide, rejected doctors submit documents again. The role is
 * read with every request, so a reviewer who has lost it is refused at once.
 */
export class ReviewService {
  constructor(private readonly parts: ReviewServiceParts) {}

  /**
   * A page of the doctors of a status, the oldest documents first. The audit trail records the reading (OWASP ASVS 16.3.2).
   * @throws UnauthenticatedError; MissingAbilityError; InsufficientAccessError for everybody but reviewers; ValidationError on
   *   `after`
   */
  async forReview(query: DoctorsQuery, caller: Caller): Promise<DoctorsPage> {
    const { id } = await this.#require(ROLES.REVIEWER, 'doctorsForReview', caller);
    const page = await caller.timeBudget.within(() => this.parts.reviews.page(query));
    await this.parts.audit.write({ act: 'reading', byAccountId: id, cause: 'list of doctors' }, caller);
    return page;
  }

  /**
   * A doctor with others ({@link Reviews.findWithOthers}). The audit trail records the reading.
   * @throws UnauthenticatedError; MissingAbilityError; InsufficientAccessError for everybody but reviewers; NotFoundError
   */
  async oneForReview(id: string, caller: Caller): Promise<ReviewedDoctor> {
    const { id: byAccountId } = await this.#require(ROLES.REVIEWER, 'doctorForReview', caller);
    const doctor = await caller.timeBudget.within(() => this.parts.reviews.findWithOthers(id));
    const reading = { ...accountSubject('reading', doctor.account), byAccountId, cause: 'doctor' };
    await this.parts.audit.write(reading, caller);
    return doctor;
  }

  /**
   * Decides on a doctor ({@link Reviews.decide}).
   * @throws UnauthenticatedError; MissingAbilityError; InsufficientAccessError for everybody but reviewers; NotFoundError;
   *   ValidationError on `revision` or `decision`
   */
  async decide(review: Review, caller: Caller): Promise<ReviewedDoctor> {
    const { id } = await this.#require(ROLES.REVIEWER, 'decideOnDoctor', caller);
    return this.parts.acts.complete(caller, () => this.parts.reviews.decide(review, caller, id));
  }

  /**
   * Admits and counts the documents of a rejected doctor. Call it before the body is received, so that nobody else can send
   * 31 MB, and a doctor not often.
   * @throws UnauthenticatedError; MissingAbilityError; InsufficientAccessError for everybody but doctors; ValidationError on
   *   `input` if the doctor is not rejected; TooManyAttemptsError
   */
  async admitResubmission(caller: Caller): Promise<Admission> {
    const { actThrottle, resubmission } = this.parts;
    const account = await this.#require(ROLES.DOCTOR, 'resubmitDocuments', caller);
    await this.parts.acts.recordRefusal(accountSubject('resubmission', account), caller, () =>
      caller.timeBudget.within(async () => {
        await resubmission.requireRejected(account.id);
        await actThrottle.beforeReviewed('resubmissions', account.id, caller.ip);
      }),
    );
    return new Admission('resubmission');
  }

  /**
   * Submits the documents of a rejected doctor again ({@link Resubmission.run}).
   * @param admission of this resubmission
   * @throws UnauthenticatedError; MissingAbilityError; InsufficientAccessError for everybody but doctors; ValidationError on
   *   `input` and the documents
   */
  async resubmit(documents: SomeDocuments, caller: Caller, admission: Admission): Promise<DoctorProfile> {
    admission.use('resubmission');
    const account = await this.#require(ROLES.DOCTOR, 'resubmitDocuments', caller);
    return this.parts.acts.record(accountSubject('resubmission', account), caller, async (note) => ({
      result: await this.parts.resubmission.run(account.id, documents, note, caller),
    }));
  }

  /** The audit trail records the attempts of accounts with another role (OWASP ASVS 16.3.2). */
  async #require(role: Role, act: TokenAct, caller: Caller): Promise<Account> {
    const { account } = await this.parts.sessions.authorize(act, caller);
    const audited = act === 'resubmitDocuments' ? 'resubmission' : 'review';
    await this.parts.acts.recordRefusal({ act: audited, byAccountId: account.id }, caller, async () => {
      if (account.role !== role) {
        throw new InsufficientAccessError('role');
      }
    });
    return account;
  }
}
