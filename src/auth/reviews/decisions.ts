import {
  type DoctorProfile,
  type StoredVerification,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationOf,
} from '../../stores/doctors.ts';
import { ValidationError } from '../../system/errors/errors.ts';

/** What a reviewer can decide about a doctor. */
export const REVIEW_DECISIONS = { APPROVE: 'approve', REJECT: 'reject', SUSPEND: 'suspend' } as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[keyof typeof REVIEW_DECISIONS];

const { PENDING, VERIFIED, REJECTED, SUSPENDED } = VERIFICATION_STATUSES;

/** What each decision leads to, and from where. */
const OUTCOMES: Record<ReviewDecision, { status: VerificationStatus; from: readonly VerificationStatus[] }> =
  {
    approve: { status: VERIFIED, from: [PENDING, REJECTED, SUSPENDED] },
    reject: { status: REJECTED, from: [PENDING, VERIFIED, SUSPENDED] },
    suspend: { status: SUSPENDED, from: [PENDING, VERIFIED] },
  };

/** The words of the audit trail. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
} as const satisfies Record<ReviewDecision, string>;

/**
 * The verification of a doctor after a decision.
 * @throws ValidationError on `decision` if the doctor has that status already, or cannot get it
 */
export function decided(
  profile: DoctorProfile,
  decision: ReviewDecision,
  reason: string | null,
  decidedAt: Date,
): StoredVerification {
  const { status, from } = OUTCOMES[decision];
  const before = verificationOf(profile).status;
  if (before === status) {
    throw new ValidationError({ decision: [`The doctor is already ${status}.`] });
  }
  if (!from.includes(before)) {
    throw new ValidationError({ decision: [`A ${before} doctor cannot be ${DECIDED[decision]}.`] });
  }
  return { status, decidedAt, reason, submittedAt: submittedAtOf(profile) };
}
