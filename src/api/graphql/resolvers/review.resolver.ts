import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RecordedReviews } from '../../../auth/reviews/recorded-reviews.ts';
import type { Resubmission } from '../../../auth/reviews/resubmission.ts';
import type { ReviewedDoctor } from '../../../auth/reviews/review-queue.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import type { Clock } from '../../../system/clock.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import {
  DecideOnDoctorArgs,
  DoctorForReviewArgs,
  DoctorsForReviewArgs,
  ResubmitDocumentsInput,
} from '../../inputs/review.args.ts';
import type { GraphqlContext } from '../context.ts';
import { inBatches } from '../long-responses.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from '../types/doctor-profile.type.ts';
import {
  presentPage,
  presentReviewed,
  ReviewedDoctorConnection,
  ReviewedDoctorType,
} from '../types/reviewed-doctor.type.ts';

/** Each has an account and a profile, which may be selected several times. */
const DOCTORS_IN_BATCH = 5;

interface ReviewParts {
  sessions: Sessions;
  recordedReviews: RecordedReviews;
  resubmission: Resubmission;
  urls: DocumentUrls;
  clock: Clock;
}

@Resolver()
export class ReviewResolver {
  constructor(private readonly parts: ReviewParts) {}

  @Query(() => ReviewedDoctorConnection, {
    description:
      'For reviewers: the doctors of a status, the oldest documents first; of `EXPIRED`, the first end first. An operation may have it once.',
  })
  async doctorsForReview(
    @Args(() => DoctorsForReviewArgs) args: DoctorsForReviewArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<object> {
    const session = await this.parts.sessions.authorize(OPERATIONS.doctorsForReview, caller);
    const page = await this.parts.recordedReviews.page(args.toQuery(), session, caller);
    const { edges, pageInfo } = presentPage(page, args.after, this.parts.urls, this.parts.clock.now());
    return { edges: inBatches(edges, DOCTORS_IN_BATCH), pageInfo };
  }

  @Query(() => ReviewedDoctorType, {
    description:
      'For reviewers: a doctor, with others who have the same license number or document. An operation may have it once.',
  })
  async doctorForReview(
    @Args(() => DoctorForReviewArgs) { id }: DoctorForReviewArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ReviewedDoctorType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.doctorForReview, caller);
    const doctor = await this.parts.recordedReviews.find(id, session, caller);
    return this.#present(doctor);
  }

  @Mutation(() => ReviewedDoctorType, {
    description: 'For reviewers: decides on a doctor. New documents replace those of the last decision.',
  })
  async decideOnDoctor(
    @Args(() => DecideOnDoctorArgs) args: DecideOnDoctorArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ReviewedDoctorType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.decideOnDoctor, caller);
    return this.#present(await this.parts.recordedReviews.decide(args.toReview(), session, caller));
  }

  @Mutation(() => DoctorProfileType, {
    description:
      'For a doctor whose documents were rejected: submits those again that the rejection asks for (`verification.documents`). From 60 days before the end of a verification on: submits one to three new ones to renew it, and the doctor stays verified until the end. The profile has the documents of the last decision until a reviewer decides on the new ones.',
  })
  async resubmitDocuments(
    @Arg('input', () => ResubmitDocumentsInput, { description: 'The new documents.' })
    input: ResubmitDocumentsInput,
    @Ctx() { caller, admission }: GraphqlContext,
  ): Promise<DoctorView> {
    const session = await this.parts.sessions.authorize(OPERATIONS.resubmitDocuments, caller);
    const admitted = admission ?? (await this.parts.resubmission.admit(session, caller));
    const profile = await this.parts.resubmission.submit(input.toDocuments(), session, caller, admitted);
    return presentDoctor(profile, this.parts.urls, this.parts.clock.now());
  }

  #present(doctor: ReviewedDoctor): ReviewedDoctorType {
    return presentReviewed(doctor, this.parts.urls, this.parts.clock.now());
  }
}
