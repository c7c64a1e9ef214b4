import { DAY_MILLIS } from '../system/calendar.ts';

/** The documents of a doctor, as decisions name them. */
export const DOCTOR_DOCUMENTS = {
  LICENSE: 'license',
  DIPLOMA: 'diploma',
  CERTIFICATION: 'certification',
} as const;
export type DoctorDocument = (typeof DOCTOR_DOCUMENTS)[keyof typeof DOCTOR_DOCUMENTS];
export const ALL_DOCUMENTS: readonly DoctorDocument[] = Object.values(DOCTOR_DOCUMENTS);

/** What reviewers have decided about a doctor. Only {@link storedStatusOf} and {@link statusAt} tell which one a doctor has. */
export const STORED_STATUSES = {
  PENDING: 'pending',
  VERIFIED: 'verified',
  REJECTED: 'rejected',
  SUSPENDED: 'suspended',
} as const;
export type StoredStatus = (typeof STORED_STATUSES)[keyof typeof STORED_STATUSES];

/** The status of a doctor at a moment. `expired` is never stored: a verified doctor has it from the end of the verification on. */
export const VERIFICATION_STATUSES = { ...STORED_STATUSES, EXPIRED: 'expired' } as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[keyof typeof VERIFICATION_STATUSES];

/** Why a reviewer rejects, in words that every reader gets in the own language. */
export const REJECTION_GROUNDS = {
  UNREADABLE: 'unreadable',
  DOCUMENT_EXPIRED: 'document-expired',
  NAME_DIFFERS: 'name-differs',
  NUMBER_NOT_FOUND: 'number-not-found',
  WRONG_DOCUMENT: 'wrong-document',
} as const;
export type RejectionGround = (typeof REJECTION_GROUNDS)[keyof typeof REJECTION_GROUNDS];
export const ALL_GROUNDS: readonly RejectionGround[] = Object.values(REJECTION_GROUNDS);

/** The state of the review of a doctor at a moment. */
export interface Verification {
  status: VerificationStatus;
  /** When a reviewer last decided; null while nobody has. */
  decidedAt: Date | null;
  /** The reason of the last decision, for the doctor to read; null if none was given. */
  reason: string | null;
  /** The documents that a rejection asks for again, also after they were sent. Absent: all, if it is a rejection. */
  documents?: readonly DoctorDocument[];
  /** When the verification of a verified doctor ends: the first moment after its last day. Absent: never. */
  until?: Date;
  /** Of a rejection, besides the reason. Absent: none. */
  grounds?: readonly RejectionGround[];
}

/** A stored verification. Its doctor has a place in the queue of reviewers. */
export interface StoredVerification extends Verification {
  status: StoredStatus;
  /** When the documents were submitted that wait for a decision, or were decided on. Reviewers see the oldest first. */
  submittedAt: Date;
  /** True for a doctor who is not verified now, and whose last verification had an end. */
  hadEnd?: boolean;
}

/** The state of a doctor whom nobody has looked at. */
export const NOT_REVIEWED = {
  status: STORED_STATUSES.PENDING,
  decidedAt: null,
  reason: null,
} satisfies Verification;

/** The documents that a doctor must submit again, or has submitted again after a rejection that named them. */
export function documentsAskedFor({ status, documents }: Verification): readonly DoctorDocument[] {
  // Another program may have stored anything.
  const named = Array.isArray(documents)
    ? ALL_DOCUMENTS.filter((document) => documents.includes(document))
    : [];
  return named.length === 0 && status === STORED_STATUSES.REJECTED ? ALL_DOCUMENTS : named;
}

/** The grounds of the last decision. */
export const groundsOf = ({ grounds }: Verification): readonly RejectionGround[] =>
  // Another program may have stored anything.
  Array.isArray(grounds) ? ALL_GROUNDS.filter((ground) => grounds.includes(ground)) : [];

/** How long before its end a verification can be renewed, and reviewers see that it ends. */
export const ENDING_MILLIS = 60 * DAY_MILLIS;

/** When it is first told that a verification ends: at its decision, or so long before its end if that is later. */
export const firstTellAt = (end: Date, decidedAt: Date): Date =>
  new Date(Math.max(end.getTime() - ENDING_MILLIS, decidedAt.getTime()));

/** A profile, as far as its review is concerned. */
export interface Reviewed {
  /** Absent until the first decision. */
  verification?: StoredVerification;
}

/** When the documents of a doctor were submitted. */
export const submittedAtOf = ({ verification, createdAt }: Reviewed & { createdAt: Date }): Date =>
  verification?.submittedAt ?? createdAt;

/** What reviewers have decided, whether it has ended or not: for what they decide next, and for what waits for them. */
export const storedStatusOf = ({ verification }: Reviewed): StoredStatus =>
  (verification ?? NOT_REVIEWED).status;

/** When the verification of a verified doctor ends, or has ended; undefined: never. */
export const endOf = ({ verification }: Reviewed): Date | undefined =>
  // Another program may have stored another type. Such a record is damaged, and verifies nobody.
  verification?.status === STORED_STATUSES.VERIFIED && verification.until instanceof Date
    ? verification.until
    : undefined;

/** The status of a doctor at a moment: for everybody who lets doctors do something, or shows them. */
export function statusAt(profile: Reviewed, nowMillis: number): VerificationStatus {
  const end = endOf(profile);
  return end && end.getTime() <= nowMillis ? VERIFICATION_STATUSES.EXPIRED : storedStatusOf(profile);
}

/** The verification of a stored profile at a moment. */
export const verificationAt = (profile: Reviewed, nowMillis: number): Verification => ({
  ...(profile.verification ?? NOT_REVIEWED),
  status: statusAt(profile, nowMillis),
});

const text = { type: String, default: null };

/** The field of a schema for a {@link StoredVerification}. */
export const VERIFICATION = {
  status: { type: String, required: true },
  decidedAt: { type: Date, default: null },
  reason: text,
  submittedAt: { type: Date, required: true },
  documents: [String],
  until: Date,
  hadEnd: Boolean,
  grounds: [String],
};
