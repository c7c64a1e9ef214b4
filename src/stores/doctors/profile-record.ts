import { Schema } from 'mongoose';
import {
  type DoctorProfileTexts,
  OPTIONAL_TEXTS,
  type ProfileTextName,
  REQUIRED_TEXTS,
} from './profile-texts.ts';

/** The stored paths of the three documents: `<group>/<name>`, never a URL, so that BASE_URL may change. */
export interface DoctorDocumentPaths {
  licenseFilePath: string;
  diplomaFilePath: string;
  /** null if a legacy service had none. A registration here always has one. */
  certificationFilePath: string | null;
}

/** What reviewers have decided about a doctor. */
export const VERIFICATION_STATUSES = {
  PENDING: 'pending',
  VERIFIED: 'verified',
  REJECTED: 'rejected',
  SUSPENDED: 'suspended',
} as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[keyof typeof VERIFICATION_STATUSES];

/** The state of the review of a doctor. */
export interface Verification {
  status: VerificationStatus;
  /** When a reviewer last decided; null while nobody has. */
  decidedAt: Date | null;
  /** The reason of the last decision, for the doctor to read; null if none was given. */
  reason: string | null;
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

/** A doctor's profile. It has the id of the account, so an account can never have two. */
export interface DoctorProfile extends DoctorProfileTexts, DoctorDocumentPaths {
  _id: string;
  createdAt: Date;
  /** Absent until the first decision: {@link verificationOf} reads it. */
  verification?: StoredVerification;
  /** Counts the changes that a reviewer must not miss: decisions and new documents. Absent: 0. */
  revision?: number | null;
  /** Documents that wait for a decision, beside those of the last one. Absent if there are none. */
  resubmitted?: DoctorDocumentPaths;
  /** Imported documents that a change has replaced, until they are removed. */
  replaced?: string[];
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

export const DOCTOR_PROFILES = 'doctor_profiles';

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
};

export const doctorProfileSchema = new Schema<DoctorProfile>(
  {
    _id: required,
    ...each(REQUIRED_TEXTS, required),
    ...documentPaths,
    ...each(OPTIONAL_TEXTS, optional),
    createdAt: { type: Date, required: true },
    verification: { type: new Schema(verification, { _id: false }), default: undefined },
    revision: { type: Number },
    resubmitted: { type: new Schema(documentPaths, { _id: false }), default: undefined },
    replaced: { type: [String], default: undefined },
    removal: { type: String },
  },
  { collection: DOCTOR_PROFILES, versionKey: false },
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
// The queue of reviewers: doctors with a verification by the time of their documents, all others by that of their registration.
doctorProfileSchema.index({ 'verification.status': 1, 'verification.submittedAt': 1, _id: 1 });
doctorProfileSchema.index({ 'verification.status': 1, createdAt: 1, _id: 1 });
