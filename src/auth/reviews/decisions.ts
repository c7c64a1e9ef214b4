import {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  type DoctorDocument,
  type DoctorProfile,
  endOf,
  hasRenewal,
  type RejectionGround,
  STORED_STATUSES,
  type StoredStatus,
  type StoredVerification,
  statusAt,
  storedStatusOf,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from '../../stores/doctors.ts';
import type { EventType } from '../../stores/events.ts';
import { broken } from '../../system/error-details.ts';
import { ValidationError } from '../../system/errors.ts';
import { DECIDED_TYPES } from '../events/published-acts.ts';

/** What a reviewer can decide about a doctor. */
export const REVIEW_DECISIONS = {
  APPROVE: 'approve',
  REJECT: 'reject',
  SUSPEND: 'suspend',
  CHANGE_END: 'change end',
} as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[keyof typeof REVIEW_DECISIONS];

/** A decision on a doctor. */
export interface Review {
  /** The id of the doctor; any text. */
  id: string;
  /** The revision of the doctor that the reviewer has seen. A suspension needs none: a doctor must not escape it by corrections. */
  revision?: number | undefined;
  decision: ReviewDecision;
  /** For the doctor to read. */
  reason: string | null;
  /** The documents that a rejected doctor must submit again; empty: all. */
  documents?: readonly DoctorDocument[];
  /** Of a rejection, for the doctor to read besides the reason. */
  grounds?: readonly RejectionGround[];
  /** The last day of the verification, `YYYY-MM-DD`. Undefined: VERIFICATION_DAYS from today; of a change of the end: none. */
  until?: string | undefined;
}

const { PENDING, VERIFIED, REJECTED, SUSPENDED } = STORED_STATUSES;
const { EXPIRED } = VERIFICATION_STATUSES;

/** What each decision leads to, and from where. */
const OUTCOMES: Record<ReviewDecision, { status: StoredStatus; from: readonly VerificationStatus[] }> = {
  approve: { status: VERIFIED, from: [PENDING, REJECTED, SUSPENDED, EXPIRED] },
  reject: { status: REJECTED, from: [PENDING, VERIFIED, SUSPENDED, EXPIRED] },
  suspend: { status: SUSPENDED, from: [PENDING, VERIFIED, EXPIRED] },
  'change end': { status: VERIFIED, from: [VERIFIED] },
};

/** What a decision is about: the doctor, or the proposal of a verified doctor, who stays verified or expired. */
export type ReviewSubject = 'doctor' | 'correction' | 'renewal';

/** A suspension is about the doctor, whatever waits. */
export function subjectOf(profile: DoctorProfile, decision: ReviewDecision): ReviewSubject {
  const isEither = decision === REVIEW_DECISIONS.APPROVE || decision === REVIEW_DECISIONS.REJECT;
  if (!isEither || profile.proposal === undefined || storedStatusOf(profile) !== VERIFIED) {
    return 'doctor';
  }
  return hasRenewal(profile) ? 'renewal' : 'correction';
}

/** When the verification ends that a decision has given; undefined if it has given none, or one without an end. */
export function givenEnd(
  before: DoctorProfile,
  after: DoctorProfile,
  decision: ReviewDecision,
): Date | undefined {
  const gives = OUTCOMES[decision].status === VERIFIED && subjectOf(before, decision) !== 'correction';
  return gives ? endOf(after) : undefined;
}

/** For the audit trail. */
export function causeOf(before: DoctorProfile, after: DoctorProfile, decision: ReviewDecision): string {
  const subject = subjectOf(before, decision);
  const end = givenEnd(before, after, decision);
  const isChange = decision === REVIEW_DECISIONS.CHANGE_END;
  const words = [subject === 'doctor' ? '' : subject, isChange && !end ? 'end removed' : DECIDED[decision]];
  const until = end ? [isChange ? 'to' : 'until', end.toISOString()] : [];
  return [...words, ...until].filter(Boolean).join(' ');
}

/** What the mail about a decision says: the status of the doctor, or what the decision was about. */
export function mailedStatus(before: DoctorProfile, after: DoctorProfile, decision: ReviewDecision): string {
  const { status } = OUTCOMES[decision];
  const subject = subjectOf(before, decision);
  if (subject === 'doctor' || (subject === 'renewal' && status === VERIFIED)) {
    return decision === REVIEW_DECISIONS.CHANGE_END && !endOf(after) ? 'end removed' : status;
  }
  const hasEnded = statusAt(after, after.verification?.decidedAt?.getTime() ?? 0) === EXPIRED;
  const isAccepted = decision === REVIEW_DECISIONS.APPROVE;
  return isAccepted || (subject === 'correction' && !hasEnded)
    ? `correction ${DECIDED[decision]}`
    : 'proposal rejected';
}

/** The event that services get for a decision: none if a proposal was rejected. */
export function typeOfDecision(before: DoctorProfile, decision: ReviewDecision): EventType | null {
  const subject = subjectOf(before, decision);
  const { status } = OUTCOMES[decision];
  if (subject !== 'doctor' && status === REJECTED) {
    return null;
  }
  return subject === 'correction' ? 'account.updated' : (DECIDED_TYPES[status] ?? null);
}

/** The words of the audit trail. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  'change end': 'end changed',
} as const satisfies Record<ReviewDecision, string>;

/**
 * The verification of a doctor after a decision.
 * @param until when it ends if the decision verifies the doctor; undefined: never
 * @throws ValidationError on `decision` if the doctor has that status already, or cannot get it; on `documents`, `grounds` and `until`
 */
export function verificationAfter(
  profile: DoctorProfile,
  review: Review,
  decidedAt: Date,
  until: Date | undefined,
): StoredVerification {
  const { decision, reason, documents = [], grounds = [] } = review;
  const { status } = OUTCOMES[decision];
  const subject = subjectOf(profile, decision);
  if (documents.length > 0 && (status !== REJECTED || subject !== 'doctor')) {
    const text = 'Only the rejection of a doctor asks for documents.';
    throw new ValidationError({ documents: broken('prohibited', text) });
  }
  if (review.until !== undefined && (status !== VERIFIED || subject === 'correction')) {
    const text = 'Only the approval of a doctor and a change of the end have one.';
    throw new ValidationError({ until: broken('prohibited', text) });
  }
  if (grounds.length > 0 && decision !== REVIEW_DECISIONS.REJECT) {
    throw new ValidationError({ grounds: broken('prohibited', 'Only a rejection has grounds.') });
  }
  // In their order, each once.
  const why = ALL_GROUNDS.filter((ground) => grounds.includes(ground));
  const because = why.length > 0 && { grounds: why };
  const isRenewed = subject === 'renewal' && status === VERIFIED;
  const submittedAt = (isRenewed && profile.proposal?.submittedAt) || submittedAtOf(profile);
  const decided = { decidedAt, reason, submittedAt };
  const end = endOf(profile);
  if (subject !== 'doctor' && !isRenewed) {
    return { status: VERIFIED, ...decided, ...(end && { until: end }), ...because };
  }
  if (!isRenewed) {
    requirePossible(statusAt(profile, decidedAt.getTime()), decision);
  }
  const hadEnd = end !== undefined || profile.verification?.hadEnd === true;
  if (hadEnd && !until && decision === REVIEW_DECISIONS.APPROVE) {
    // To forget it, even by a suspension in between, would verify for ever.
    throw new ValidationError({ until: broken('required', 'The until field is required.') });
  }
  const again = ALL_DOCUMENTS.filter((document) => documents.includes(document));
  return {
    ...{ status, ...decided },
    ...(again.length > 0 && { documents: again }),
    ...(until && { until }),
    ...(hadEnd && status !== VERIFIED && { hadEnd }),
    ...because,
  };
}

/** @throws ValidationError on `decision` */
function requirePossible(before: VerificationStatus, decision: ReviewDecision): void {
  const { status, from } = OUTCOMES[decision];
  if (from.includes(before)) {
    return;
  }
  const isChange = decision === REVIEW_DECISIONS.CHANGE_END;
  const text = isChange
    ? 'Only the verification of a verified doctor has an end.'
    : before === status
      ? `The doctor is already ${status}.`
      : `A ${before} doctor cannot be ${DECIDED[decision]}.`;
  throw new ValidationError({ decision: broken('state', text) });
}
