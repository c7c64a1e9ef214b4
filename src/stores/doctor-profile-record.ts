import { Schema } from 'mongoose';
import type { DocumentGroup } from '../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../documents/stored-path.ts';
import type { AccountCorrection } from './account-record.ts';
import { EVENT_NOTES, type EventNote } from './event-notes.ts';

/** One text of a doctor's profile. */
interface ProfileText {
  isRequired: boolean;
  /** A single line of up to 255 characters, or lines of up to 5,000. */
  kind: 'line' | 'lines';
  /** For readers of the API: a sentence without its full stop. */
  description: string;
}

/**
 * The texts of a doctor's profile (docs/contract.md), in the order in which both APIs show them. The stored record, the
 * input of both APIs, its rules, and the answers are made from this list.
 */
export const PROFILE_TEXTS = {
  specialization: { isRequired: true, kind: 'line', description: 'The field of medicine' },
  licenseNumber: { isRequired: true, kind: 'line', description: 'The number of the license' },
  currentInstitution: { isRequired: false, kind: 'line', description: 'Where the doctor works now' },
  workHistory: { isRequired: false, kind: 'lines', description: 'Where the doctor worked before' },
  publications: { isRequired: false, kind: 'lines', description: 'What the doctor published' },
  practiceAddress: { isRequired: false, kind: 'lines', description: 'Where patients are seen' },
} as const satisfies Record<string, ProfileText>;

type ProfileTexts = typeof PROFILE_TEXTS;
export type ProfileTextName = keyof ProfileTexts;

/** The value of each text; null where an optional one was not given. */
export type DoctorProfileTexts = {
  [name in ProfileTextName]: ProfileTexts[name]['isRequired'] extends true ? string : string | null;
};

const NAMES = Object.keys(PROFILE_TEXTS) as ProfileTextName[];

/** The names of the texts that a profile must have. */
export const REQUIRED_TEXTS = NAMES.filter((name) => PROFILE_TEXTS[name].isRequired);

/** The names of the texts that a profile may lack. */
export const OPTIONAL_TEXTS = NAMES.filter((name) => !PROFILE_TEXTS[name].isRequired);

/**
 * The texts of a profile without the other fields of the record.
 * @param record a stored profile or a checked input: it has all required texts
 */
export const textsOf = (record: object): DoctorProfileTexts =>
  Object.fromEntries(NAMES.map((name) => [name, Reflect.get(record, name) ?? null])) as DoctorProfileTexts;

/** Some texts of a profile, in the order of their names. */
export const someTextsOf = <N extends ProfileTextName>(texts: DoctorProfileTexts, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, texts[name] ?? null])) as Pick<DoctorProfileTexts, N>;

/** The stored paths of the three documents: `<group>/<name>`, never a URL, so that BASE_URL may change. */
export interface DoctorDocumentPaths {
  licenseFilePath: string;
  diplomaFilePath: string;
  /** null if a legacy service had none. A registration here always has one. */
  certificationFilePath: string | null;
}

/** The field of a profile for each group of documents. */
export const FIELD_OF_GROUP = {
  licenses: 'licenseFilePath',
  diplomas: 'diplomaFilePath',
  certifications: 'certificationFilePath',
} as const satisfies Record<DocumentGroup, keyof DoctorDocumentPaths>;

/** The fields of a profile that name its documents. */
export const DOCUMENT_FIELDS = Object.values(FIELD_OF_GROUP);

/** The documents of a doctor, as decisions name them. */
export const DOCTOR_DOCUMENTS = {
  LICENSE: 'license',
  DIPLOMA: 'diploma',
  CERTIFICATION: 'certification',
} as const;
export type DoctorDocument = (typeof DOCTOR_DOCUMENTS)[keyof typeof DOCTOR_DOCUMENTS];
export const ALL_DOCUMENTS: readonly DoctorDocument[] = Object.values(DOCTOR_DOCUMENTS);

/** What reviewers have decided about a doctor. */
export const VERIFICATION_STATUSES = {
  PENDING: 'pending',
  VERIFIED: 'verified',
  REJECTED: 'rejected',
  SUSPENDED: 'suspended',
} as const;
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

/** The grounds of the last decision. */
export const groundsOf = ({ grounds }: Verification): readonly RejectionGround[] =>
  // Another program may have stored anything.
  Array.isArray(grounds) ? ALL_GROUNDS.filter((ground) => grounds.includes(ground)) : [];

/** The state of the review of a doctor. */
export interface Verification {
  status: VerificationStatus;
  /** When a reviewer last decided; null while nobody has. */
  decidedAt: Date | null;
  /** The reason of the last decision, for the doctor to read; null if none was given. */
  reason: string | null;
  /** The documents that a rejection asks for again, also after they were sent. Absent: all, if it is a rejection. */
  documents?: readonly DoctorDocument[];
  /** Of a rejection, besides the reason. Absent: none. */
  grounds?: readonly RejectionGround[];
}

/** A stored verification. Its doctor has a place in the queue of reviewers. */
export interface StoredVerification extends Verification {
  /** When the documents were submitted that wait for a decision, or were decided on. Reviewers see the oldest first. */
  submittedAt: Date;
}

/** The state of a doctor whom nobody has looked at. */
export const NOT_REVIEWED: Verification = {
  status: VERIFICATION_STATUSES.PENDING,
  decidedAt: null,
  reason: null,
};

/** The documents that a doctor must submit again, or has submitted again after a rejection that named them. */
export function documentsAskedFor({ status, documents }: Verification): readonly DoctorDocument[] {
  // Another program may have stored anything.
  const named = Array.isArray(documents)
    ? ALL_DOCUMENTS.filter((document) => documents.includes(document))
    : [];
  return named.length === 0 && status === VERIFICATION_STATUSES.REJECTED ? ALL_DOCUMENTS : named;
}

/** What reviewers have looked at. A verified doctor can only propose another one. */
export const REVIEWED_FIELDS = ['name', 'specialization', 'licenseNumber'] as const;

type ReviewedField = (typeof REVIEWED_FIELDS)[number];

/** What a verified doctor wants to be corrected. It waits for a decision; a field that is absent stays as it is. */
export type Proposal = { [field in ReviewedField]?: string } & {
  /** As in the verification, whose place in the queue it has. */
  submittedAt: Date;
};

/** A proposal with null for each field that stays. */
export type ProposalView = Record<ReviewedField, string | null> & Pick<Proposal, 'submittedAt'>;

/** The proposal of a stored profile; null if none waits. */
export const proposalOf = ({ proposal }: Pick<DoctorProfile, 'proposal'>): ProposalView | null => {
  if (!proposal) {
    return null;
  }
  const { name = null, specialization = null, licenseNumber = null, submittedAt } = proposal;
  return { name, specialization, licenseNumber, submittedAt };
};

/**
 * What a change of the profile also changes in the account. The profile is written first, and the change is repeated until the
 * account has it: so a kill between the two writes leaves nothing half done.
 */
export interface AccountChange {
  /** Of the profile. An account takes no earlier change after a later one. */
  revision: number;
  at: Date;
  fields: AccountCorrection;
}

/** The hash of the document with a stored path, in hex. */
export interface DocumentHash {
  path: string;
  sha256: string;
}

/** A doctor's profile. It has the id of the account, so an account can never have two. */
export interface DoctorProfile extends DoctorProfileTexts, DoctorDocumentPaths {
  _id: string;
  createdAt: Date;
  /** Absent until the first decision: {@link verificationOf} reads it. */
  verification?: StoredVerification;
  /** Counts the changes that a reviewer must not miss: decisions, new documents and corrections. Absent: 0. */
  revision?: number | null;
  /** Documents that wait for a decision, beside those of the last one, which some of them may be. Absent if there are none. */
  resubmitted?: DoctorDocumentPaths;
  /** Absent if no correction waits for a decision. */
  proposal?: Proposal;
  /** Changes whose events are not stored yet; absent or empty in almost all profiles. */
  eventNotes?: EventNote[];
  /** Present until the account has the change. */
  accountChange?: AccountChange;
  /** The texts that the doctor has corrected here, for the move from a legacy service. */
  corrected?: { [name in ProfileTextName]?: true };
  /** Imported documents that a change has replaced, until they are removed. */
  replaced?: string[];
  /** Digests of the license number and of a proposed one (doctor-matches.ts). */
  licenseKeys?: string[] | undefined;
  documentHashes?: DocumentHash[] | undefined;
  /** Present while a document has no hash. Each change of the documents makes another value, larger than those before. */
  unhashed?: string | undefined;
  /** Set by the first step of a removal. From then on nobody sees the profile, and nobody changes its documents. */
  removal?: ProfileRemoval | null;
}

/** Where a profile goes that is being removed. */
export type ProfileRemoval = 'final' | 'to trash';

/** When the documents of a doctor were submitted. */
export const submittedAtOf = ({
  verification,
  createdAt,
}: Pick<DoctorProfile, 'verification' | 'createdAt'>): Date => verification?.submittedAt ?? createdAt;

/** The verification of a stored profile. */
export const verificationOf = ({ verification }: Pick<DoctorProfile, 'verification'>): Verification =>
  verification ?? NOT_REVIEWED;

const required = { type: String, required: true };
const optional = { type: String, default: null };

const each = <T>(names: readonly ProfileTextName[], definition: T) =>
  Object.fromEntries(names.map((name) => [name, definition])) as Record<ProfileTextName, T>;

const documentPaths = {
  licenseFilePath: required,
  diplomaFilePath: required,
  certificationFilePath: optional,
};

const verification = {
  status: required,
  decidedAt: { type: Date, default: null },
  reason: optional,
  submittedAt: { type: Date, required: true },
  documents: [String],
  grounds: [String],
};

const proposal = {
  ...Object.fromEntries(REVIEWED_FIELDS.map((field) => [field, String])),
  submittedAt: { type: Date, required: true },
};

const accountChange = {
  revision: { type: Number, required: true },
  at: { type: Date, required: true },
  fields: { type: Schema.Types.Mixed, required: true },
};

export const doctorProfileSchema = new Schema<DoctorProfile>(
  {
    _id: required,
    ...each(REQUIRED_TEXTS, required),
    ...documentPaths,
    ...each(OPTIONAL_TEXTS, optional),
    createdAt: { type: Date, required: true },
    verification: { type: verification },
    revision: Number,
    resubmitted: { type: documentPaths },
    proposal: { type: proposal },
    accountChange: { type: accountChange },
    corrected: Schema.Types.Mixed,
    replaced: [String],
    removal: String,
    eventNotes: EVENT_NOTES,
    licenseKeys: [String],
    documentHashes: [{ path: required, sha256: required }],
    unhashed: String,
  },
  { collection: 'doctor_profiles' },
);
// The sweep looks for each document in the profiles.
doctorProfileSchema.index({ licenseFilePath: 1 });
doctorProfileSchema.index({ diplomaFilePath: 1 });
doctorProfileSchema.index({ certificationFilePath: 1 });
doctorProfileSchema.index({ 'resubmitted.licenseFilePath': 1 }, { sparse: true });
doctorProfileSchema.index({ 'resubmitted.diplomaFilePath': 1 }, { sparse: true });
doctorProfileSchema.index({ 'resubmitted.certificationFilePath': 1 }, { sparse: true });
// What a kill has left: the sweep finishes it.
doctorProfileSchema.index({ replaced: 1 }, { sparse: true });
doctorProfileSchema.index({ removal: 1 }, { sparse: true });
doctorProfileSchema.index({ 'accountChange.revision': 1 }, { sparse: true });
// The few changes whose events are not stored yet.
doctorProfileSchema.index({ 'eventNotes.at': 1 }, { sparse: true });
// Others with the same license number or document, and the profiles whose documents the sweep is to hash.
doctorProfileSchema.index({ licenseKeys: 1 }, { sparse: true });
doctorProfileSchema.index({ 'documentHashes.sha256': 1 }, { sparse: true });
doctorProfileSchema.index({ unhashed: 1 }, { sparse: true });
// The queue of reviewers: doctors with a verification by the time of their documents, all others by that of their registration.
doctorProfileSchema.index({ 'verification.status': 1, 'verification.submittedAt': 1, _id: 1 });
doctorProfileSchema.index({ 'verification.status': 1, createdAt: 1, _id: 1 });
doctorProfileSchema.index({ 'proposal.submittedAt': 1, _id: 1 });

/** What names documents in a profile. */
type NamedDocuments = Partial<DoctorDocumentPaths> & Pick<DoctorProfile, 'resubmitted' | 'replaced'>;

const pathsOf = (paths: Partial<DoctorDocumentPaths>): unknown[] =>
  DOCUMENT_FIELDS.map((field) => paths[field]);

/** Each once. A path of another form may come from a strange database, and lead out of the store. */
const storedPathsIn = (paths: readonly unknown[]): string[] => [
  ...new Set(paths.filter((path): path is string => typeof path === 'string' && isStoredPath(path))),
];

/** The documents of a profile that reviewers see, including those that wait for a decision. */
export const shownDocumentsOf = (profile: NamedDocuments): string[] =>
  storedPathsIn([...pathsOf(profile), ...pathsOf(profile.resubmitted ?? {})]);

/** All documents of a profile, also those that wait for a decision, and those that are being removed. */
export const allDocumentsOf = (profile: NamedDocuments): string[] =>
  storedPathsIn([...shownDocumentsOf(profile), ...(profile.replaced ?? [])]);

/** The documents that a profile has had and no longer names. */
export function replacedBy(before: NamedDocuments, after: DoctorDocumentPaths): string[] {
  const kept = pathsOf(after);
  return storedPathsIn([...pathsOf(before), ...(before.replaced ?? [])]).filter(
    (path) => !kept.includes(path),
  );
}

/**
 * What a change of a profile stores of the documents that it replaces, before these are removed. The sweep lists only the
 * documents that were uploaded here: after a crash, nothing else would know the imported ones.
 */
export function notingReplaced(
  before: NamedDocuments,
  after: DoctorDocumentPaths,
): Pick<DoctorProfile, 'replaced'> {
  const replaced = replacedBy(before, after).filter(isLegacyPath);
  return replaced.length > 0 ? { replaced } : {};
}
