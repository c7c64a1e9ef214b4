import 'reflect-metadata';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { cursorOfDoctor, type DoctorsPage, type ReviewedDoctor } from '../../../auth/reviews/review-queue.ts';
import { REVIEW_DECISIONS } from '../../../auth/reviews/reviews.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { MAX_FIRST } from '../../inputs/review.args.ts';
import { Items } from '../limits/answer-size.ts';
import { AccountType } from './account.type.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from './doctor-profile.type.ts';

registerEnumType(REVIEW_DECISIONS, {
  name: 'ReviewDecision',
  description: 'What a reviewer can decide about a doctor.',
  valuesConfig: {
    APPROVE: { description: 'The doctor becomes `VERIFIED`, and a proposal is applied.' },
    REJECT: {
      description:
        'The doctor becomes `REJECTED`, and may submit documents again. If a verified doctor has a proposal, only that is dropped.',
    },
    SUSPEND: {
      description:
        'The doctor becomes `SUSPENDED`, without a proposal. Only for a pending or verified doctor.',
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
      'The documents that were submitted after a rejection. They replace those of the profile at the next decision. Null if there are none.',
  })
  newDocuments!: ReviewDocumentsType | null;
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
export function presentReviewed(doctor: ReviewedDoctor, urls: DocumentUrls): ReviewedDoctorType {
  const { account, profile, revision, submittedAt } = doctor;
  const { resubmitted } = profile;
  return {
    account: { ...account, storedProfile: profile },
    profile: presentDoctor(profile, urls),
    revision,
    submittedAt,
    newDocuments: resubmitted
      ? {
          licenseFileUrl: urls.urlOf(resubmitted.licenseFilePath),
          diplomaFileUrl: urls.urlOf(resubmitted.diplomaFilePath),
          certificationUrl: urls.urlOf(resubmitted.certificationFilePath ?? ''),
        }
      : null,
  };
}

/** @param after the cursor that the page begins behind */
export function presentPage(
  { doctors, hasNextPage, endCursor }: DoctorsPage,
  after: string | undefined,
  urls: DocumentUrls,
): ReviewedDoctorConnection {
  const edges = doctors.map((doctor) => ({
    cursor: cursorOfDoctor(doctor),
    node: presentReviewed(doctor, urls),
  }));
  const hasPreviousPage = after !== undefined;
  const startCursor = edges[0]?.cursor ?? null;
  return { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } };
}
