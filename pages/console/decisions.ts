import type {
  RejectionGround,
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
    next: ['The doctor becomes verified.', 'Die Zulassung ist dann bestätigt.'],
    key: 'a',
    needsReason: false,
    from: ['PENDING', 'REJECTED', 'SUSPENDED'],
  },
  REJECT: {
    act: ['Reject', 'Ablehnen'],
    about,
    done: ['is rejected', 'ist abgelehnt'],
    next: ['The doctor can send other documents.', 'Die Ärztin oder der Arzt kann andere Unterlagen senden.'],
    key: 'r',
    needsReason: true,
    from: ['PENDING', 'VERIFIED', 'SUSPENDED'],
  },
  SUSPEND: {
    act: ['Suspend', 'Aussetzen'],
    about,
    done: ['is suspended', 'ist ausgesetzt'],
    next: ['Only a reviewer can lift a suspension.', 'Nur die Prüfstelle kann das aufheben.'],
    key: 's',
    needsReason: true,
    from: ['PENDING', 'VERIFIED'],
  },
};

/** The grounds of a rejection, as reviewers choose them. */
export const GROUND_NAMES: Record<RejectionGround, Bilingual> = {
  UNREADABLE: ['A document cannot be read', 'Ein Dokument ist nicht lesbar'],
  DOCUMENT_EXPIRED: ['A document is no longer valid', 'Ein Dokument ist nicht mehr gültig'],
  NAME_DIFFERS: ['The name is not that of the documents', 'Der Name weicht von den Unterlagen ab'],
  NUMBER_NOT_FOUND: ['The license number was not found', 'Die Approbationsnummer wurde nicht gefunden'],
  WRONG_DOCUMENT: ['A document is not the right one', 'Ein Dokument ist nicht das richtige'],
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
    next: ['The proposed values count at once.', 'Die vorgeschlagenen Angaben gelten sofort.'],
  },
  REJECT: {
    about: aboutCorrection,
    done: ['is still verified, and not corrected', 'bleibt bestätigt, ohne Berichtigung'],
    next: [
      'The doctor stays verified with the current values.',
      'Die Zulassung bleibt mit den bisherigen Angaben bestätigt.',
    ],
  },
};

/** How the doctor learns the reason. */
const MAILED: Bilingual = [
  'The doctor gets a mail with your reason.',
  'Ihre Begründung kommt per E-Mail an.',
];
const NOT_MAILED: Bilingual = [
  'Your reason is in no mail: the doctor reads it after a login.',
  'Ihre Begründung steht in keiner E-Mail: Sie ist nach dem Anmelden zu lesen.',
];

const hasCorrection = ({ profile: { verification, proposal } }: ReviewedDoctor): boolean =>
  verification.status === 'VERIFIED' && proposal !== null;

/** The decisions that are possible about a doctor. */
export const decisionsOn = (doctor: ReviewedDoctor): ReviewDecision[] =>
  (Object.keys(DECISIONS) as ReviewDecision[]).filter(
    (decision) =>
      !doctor.isDisabled &&
      (DECISIONS[decision].from.includes(doctor.profile.verification.status) ||
        (hasCorrection(doctor) && decision in ON_CORRECTION)),
  );

/** The texts of a decision about a doctor or a correction. */
export function textsOf(doctor: ReviewedDoctor, decision: ReviewDecision): DecisionTexts & CorrectionTexts {
  const texts = { ...DECISIONS[decision], ...(hasCorrection(doctor) ? ON_CORRECTION[decision] : {}) };
  const [english, german] = doctor.isReasonMailed ? MAILED : NOT_MAILED;
  return {
    asksForDocuments: decision === 'REJECT' && !hasCorrection(doctor),
    ...texts,
    next: [`${texts.next[0]} ${english}`, `${texts.next[1]} ${german}`],
  };
}

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
