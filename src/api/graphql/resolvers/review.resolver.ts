import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { ReviewService } from '../../../auth/reviews/review-service.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { ResubmitDocumentsInput } from '../../inputs/resubmit-documents.input.ts';
import { DecideOnDoctorArgs, DoctorForReviewArgs, DoctorsForReviewArgs } from '../../inputs/review.args.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
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

@Resolver()
export class ReviewResolver {
  constructor(
    private readonly reviews: ReviewService,
    private readonly urls: DocumentUrls,
  ) {}

  @Sensitive()
  @Query(() => ReviewedDoctorConnection, {
    description:
      'For reviewers: the doctors of a status, the oldest documents first. An operation may have it once.',
  })
  async doctorsForReview(
    @Args(() => DoctorsForReviewArgs) args: DoctorsForReviewArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<object> {
    const page = await this.reviews.forReview(args.toQuery(), caller);
    const { edges, pageInfo } = presentPage(page, args.after, this.urls);
    return { edges: inBatches(edges, DOCTORS_IN_BATCH), pageInfo };
  }

  @Sensitive()
  @Query(() => ReviewedDoctorType, {
    description:
      'For reviewers: a doctor, with others who have the same license number or document. An operation may have it once.',
  })
  async doctorForReview(
    @Args(() => DoctorForReviewArgs) { id }: DoctorForReviewArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ReviewedDoctorType> {
    return presentReviewed(await this.reviews.oneForReview(id, caller), this.urls);
  }

  @Mutation(() => ReviewedDoctorType, {
    description: 'For reviewers: decides on a doctor. New documents replace those of the last decision.',
  })
  async decideOnDoctor(
    @Args(() => DecideOnDoctorArgs) args: DecideOnDoctorArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ReviewedDoctorType> {
    return presentReviewed(await this.reviews.decide(args.toReview(), caller), this.urls);
  }

  @Sensitive()
  @Mutation(() => DoctorProfileType, {
    description:
      'For a doctor whose documents were rejected: submits those again that the rejection asks for (`verification.documents`). The profile has the documents of the last decision until a reviewer decides on the new ones.',
  })
  async resubmitDocuments(
    @Arg('input', () => ResubmitDocumentsInput, { description: 'The new documents.' })
    input: ResubmitDocumentsInput,
    @Ctx() { caller, admission }: GraphqlContext,
  ): Promise<DoctorView> {
    const admitted = admission ?? (await this.reviews.admitResubmission(caller));
    return presentDoctor(await this.reviews.resubmit(input.toDocuments(), caller, admitted), this.urls);
  }
}
