import 'reflect-metadata';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import {
  VERIFICATION_STATUSES,
  type Verification,
  type VerificationStatus,
} from '../../../stores/doctors.ts';
import { Characters } from '../rules/sizes.ts';

registerEnumType(VERIFICATION_STATUSES, {
  name: 'VerificationStatus',
  description: 'What reviewers have decided about a doctor.',
  valuesConfig: {
    PENDING: { description: 'The documents wait for a decision.' },
    VERIFIED: { description: 'A reviewer has approved the documents.' },
    REJECTED: { description: 'A reviewer has rejected the documents. The doctor may submit them again.' },
    SUSPENDED: { description: 'A reviewer has suspended the doctor.' },
  },
});

@ObjectType('Verification', { description: 'The state of the review of a doctor.' })
export class VerificationType implements Verification {
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
}
