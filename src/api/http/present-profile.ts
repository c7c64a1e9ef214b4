import type { DocumentUrls } from '../../documents/document-urls.ts';
import { type DoctorProfileTexts, textsOf } from '../../stores/doctor-profile-record.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';

/** A doctor's profile as both APIs show it. */
export interface ProfileView extends DoctorProfileTexts {
  licenseFileUrl: string;
  diplomaFileUrl: string;
  /** null if an imported legacy account has none. */
  certificationUrl: string | null;
}

/** Presents a stored profile with the absolute URLs of its documents. The REST contract sets the order of the keys. */
export function presentProfile(profile: DoctorProfile, urls: DocumentUrls): ProfileView {
  const { specialization, licenseNumber, ...otherTexts } = textsOf(profile);
  return {
    specialization,
    licenseNumber,
    licenseFileUrl: urls.urlOf(profile.licenseFilePath),
    diplomaFileUrl: urls.urlOf(profile.diplomaFilePath),
    certificationUrl: urls.urlOf(profile.certificationFilePath),
    ...otherTexts,
  };
}
