import type {
  ReviewDecision,
  DoctorInReviewFragment as ReviewedDoctor,
  VerificationStatus,
} from './generated-reviews/graphql.ts';
import type { Bilingual } from './language.tsx';

interface DecisionTexts {
  /** What the reviewer does. */
  act: Bilingual;
  /** What the decision is about, before the name of the doctor. */
  about: Bilingual;
  /** What the doctor is afterwards. */
  done: Bilingual;
  /** What follows from it. */
  next: Bilingual;
  key: string;
  /** Only an approval needs no reason. */
  needsReason: boolean;
  /** The states in which it is possible. */
  from: readonly VerificationStatus[];
}

const about: Bilingual = ['', 'Zulassung von '];

/** The decisions of a reviewer, in the order of their buttons. */
export const DECISIONS: Record<ReviewDecision, DecisionTexts> = {
  APPROVE: {
    act: ['Approve', 'Bestätigen'],
    about,
    done: ['is verified', 'ist bestätigt'],
    next: [
      'The doctor becomes verified, and gets a mail.',
      'Die Zulassung ist dann bestätigt, und die Ärztin oder der Arzt bekommt eine E-Mail.',
    ],
    key: 'a',
    needsReason: false,
    from: ['PENDING', 'REJECTED', 'SUSPENDED'],
  },
  REJECT: {
    act: ['Reject', 'Ablehnen'],
    about,
    done: ['is rejected', 'ist abgelehnt'],
    next: [
      'The doctor gets a mail with the reason, and can send other documents.',
      'Die Ärztin oder der Arzt bekommt eine E-Mail mit der Begründung und kann andere Unterlagen senden.',
    ],
    key: 'r',
    needsReason: true,
    from: ['PENDING', 'VERIFIED', 'SUSPENDED'],
  },
  SUSPEND: {
    act: ['Suspend', 'Aussetzen'],
    about,
    done: ['is suspended', 'ist ausgesetzt'],
    next: [
      'The doctor gets a mail with the reason. Only a reviewer can lift a suspension.',
      'Die Ärztin oder der Arzt bekommt eine E-Mail mit der Begründung. Nur die Prüfstelle kann das aufheben.',
    ],
    key: 's',
    needsReason: true,
    from: ['PENDING', 'VERIFIED'],
  },
};

interface CorrectionTexts extends Pick<DecisionTexts, 'about' | 'done' | 'next'> {
  /** True if the doctor may have to send documents again. */
  asksForDocuments?: boolean;
}

const aboutCorrection: Bilingual = ['the correction of ', 'Berichtigung von '];

/** The decisions that are about the correction of a verified doctor, as long as one waits. */
const ON_CORRECTION: Partial<Record<ReviewDecision, CorrectionTexts>> = {
  APPROVE: {
    about: aboutCorrection,
    done: ['is corrected', 'ist berichtigt'],
    next: [
      'The proposed values count at once, and the doctor gets a mail.',
      'Die vorgeschlagenen Angaben gelten sofort, und die Ärztin oder der Arzt bekommt eine E-Mail.',
    ],
  },
  REJECT: {
    about: aboutCorrection,
    done: ['is still verified, and not corrected', 'bleibt bestätigt, ohne Berichtigung'],
    next: [
      'The doctor stays verified with the current values, and gets a mail with the reason.',
      'Die Zulassung bleibt mit den bisherigen Angaben bestätigt. Die Ärztin oder der Arzt bekommt eine E-Mail mit der Begründung.',
    ],
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
  asksForDocuments: decision === 'REJECT' && !hasCorrection(doctor),
  ...DECISIONS[decision],
  ...(hasCorrection(doctor) ? ON_CORRECTION[decision] : {}),
});

/** The names of the states in lists. */
export const STATUS_NAMES: Record<VerificationStatus, Bilingual> = {
  PENDING: ['Waiting', 'Wartet'],
  VERIFIED: ['Verified', 'Bestätigt'],
  REJECTED: ['Rejected', 'Abgelehnt'],
  SUSPENDED: ['Suspended', 'Ausgesetzt'],
};

/** Which doctors are listed: those of a status, or those with a correction. */
export type DoctorList = VerificationStatus | 'CORRECTIONS';

/** The names of the lists. */
export const LIST_NAMES: Record<DoctorList, Bilingual> = {
  ...STATUS_NAMES,
  CORRECTIONS: ['Waiting with a correction', 'Wartet mit einer Berichtigung'],
};
