import 'reflect-metadata';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { REVIEW_DECISIONS } from '../../../auth/reviews/decisions.ts';
import type { LicenseFit } from '../../../auth/reviews/license-rules.ts';
import {
  cursorOfDoctor,
  type DoctorsPage,
  type OtherDoctor,
  type ReviewedDoctor,
} from '../../../auth/reviews/review-queue.ts';
import { MAX_OTHERS } from '../../../auth/reviews/reviews.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { statusAt, VERIFICATION_STATUSES, type VerificationStatus } from '../../../stores/doctors.ts';
import { MAX_FIRST } from '../../inputs/review.args.ts';
import { Items } from '../limits/answer-size.ts';
import { AccountType } from './account.type.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from './doctor-profile.type.ts';

registerEnumType(REVIEW_DECISIONS, {
  name: 'ReviewDecision',
  description: 'What a reviewer can decide about a doctor.',
  valuesConfig: {
    APPROVE: {
      description:
        'The doctor becomes `VERIFIED`. If a verified or expired doctor has a proposal, only that is applied.',
    },
    REJECT: {
      description:
        'The doctor becomes `REJECTED`, and may submit documents again. If a verified or expired doctor has a proposal, only that is dropped.',
    },
    SUSPEND: {
      description:
        'The doctor becomes `SUSPENDED`, without a proposal. Only for a pending, verified or expired doctor.',
    },
    CHANGE_END: {
      description:
        'The verification of a verified doctor ends after the day `until`, or never. All that waits stays.',
    },
  },
});

@ObjectType('ReviewDocuments', { description: 'Documents that wait for a decision.' })
class ReviewDocumentsType {
  @Field(() => String, { description: 'Where the license can be fetched; an absolute URL.' })
  licenseFileUrl!: string;

  @Field(() => String, { description: 'Where the diploma can be fetched; an absolute URL.' })
  diplomaFileUrl!: string;

  @Field(() => String, { description: 'Where the certification can be fetched; an absolute URL.' })
  certificationUrl!: string;
}

@ObjectType('LicenseFit', { description: 'Which rule of the operator the number of a license fits.' })
class LicenseFitType implements LicenseFit {
  @Field(() => String, { nullable: true, description: 'The name of the rule; null if the number fits none.' })
  rule!: string | null;

  @Field(() => String, { nullable: true, description: 'Where the rule is written down.' })
  source!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where the number can be looked up; an https address.',
  })
  lookupUrl!: string | null;
}

@ObjectType('OtherDoctor', {
  description: 'A doctor with the same license number or document as another one.',
})
class OtherDoctorType {
  @Field(() => ID, { description: 'The id of the account, for `doctorForReview`.' })
  id!: string;

  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => VERIFICATION_STATUSES, { description: 'What reviewers have decided.' })
  status!: VerificationStatus;

  @Field(() => Boolean, { description: 'Whether the account is disabled or closed.' })
  isDisabled!: boolean;

  @Field(() => Boolean, {
    description: 'Compared without blanks, punctuation and case; also a proposed one.',
  })
  hasSameLicenseNumber!: boolean;

  @Field(() => Boolean, { description: 'Whether a document has the same content, to the byte.' })
  hasSameDocument!: boolean;
}

@ObjectType('ReviewedDoctor', { description: 'A doctor as reviewers see one.' })
export class ReviewedDoctorType {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => DoctorProfileType, { description: 'The profile, with the documents of the last decision.' })
  profile!: DoctorView;

  @Field(() => Int, {
    description: 'Counts the decisions, new documents and corrections. A decision names it.',
  })
  revision!: number;

  @Field(() => Date, {
    description: 'When the documents were submitted that wait for a decision, or were decided on.',
  })
  submittedAt!: Date;

  @Field(() => ReviewDocumentsType, {
    nullable: true,
    description:
      'The documents that were submitted after a rejection, which replace those of the profile at the next decision, or to renew a verification, which replace them at an approval. Null if there are none.',
  })
  newDocuments!: ReviewDocumentsType | null;

  @Field(() => Boolean, {
    description: 'Whether the account is disabled or closed, so that nobody decides on it.',
  })
  isDisabled!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the doctor gets the reason of a decision by mail. False without mails, and for an e-mail address that was not confirmed.',
  })
  isReasonMailed!: boolean;

  @Field(() => LicenseFitType, {
    nullable: true,
    description: 'Which rule the license number fits. It decides nothing. Null if the operator has no rules.',
  })
  licenseFit!: LicenseFit | null;

  @Field(() => LicenseFitType, {
    nullable: true,
    description: 'The same for a proposed license number. Null if there is none.',
  })
  proposedLicenseFit!: LicenseFit | null;

  @Items(MAX_OTHERS)
  @Field(() => [OtherDoctorType], {
    nullable: true,
    description:
      'Others with the same license number or document, at most five, whatever their status is. Only `doctorForReview` looks for them.',
  })
  others!: OtherDoctorType[] | null;
}

/** https://relay.dev/graphql/connections.htm */
@ObjectType('PageInfo', { description: 'Where a page of a list is.' })
class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are more items after `endCursor`.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether the page begins behind a cursor.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first item.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor after which the next page begins.' })
  endCursor!: string | null;
}

@ObjectType('ReviewedDoctorEdge', { description: 'A doctor in a list.' })
class ReviewedDoctorEdge {
  @Field(() => String, { description: 'The place in the list, for `after`.' })
  cursor!: string;

  @Field(() => ReviewedDoctorType, { description: 'The doctor.' })
  node!: ReviewedDoctorType;
}

@ObjectType('ReviewedDoctorConnection', { description: 'A page of doctors, the oldest documents first.' })
export class ReviewedDoctorConnection {
  @Items({ argument: 'first', most: MAX_FIRST })
  @Field(() => [ReviewedDoctorEdge], {
    description:
      'The doctors. A page may have fewer than asked for, even if there are more: also where their profiles are long.',
  })
  edges!: ReviewedDoctorEdge[];

  @Field(() => PageInfo, { description: 'Where the page is.' })
  pageInfo!: PageInfo;
}

/** A doctor as reviewers see one. The account has its profile, so no field reads it again. */
export function presentReviewed(
  doctor: ReviewedDoctor,
  urls: DocumentUrls,
  nowMillis: number,
): ReviewedDoctorType {
  const { account, profile, others, ...about } = doctor;
  const { resubmitted } = profile;
  return {
    ...about,
    account: { ...account, storedProfile: profile },
    profile: presentDoctor(profile, urls, nowMillis),
    others: others?.map((other) => presentOther(other, nowMillis)) ?? null,
    newDocuments: resubmitted
      ? {
          licenseFileUrl: urls.urlOf(resubmitted.licenseFilePath),
          diplomaFileUrl: urls.urlOf(resubmitted.diplomaFilePath),
          certificationUrl: urls.urlOf(resubmitted.certificationFilePath ?? ''),
        }
      : null,
  };
}

const presentOther = ({ account, profile, ...about }: OtherDoctor, nowMillis: number): OtherDoctorType => {
  const { id, name } = account;
  return { ...about, id, name, status: statusAt(profile, nowMillis) };
};

/** @param after the cursor that the page begins behind */
export function presentPage(
  { doctors, hasNextPage, endCursor }: DoctorsPage,
  after: string | undefined,
  urls: DocumentUrls,
  nowMillis: number,
): ReviewedDoctorConnection {
  const edges = doctors.map((doctor) => ({
    cursor: cursorOfDoctor(doctor),
    node: presentReviewed(doctor, urls, nowMillis),
  }));
  const hasPreviousPage = after !== undefined;
  const startCursor = edges[0]?.cursor ?? null;
  return { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } };
}
