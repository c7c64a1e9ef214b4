import 'reflect-metadata';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { REVIEW_DECISIONS, type Review, type ReviewDecision } from '../../auth/reviews/reviews.ts';
import { Allow, ValidateIf } from '../../system/class-validator.ts';
import { ReasonText, Required } from './field-rules.ts';

/** A decision of a reviewer. */
@ArgsType()
export class DecideOnDoctorArgs {
  @Field(() => ID, { description: "The id of the doctor's account." })
  @Required()
  id!: string;

  @Field(() => Int, {
    description:
      'The revision that the reviewer has seen. If the doctor has changed since, nothing is decided.',
  })
  @Allow()
  revision!: number;

  @Field(() => REVIEW_DECISIONS, { description: 'The decision.' })
  @Allow()
  decision!: ReviewDecision;

  @Field(() => String, {
    nullable: true,
    description: 'The reason, up to 1,000 characters. The doctor reads it. Required to reject or suspend.',
  })
  @ValidateIf(isReasoned)
  @Required()
  @ReasonText()
  reason?: string | undefined;

  /** The arguments in the terms of the service. */
  toReview(): Review {
    const { id, revision, decision, reason = null } = this;
    return { id, revision, decision, reason };
  }
}

/** An approval needs no reason, and a decision that does not exist has a text of its own. */
function isReasoned({ decision, reason }: DecideOnDoctorArgs): boolean {
  const { REJECT, SUSPEND } = REVIEW_DECISIONS;
  return decision === REJECT || decision === SUSPEND || reason !== undefined;
}
