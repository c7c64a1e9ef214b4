import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { Session } from '../tokens/sessions.ts';
import type { Review } from './decisions.ts';
import type { DoctorsPage, DoctorsQuery, ReviewedDoctor } from './review-queue.ts';
import type { Reviews } from './reviews.ts';

interface RecordedReviewsParts {
  reviews: Reviews;
  acts: RecordedActs;
  audit: AuditTrail;
}

/** The review of doctors by reviewers. The audit trail records what they read, too (OWASP ASVS 16.3.2). */
export class RecordedReviews {
  constructor(private readonly parts: RecordedReviewsParts) {}

  /**
   * A page of the doctors of a status, the oldest documents first.
   * @throws ValidationError on `after`
   */
  async page(query: DoctorsQuery, { account }: Session, caller: Caller): Promise<DoctorsPage> {
    const page = await caller.timeBudget.within(() => this.parts.reviews.page(query));
    const reading = { act: 'reading', byAccountId: account.id, cause: 'list of doctors' } as const;
    await this.parts.audit.write(reading, caller);
    return page;
  }

  /**
   * A doctor with others ({@link Reviews.findWithOthers}).
   * @throws NotFoundError
   */
  async find(id: string, { account }: Session, caller: Caller): Promise<ReviewedDoctor> {
    const doctor = await caller.timeBudget.within(() => this.parts.reviews.findWithOthers(id));
    const reading = {
      ...accountSubject('reading', doctor.account),
      byAccountId: account.id,
      cause: 'doctor',
    };
    await this.parts.audit.write(reading, caller);
    return doctor;
  }

  /**
   * Decides on a doctor ({@link Reviews.decide}).
   * @throws NotFoundError; ValidationError on `revision` or `decision`
   */
  decide(review: Review, { account }: Session, caller: Caller): Promise<ReviewedDoctor> {
    return this.parts.acts.complete(caller, () => this.parts.reviews.decide(review, caller, account.id));
  }
}
