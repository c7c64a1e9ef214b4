import { Field, ObjectType } from 'type-graphql';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { DoctorProfile } from '../../models/doctor-profile.model.ts';

@ObjectType('DoctorProfile', { description: "A doctor's practice and documents." })
export class DoctorProfileType {
  @Field(() => String, { description: 'The field of medicine.' })
  specialization!: string;

  @Field(() => String, { description: 'The number of the license.' })
  licenseNumber!: string;

  @Field(() => String, { description: 'Where the license can be fetched; an absolute URL.' })
  licenseFileUrl!: string;

  @Field(() => String, { description: 'Where the diploma can be fetched; an absolute URL.' })
  diplomaFileUrl!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Where the certification can be fetched; an absolute URL. Null if a legacy service had none.',
  })
  certificationUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Where the doctor works now.' })
  currentInstitution!: string | null;

  @Field(() => String, { nullable: true, description: 'Where the doctor worked before.' })
  workHistory!: string | null;

  @Field(() => String, { nullable: true, description: 'What the doctor published.' })
  publications!: string | null;

  @Field(() => String, { nullable: true, description: 'Where patients are seen.' })
  practiceAddress!: string | null;
}

/** A stored profile as the API shows it, its documents as URLs. */
export function presentProfile(profile: DoctorProfile, urls: DocumentUrls): DoctorProfileType {
  const { licenseFilePath, diplomaFilePath, certificationFilePath, ...texts } = profile;
  return {
    ...texts,
    licenseFileUrl: urls.urlOf(licenseFilePath),
    diplomaFileUrl: urls.urlOf(diplomaFilePath),
    certificationUrl: urls.urlOf(certificationFilePath),
  };
}
