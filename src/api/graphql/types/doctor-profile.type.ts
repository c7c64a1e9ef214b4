import 'reflect-metadata';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { LINE_MAX_CHARACTERS, LINES_MAX_CHARACTERS } from '../../../auth/text-rules.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import {
  OPTIONAL_TEXTS,
  PROFILE_TEXTS,
  type ProfileTextName,
  REQUIRED_TEXTS,
} from '../../../stores/doctor-profile-record.ts';
import {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  DOCTOR_DOCUMENTS,
  type DoctorDocument,
  type DoctorProfile,
  type ProposalView,
  proposalOf,
  REJECTION_GROUNDS,
  type RejectionGround,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  type VerificationView,
  verificationView,
} from '../../../stores/doctors.ts';
import { type ProfileView, presentProfile } from '../../http/present-profile.ts';
import { Characters, Items } from '../limits/answer-size.ts';

registerEnumType(VERIFICATION_STATUSES, {
  name: 'VerificationStatus',
  description: 'What reviewers have decided about a doctor.',
  valuesConfig: {
    PENDING: { description: 'The documents wait for a decision.' },
    VERIFIED: { description: 'A reviewer has approved the documents.' },
    REJECTED: { description: 'A reviewer has rejected the documents. The doctor may submit them again.' },
    SUSPENDED: { description: 'A reviewer has suspended the doctor.' },
    EXPIRED: { description: 'The verification has ended.' },
  },
});

registerEnumType(DOCTOR_DOCUMENTS, {
  name: 'DoctorDocument',
  description: 'A document of a doctor.',
  valuesConfig: {
    LICENSE: { description: 'The license.' },
    DIPLOMA: { description: 'The diploma.' },
    CERTIFICATION: { description: 'The certification.' },
  },
});

registerEnumType(REJECTION_GROUNDS, {
  name: 'RejectionGround',
  description: 'Why a reviewer rejects.',
  valuesConfig: {
    UNREADABLE: { description: 'A document cannot be read.' },
    DOCUMENT_EXPIRED: { description: 'A document is no longer valid.' },
    NAME_DIFFERS: { description: 'The name is not that of the documents.' },
    NUMBER_NOT_FOUND: { description: 'The license number is not in the register.' },
    WRONG_DOCUMENT: { description: 'A document is not the one that it should be.' },
  },
});

@ObjectType('Verification', { description: 'The state of the review of a doctor.' })
class VerificationType implements VerificationView {
  @Field(() => VERIFICATION_STATUSES, { description: 'Pending until a reviewer decides.' })
  status!: VerificationStatus;

  @Field(() => Date, {
    nullable: true,
    description: 'When a reviewer last decided; null while nobody has.',
  })
  decidedAt!: Date | null;

  @Characters(1_000)
  @Field(() => String, {
    nullable: true,
    description: 'The reason of the last decision, if one was given. It is for the doctor to read.',
  })
  reason!: string | null;

  @Items(ALL_DOCUMENTS.length)
  @Field(() => [DOCTOR_DOCUMENTS], {
    description:
      'The documents that a rejected doctor must submit again: all three, or those that the reviewer has named. Once they were sent, only those that were named. Otherwise empty.',
  })
  documents!: readonly DoctorDocument[];

  @Field(() => Date, {
    nullable: true,
    description:
      'When the verification of a verified doctor ends, or has ended: the first moment after its last day. Null: never.',
  })
  until!: Date | null;

  @Field(() => Boolean, {
    description:
      'Whether the doctor may renew the verification now, by `resubmitDocuments`: from 60 days before its end on.',
  })
  isRenewable!: boolean;
  @Items(ALL_GROUNDS.length)
  @Field(() => [REJECTION_GROUNDS], {
    description:
      'Why the last decision was a rejection, besides its reason. Empty, if the reviewer has named none.',
  })
  grounds!: readonly RejectionGround[];
}

@ObjectType('ProfileProposal', {
  description:
    'A correction by a verified doctor, or a renewal, that waits for a decision. Until then everybody sees what was reviewed. A field that stays as it is is null.',
})
class ProfileProposalType implements ProposalView {
  @Field(() => String, { nullable: true, description: 'Another name.' })
  name!: string | null;

  @Field(() => String, { nullable: true, description: 'Another field of medicine.' })
  specialization!: string | null;

  @Field(() => String, { nullable: true, description: 'Another number of the license.' })
  licenseNumber!: string | null;

  @Field(() => Date, { description: 'When it was submitted.' })
  submittedAt!: Date;

  @Field(() => Boolean, { description: 'Whether new documents wait, too, which renew the verification.' })
  hasDocuments!: boolean;
}

/** A doctor's profile as this API shows it. The REST contract has neither verification nor proposal. */
export interface DoctorView extends ProfileView {
  verification: VerificationView;
  proposal: ProposalView | null;
}

const MAX_CHARACTERS = { line: LINE_MAX_CHARACTERS, lines: LINES_MAX_CHARACTERS };

/** Adds texts of the profile to the type, after its existing fields. */
const TextFields =
  (names: readonly ProfileTextName[]): ClassDecorator =>
  ({ prototype }) => {
    for (const name of names) {
      const { isRequired, kind, description } = PROFILE_TEXTS[name];
      Field(() => String, { nullable: !isRequired, description: `${description}.` })(prototype, name);
      Characters(MAX_CHARACTERS[kind])(prototype, name);
    }
  };

@ObjectType('DoctorProfile', { description: "A doctor's practice and documents." })
@TextFields(OPTIONAL_TEXTS)
export class DoctorProfileType implements Omit<DoctorView, ProfileTextName> {
  static {
    // Runs before the decorators below.
    TextFields(REQUIRED_TEXTS)(DoctorProfileType);
  }

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

  @Field(() => VerificationType, { description: 'What reviewers have decided.' })
  verification!: VerificationView;

  @Field(() => ProfileProposalType, {
    nullable: true,
    description: 'What the doctor wants to be corrected, if it waits for a decision.',
  })
  proposal!: ProposalView | null;
}

/** Presents a stored profile at a moment. */
export function presentDoctor(profile: DoctorProfile, urls: DocumentUrls, nowMillis: number): DoctorView {
  return {
    ...presentProfile(profile, urls),
    verification: verificationView(profile, nowMillis),
    proposal: proposalOf(profile),
  };
}
