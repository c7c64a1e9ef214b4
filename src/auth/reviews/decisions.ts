import {
  ALL_DOCUMENTS,
  type DoctorDocument,
  type DoctorProfile,
  endOf,
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

/** True for a decision on the proposal of a verified doctor, who stays verified. To suspend one is about the doctor. */
export const isAboutCorrection = (profile: DoctorProfile, decision: ReviewDecision): boolean =>
  profile.proposal !== undefined &&
  storedStatusOf(profile) === VERIFIED &&
  (decision === REVIEW_DECISIONS.APPROVE || decision === REVIEW_DECISIONS.REJECT);

/** For the audit trail. */
export function causeOf(decision: ReviewDecision, isOnCorrection: boolean, after: DoctorProfile): string {
  if (isOnCorrection) {
    return `correction ${DECIDED[decision]}`;
  }
  const until = endOf(after)?.toISOString();
  if (decision === REVIEW_DECISIONS.CHANGE_END) {
    return until === undefined ? 'end removed' : `${DECIDED[decision]} to ${until}`;
  }
  return [DECIDED[decision], until].filter(Boolean).join(' until ');
}

/** What the mail about a decision says: the status of the doctor, or what the decision was about. */
export function mailedStatus(before: DoctorProfile, after: DoctorProfile, decision: ReviewDecision): string {
  const { status } = OUTCOMES[decision];
  if (!isAboutCorrection(before, decision)) {
    return decision === REVIEW_DECISIONS.CHANGE_END && !endOf(after) ? 'end removed' : status;
  }
  const hasEnded = statusAt(after, after.verification?.decidedAt?.getTime() ?? 0) === EXPIRED;
  const isRejected = decision === REVIEW_DECISIONS.REJECT;
  return hasEnded && isRejected ? 'proposal rejected' : `correction ${DECIDED[decision]}`;
}

/** What services hear of a decision: nothing, if a proposal was rejected. */
export const typeOfDecision = (decision: ReviewDecision, isOnCorrection: boolean): EventType | null => {
  if (isOnCorrection) {
    return decision === REVIEW_DECISIONS.APPROVE ? 'account.updated' : null;
  }
  return DECIDED_TYPES[OUTCOMES[decision].status] ?? null;
};

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
 * @throws ValidationError on `decision` if the doctor has that status already, or cannot get it; on `documents`; on `until`
 */
export function verificationAfter(
  profile: DoctorProfile,
  review: Review,
  decidedAt: Date,
  until: Date | undefined,
): StoredVerification {
  const { decision, reason, documents = [] } = review;
  const { status } = OUTCOMES[decision];
  const isOnCorrection = isAboutCorrection(profile, decision);
  if (documents.length > 0 && (status !== REJECTED || isOnCorrection)) {
    const text = 'Only the rejection of a doctor asks for documents.';
    throw new ValidationError({ documents: broken('prohibited', text) });
  }
  if (review.until !== undefined && (status !== VERIFIED || isOnCorrection)) {
    const text = 'Only the approval of a doctor and a change of the end have one.';
    throw new ValidationError({ until: broken('prohibited', text) });
  }
  const decided = { decidedAt, reason, submittedAt: submittedAtOf(profile) };
  const end = endOf(profile);
  if (isOnCorrection) {
    return { status: VERIFIED, ...decided, ...(end && { until: end }) };
  }
  requirePossible(statusAt(profile, decidedAt.getTime()), decision);
  if (end && !until && decision === REVIEW_DECISIONS.APPROVE) {
    // To forget it would verify for ever.
    throw new ValidationError({ until: broken('required', 'The until field is required.') });
  }
  // In their order, each once.
  const again = ALL_DOCUMENTS.filter((document) => documents.includes(document));
  return {
    ...{ status, ...decided },
    ...(again.length > 0 && { documents: again }),
    ...(until && { until }),
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
