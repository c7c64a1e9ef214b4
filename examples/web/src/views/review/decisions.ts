import type { ReviewDecision, VerificationStatus } from '@auth-gateway/client';

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

/** The decisions that are possible about a doctor of a status. */
export const decisionsFrom = (status: VerificationStatus): ReviewDecision[] =>
  (Object.keys(DECISIONS) as ReviewDecision[]).filter((decision) =>
    DECISIONS[decision].from.includes(status),
  );

/** The names of the states in lists. */
export const STATUS_NAMES: Record<VerificationStatus, string> = {
  PENDING: 'Waiting',
  VERIFIED: 'Verified',
  REJECTED: 'Rejected',
  SUSPENDED: 'Suspended',
};
