import 'reflect-metadata';
import { ArgsType, Field, Int } from 'type-graphql';
import type { DoctorsQuery } from '../../auth/reviews/review-queue.ts';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../stores/doctors.ts';
import { Allow } from '../../system/class-validator.ts';
import { Optional, WholeNumber } from './field-rules.ts';

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
  @Allow()
  status?: VerificationStatus | undefined;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_FIRST,
    description: `How many doctors at most, from 1 to ${MAX_FIRST}.`,
  })
  @Optional()
  @WholeNumber(1, MAX_FIRST)
  first?: number | undefined;

  @Field(() => String, { nullable: true, description: 'The cursor after which the page begins.' })
  @Allow()
  after?: string | undefined;

  /** The arguments in the terms of the service. */
  toQuery(): DoctorsQuery {
    const { status = VERIFICATION_STATUSES.PENDING, first = DEFAULT_FIRST, after } = this;
    return { status, first, after };
  }
}
