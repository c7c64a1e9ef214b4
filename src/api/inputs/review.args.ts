import 'reflect-metadata';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { SomeDocuments } from '../../auth/doctor-documents.ts';
import { REVIEW_DECISIONS, type Review, type ReviewDecision } from '../../auth/reviews/decisions.ts';
import type { DoctorsQuery } from '../../auth/reviews/review-queue.ts';
import type { ReceivedFile } from '../../documents/quarantine.ts';
import { Allow, ValidateIf } from '../../patches/class-validator.ts';
import {
  DOCTOR_DOCUMENTS,
  type DoctorDocument,
  REJECTION_GROUNDS,
  type RejectionGround,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from '../../stores/doctors.ts';
import { DateScalar } from './date.scalar.ts';
import { OptionalDocumentFields } from './doctor-fields.ts';
import { Example, Optional, ReasonText, Required, WholeNumber } from './field-rules.ts';

const DEFAULT_FIRST = 20;
/** How many doctors a page has at most. */
export const MAX_FIRST = 100;

/** Which page of which doctors. */
@ArgsType()
export class DoctorsForReviewArgs {
  @Field(() => VERIFICATION_STATUSES, {
    nullable: true,
    defaultValue: VERIFICATION_STATUSES.PENDING,
    description: 'The status of the doctors.',
  })
  @Example('PENDING')
  @Allow()
  status?: VerificationStatus | undefined;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Lists the doctors with a correction or a renewal that waits for a decision instead, whatever their status is, the oldest first.',
  })
  @Allow()
  proposals?: boolean | undefined;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Lists the verified doctors whose verification ends within 60 days instead, the first end first.',
  })
  @Allow()
  ending?: boolean | undefined;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_FIRST,
    description: `How many doctors at most, from 1 to ${MAX_FIRST}.`,
  })
  @Example(DEFAULT_FIRST)
  @Optional()
  @WholeNumber(1, MAX_FIRST)
  first?: number | undefined;

  @Field(() => String, { nullable: true, description: 'The cursor after which the page begins.' })
  @Allow()
  after?: string | undefined;

  /** The arguments in the terms of the service. */
  toQuery(): DoctorsQuery {
    const { status = VERIFICATION_STATUSES.PENDING, proposals = false, ending = false } = this;
    const { first = DEFAULT_FIRST, after } = this;
    return { status, proposals, ending, first, after };
  }
}

/** Which doctor. */
@ArgsType()
export class DoctorForReviewArgs {
  @Field(() => ID, { description: "The id of the doctor's account." })
  @Example('')
  @Required()
  id!: string;
}

/** A decision of a reviewer. */
@ArgsType()
export class DecideOnDoctorArgs extends DoctorForReviewArgs {
  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the reviewer has seen. If the doctor has changed since, nothing is decided. Not needed to suspend.',
  })
  @Example(0)
  @ValidateIf(({ decision }: DecideOnDoctorArgs) => decision !== REVIEW_DECISIONS.SUSPEND)
  @Required()
  revision?: number | undefined;

  @Field(() => REVIEW_DECISIONS, { description: 'The decision.' })
  @Example('REJECT')
  @Allow()
  decision!: ReviewDecision;

  @Field(() => String, {
    nullable: true,
    description: 'The reason, up to 1,000 characters. The doctor reads it. Required to reject or suspend.',
  })
  @Example('The license has expired.')
  @ValidateIf(isReasoned)
  @Required()
  @ReasonText()
  reason?: string | undefined;

  @Field(() => [DOCTOR_DOCUMENTS], {
    nullable: true,
    description:
      'Which documents a rejected doctor must submit again; the others stay. All three, if none is named. Only to reject.',
  })
  @Allow()
  documents?: DoctorDocument[] | undefined;

  @Field(() => [REJECTION_GROUNDS], {
    nullable: true,
    description: 'Why, for the doctor to read in the own language, besides the reason. Only to reject.',
  })
  @Allow()
  grounds?: RejectionGround[] | undefined;

  @Field(() => DateScalar, {
    nullable: true,
    description:
      'The last day of the verification, in the time zone of the gateway, from today on. Only to approve or to change the end. Without it, an approval takes the default of the gateway, and a change of the end removes the end.',
  })
  @Allow()
  until?: string | undefined;

  /** The arguments in the terms of the service. */
  toReview(): Review {
    const { id, revision, decision, reason = null, documents = [], grounds = [], until } = this;
    return { id, revision, decision, reason, documents, grounds, until };
  }
}

/** An approval needs no reason, and a decision that does not exist has a text of its own. */
function isReasoned({ decision, reason }: DecideOnDoctorArgs): boolean {
  const { REJECT, SUSPEND } = REVIEW_DECISIONS;
  return decision === REJECT || decision === SUSPEND || reason !== undefined;
}

/** The documents of a doctor after a rejection, under the rules of a registration. Which ones, only the service knows. */
@InputType({
  description:
    'The documents of a doctor that the rejection asks for (`verification.documents`), or one to three to renew the verification.',
})
@OptionalDocumentFields
export class ResubmitDocumentsInput {
  licenseFile?: ReceivedFile | undefined;
  diplomaFile?: ReceivedFile | undefined;
  certificationFile?: ReceivedFile | undefined;

  /** The input in the terms of the service. */
  toDocuments(): SomeDocuments {
    const { licenseFile, diplomaFile, certificationFile } = this;
    return { licenseFile, diplomaFile, certificationFile };
  }
}
