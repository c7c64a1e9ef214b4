import type { DocumentUrls } from '../../documents/document-urls.ts';
import { type DoctorProfileTexts, textsOf } from '../../stores/doctor-profile-record.ts';
import { type DoctorProfile, type Verification, verificationOf } from '../../stores/doctors.ts';
import type { PersonalData } from './personal-data.ts';

/** A doctor's profile with all that is stored about it, and links to the documents. */
export interface PersonalProfileView extends DoctorProfileTexts {
  licenseFileUrl: string;
  diplomaFileUrl: string;
  certificationUrl: string | null;
  createdAt: Date;
  verification: Verification;
  /** null if no documents wait for a decision. */
  resubmittedLicenseFileUrl: string | null;
  resubmittedDiplomaFileUrl: string | null;
  resubmittedCertificationUrl: string | null;
}

/** The data of a person as the GraphQL API and the command line show it. */
export interface PersonalDataView extends Omit<PersonalData, 'profile'> {
  profile: PersonalProfileView | null;
}

/** Presents the data of a person with links to the documents instead of stored paths. */
export const presentPersonalData = (data: PersonalData, urls: DocumentUrls): PersonalDataView => ({
  ...data,
  profile: data.profile && presentProfile(data.profile, urls),
});

function presentProfile(profile: DoctorProfile, urls: DocumentUrls): PersonalProfileView {
  const { createdAt, resubmitted } = profile;
  const { status, decidedAt, reason } = verificationOf(profile);
  const urlOf = (path: string | null | undefined) => urls.urlOf(path ?? null);
  return {
    ...textsOf(profile),
    licenseFileUrl: urls.urlOf(profile.licenseFilePath),
    diplomaFileUrl: urls.urlOf(profile.diplomaFilePath),
    certificationUrl: urlOf(profile.certificationFilePath),
    createdAt,
    verification: { status, decidedAt: decidedAt ?? null, reason: reason ?? null },
    resubmittedLicenseFileUrl: urlOf(resubmitted?.licenseFilePath),
    resubmittedDiplomaFileUrl: urlOf(resubmitted?.diplomaFilePath),
    resubmittedCertificationUrl: urlOf(resubmitted?.certificationFilePath),
  };
}
