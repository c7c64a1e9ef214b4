import { Schema } from 'mongoose';
import type { DocumentGroup } from '../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../documents/stored-path.ts';
import type { AccountCorrection } from './account-record.ts';
import { EVENT_NOTES, type EventNote } from './event-notes.ts';
import {
  documentsAskedFor,
  ENDING_MILLIS,
  endOf,
  groundsOf,
  type Reviewed,
  STORED_STATUSES,
  storedStatusOf,
  VERIFICATION,
  type Verification,
  verificationAt,
} from './verification-record.ts';

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

/** What reviewers have looked at. A verified doctor can only propose another one. */
export const REVIEWED_FIELDS = ['name', 'specialization', 'licenseNumber'] as const;

type ReviewedField = (typeof REVIEWED_FIELDS)[number];

/** What a verified doctor wants to be corrected. It waits for a decision; a field that is absent stays as it is. */
export type Proposal = { [field in ReviewedField]?: string } & {
  /** As in the verification, whose place in the queue it has. */
  submittedAt: Date;
};

/** A proposal with null for each field that stays. */
export type ProposalView = Record<ReviewedField, string | null> &
  Pick<Proposal, 'submittedAt'> & {
    /** Whether new documents wait, too. */
    hasDocuments: boolean;
  };

/** The proposal of a stored profile; null if none waits. */
export const proposalOf = ({ proposal, ...profile }: DoctorProfile): ProposalView | null => {
  if (!proposal) {
    return null;
  }
  const { name = null, specialization = null, licenseNumber = null, submittedAt } = proposal;
  return { name, specialization, licenseNumber, submittedAt, hasDocuments: hasRenewal(profile) };
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
export interface DoctorProfile extends DoctorProfileTexts, DoctorDocumentPaths, Reviewed {
  _id: string;
  createdAt: Date;
  /** Counts the changes that a reviewer must not miss: decisions, new documents and corrections. Absent: 0. */
  revision?: number | null;
  /**
   * Documents that wait for a decision, beside those of the last one, which some of them may be. Absent if there are none. Those of a verified
   * doctor are a renewal, and have their place in `proposal`.
   */
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
  /** When the doctor or services are told next that the verification ends. Absent if there is nothing to tell any more. */
  tellAt?: Date | undefined;
  /** Set by the first step of a removal. From then on nobody sees the profile, and nobody changes its documents. */
  removal?: ProfileRemoval | null;
}

/** Where a profile goes that is being removed. */
export type ProfileRemoval = 'final' | 'to trash';

type Renewed = Pick<DoctorProfile, 'verification' | 'resubmitted'>;

/** True if a verified doctor, or one who has expired, has sent documents to renew the verification. */
export const hasRenewal = (profile: Renewed): boolean =>
  storedStatusOf(profile) === STORED_STATUSES.VERIFIED && Boolean(profile.resubmitted);

/** True from 60 days before the end of a verification on, unless documents wait already. */
export function mayRenew(profile: Renewed, nowMillis: number): boolean {
  const end = endOf(profile);
  return end !== undefined && end.getTime() - ENDING_MILLIS <= nowMillis && !profile.resubmitted;
}

/** The verification of a profile at a moment, with all that depends on the time, and null where there is nothing. */
export interface VerificationView extends Required<Omit<Verification, 'until'>> {
  until: Date | null;
  /** Whether the doctor may renew the verification now. */
  isRenewable: boolean;
}

/** The verification of a stored profile at a moment, for its doctor and for reviewers. */
export function verificationView(profile: Renewed, nowMillis: number): VerificationView {
  const verification = verificationAt(profile, nowMillis);
  const { status, decidedAt = null, reason = null, until = null } = verification;
  return {
    ...{ status, decidedAt, reason },
    documents: documentsAskedFor(verification),
    until,
    isRenewable: mayRenew(profile, nowMillis),
    grounds: groundsOf(verification),
  };
}

/** The earliest time of JavaScript (ECMA-262, section 21.4.1.1). */
export const EARLIEST_MILLIS = -8.64e15;

const required = { type: String, required: true };
const optional = { type: String, default: null };

const each = <T>(names: readonly ProfileTextName[], definition: T) =>
  Object.fromEntries(names.map((name) => [name, definition])) as Record<ProfileTextName, T>;

const documentPaths = {
  licenseFilePath: required,
  diplomaFilePath: required,
  certificationFilePath: optional,
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
    verification: { type: VERIFICATION },
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
    tellAt: Date,
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
// Whom to tell that the verification ends.
doctorProfileSchema.index({ tellAt: 1 }, { sparse: true });
// The queue of reviewers: doctors with a verification by the time of their documents, all others by that of their registration.
doctorProfileSchema.index({ 'verification.status': 1, 'verification.submittedAt': 1, _id: 1 });
doctorProfileSchema.index({ 'verification.status': 1, createdAt: 1, _id: 1 });
doctorProfileSchema.index({ 'proposal.submittedAt': 1, _id: 1 });
// The doctors whose verification ends, in its order.
doctorProfileSchema.index(
  { 'verification.until': 1, _id: 1 },
  { partialFilterExpression: { 'verification.until': { $gte: new Date(EARLIEST_MILLIS) } } },
);

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
export function replacedBy(
  before: NamedDocuments,
  after: DoctorDocumentPaths & Pick<DoctorProfile, 'resubmitted'>,
): string[] {
  const kept: unknown[] = shownDocumentsOf(after);
  return allDocumentsOf(before).filter((path) => !kept.includes(path));
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
