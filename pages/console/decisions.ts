import type {
  ReviewDecision,
  DoctorInReviewFragment as ReviewedDoctor,
  VerificationStatus,
} from './generated-reviews/graphql.ts';

interface DecisionTexts {
  /** What the reviewer does. */
  act: string;
  /** What the doctor is afterwards. */
  done: string;
  /** What follows from it. */
  next: string;
  key: string;
  /** Only an approval needs no reason. */
  needsReason: boolean;
  /** The states in which it is possible. */
  from: readonly VerificationStatus[];
}

/** The decisions of a reviewer, in the order of their buttons. */
export const DECISIONS: Record<ReviewDecision, DecisionTexts> = {
  APPROVE: {
    act: 'Approve',
    done: 'verified',
    next: 'The doctor becomes verified, and gets a mail.',
    key: 'a',
    needsReason: false,
    from: ['PENDING', 'REJECTED', 'SUSPENDED'],
  },
  REJECT: {
    act: 'Reject',
    done: 'rejected',
    next: 'The doctor gets a mail with the reason, and can send other documents.',
    key: 'r',
    needsReason: true,
    from: ['PENDING', 'VERIFIED', 'SUSPENDED'],
  },
  SUSPEND: {
    act: 'Suspend',
    done: 'suspended',
    next: 'The doctor gets a mail with the reason. Only a reviewer can lift a suspension.',
    key: 's',
    needsReason: true,
    from: ['PENDING', 'VERIFIED'],
  },
};

interface CorrectionTexts extends Pick<DecisionTexts, 'done' | 'next'> {
  /** What the decision is about, before the name of the doctor. */
  about: string;
  /** True if the doctor may have to send documents again. */
  asksForDocuments?: boolean;
}

/** The decisions that are about the correction of a verified doctor, as long as one waits. */
const ON_CORRECTION: Partial<Record<ReviewDecision, CorrectionTexts>> = {
  APPROVE: {
    about: 'the correction of ',
    done: 'corrected',
    next: 'The proposed values count at once, and the doctor gets a mail.',
  },
  REJECT: {
    about: 'the correction of ',
    done: 'still verified, and not corrected',
    next: 'The doctor stays verified with the current values, and gets a mail with the reason.',
  },
};

const hasCorrection = ({ profile: { verification, proposal } }: ReviewedDoctor): boolean =>
  verification.status === 'VERIFIED' && proposal !== null;

/** The decisions that are possible about a doctor. */
export const decisionsOn = (doctor: ReviewedDoctor): ReviewDecision[] =>
  (Object.keys(DECISIONS) as ReviewDecision[]).filter(
    (decision) =>
      DECISIONS[decision].from.includes(doctor.profile.verification.status) ||
      (hasCorrection(doctor) && decision in ON_CORRECTION),
  );

/** The texts of a decision about a doctor or a correction. */
export const textsOf = (
  doctor: ReviewedDoctor,
  decision: ReviewDecision,
): DecisionTexts & CorrectionTexts => ({
  about: '',
  asksForDocuments: decision === 'REJECT' && !hasCorrection(doctor),
  ...DECISIONS[decision],
  ...(hasCorrection(doctor) ? ON_CORRECTION[decision] : {}),
});

/** The names of the states in lists. */
export const STATUS_NAMES: Record<VerificationStatus, string> = {
  PENDING: 'Waiting',
  VERIFIED: 'Verified',
  REJECTED: 'Rejected',
  SUSPENDED: 'Suspended',
};

/** Which doctors are listed: those of a status, or those with a correction. */
export type DoctorList = VerificationStatus | 'CORRECTIONS';

/** The names of the lists. */
export const LIST_NAMES: Record<DoctorList, string> = {
  ...STATUS_NAMES,
  CORRECTIONS: 'Waiting with a correction',
};
