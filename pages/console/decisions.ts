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
  /** What it does without a last day; null: it takes none. */
  withoutEnd: Bilingual | null;
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
    from: ['PENDING', 'REJECTED', 'SUSPENDED', 'EXPIRED'],
    withoutEnd: [
      'The last day. Without one, the default of the service counts.',
      'Der letzte Tag. Ohne ihn gilt die Vorgabe des Dienstes.',
    ],
  },
  REJECT: {
    act: ['Reject', 'Ablehnen'],
    about,
    done: ['is rejected', 'ist abgelehnt'],
    next: ['The doctor can send other documents.', 'Die Ärztin oder der Arzt kann andere Unterlagen senden.'],
    key: 'r',
    needsReason: true,
    from: ['PENDING', 'VERIFIED', 'SUSPENDED', 'EXPIRED'],
    withoutEnd: null,
  },
  SUSPEND: {
    act: ['Suspend', 'Aussetzen'],
    about,
    done: ['is suspended', 'ist ausgesetzt'],
    next: ['Only a reviewer can lift a suspension.', 'Nur die Prüfstelle kann das aufheben.'],
    key: 's',
    needsReason: true,
    from: ['PENDING', 'VERIFIED', 'EXPIRED'],
    withoutEnd: null,
  },
  CHANGE_END: {
    act: ['Change the end', 'Ende ändern'],
    about: ['of the verification of ', 'Zulassung von '],
    done: ['has another end of the verification', 'hat ein anderes Ende der Zulassung'],
    next: ['The doctor stays verified until then.', 'Die Zulassung bleibt bis dahin bestätigt.'],
    key: 'e',
    needsReason: false,
    from: ['VERIFIED'],
    withoutEnd: ['The last day. Without one, it does not end.', 'Der letzte Tag. Ohne ihn endet sie nicht.'],
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

interface CorrectionTexts extends Pick<DecisionTexts, 'about' | 'done' | 'next' | 'withoutEnd'> {
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
    withoutEnd: null,
  },
  REJECT: {
    about: aboutCorrection,
    done: ['is not corrected', 'ist nicht berichtigt'],
    next: [
      'The current values stay, and so does the verification.',
      'Die bisherigen Angaben bleiben, die Zulassung auch.',
    ],
    withoutEnd: null,
  },
};

/** If new documents are among what waits. */
const ON_RENEWAL: Partial<Record<ReviewDecision, CorrectionTexts>> = {
  APPROVE: {
    about: ['the renewal of ', 'Verlängerung von '],
    done: ['is verified again', 'ist erneut bestätigt'],
    next: [
      'The new documents and values count at once, and the verification has a new end.',
      'Die neuen Unterlagen und Angaben gelten sofort, und die Zulassung hat ein neues Ende.',
    ],
    withoutEnd: DECISIONS.APPROVE.withoutEnd,
  },
  REJECT: {
    about: ['the renewal of ', 'Verlängerung von '],
    done: ['is not renewed', 'ist nicht verlängert'],
    next: [
      'The verification ends as before. The doctor can send other documents.',
      'Die Zulassung endet wie bisher. Andere Unterlagen können gesendet werden.',
    ],
    withoutEnd: null,
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
  (verification.status === 'VERIFIED' || verification.status === 'EXPIRED') && proposal !== null;

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
  const onProposal = doctor.newDocuments ? ON_RENEWAL : ON_CORRECTION;
  const texts = { ...DECISIONS[decision], ...(hasCorrection(doctor) ? onProposal[decision] : {}) };
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
  EXPIRED: ['Expired', 'Abgelaufen'],
};

/** Which doctors are listed: those of a status, those with a correction, or those whose verification ends soon. */
export type DoctorList = VerificationStatus | 'CORRECTIONS' | 'ENDING';

/** The names of the lists. */
export const LIST_NAMES: Record<DoctorList, Bilingual> = {
  ...STATUS_NAMES,
  CORRECTIONS: ['Waiting with a correction or renewal', 'Wartet mit Berichtigung oder Verlängerung'],
  ENDING: ['Ends within 60 days', 'Endet in den nächsten 60 Tagen'],
};
