export {
  type DoctorDocumentPaths,
  type DoctorProfile,
  type DoctorProfileModel,
  NOT_REVIEWED,
  type StoredVerification,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type Verification,
  type VerificationStatus,
  verificationOf,
} from './profile-record.ts';
