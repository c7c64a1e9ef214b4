import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import type { Correction } from '../../auth/corrections.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS, textsOf } from '../../stores/doctor-profile-record.ts';
import { DateScalar } from './date.scalar.ts';
import { ProfileTexts } from './doctor-fields.ts';
import { DateOfBirth, Example, Language, Line, Optional, Prohibited } from './field-rules.ts';
import { KeepsNull } from './input-validator.ts';

/**
 * The fields of a correction. One that is absent stays as it is; null empties it. Which of them an account has, and which it cannot
 * do without, depends on its role.
 */
@InputType({
  description:
    'What to correct. A field that is not sent stays; null empties one that may be empty. A doctor has no date of birth, and others have no profile.',
})
@KeepsNull()
@ProfileTexts([...REQUIRED_TEXTS, ...OPTIONAL_TEXTS], 'optional')
@Example({ phone: '+49 30 1234567', language: 'de' })
export class UpdateMyProfileInput {
  @Field(() => String, { nullable: true, description: 'The name of the person, up to 255 characters.' })
  @Optional()
  @Line()
  name?: string | null | undefined;

  /** Forms of Laravel send it along. If it is sent, it must be that of the account. GraphQL does not have it. */
  @Optional()
  @Line()
  email?: string | null | undefined;

  @Field(() => String, { nullable: true, description: 'A telephone number, up to 255 characters.' })
  @Optional()
  @Line()
  phone?: string | null | undefined;

  @Field(() => DateScalar, { nullable: true, description: 'The date of birth, from 1900 to today.' })
  @Optional()
  @DateOfBirth()
  dateOfBirth?: string | null | undefined;

  @Field(() => String, { nullable: true, description: 'The language of the mails: `en` or `de`.' })
  @Optional()
  @Language()
  language?: string | null | undefined;

  /** It has an endpoint of its own. GraphQL does not have it here. */
  @Optional()
  @Prohibited()
  password?: unknown;

  /** The input in the terms of the service. */
  toCorrection(): Correction {
    const { name, email, phone, dateOfBirth, language } = this;
    const texts = Object.keys(textsOf(this)).map((field) => [field, Reflect.get(this, field)]);
    return { name, email, phone, dateOfBirth, language, ...Object.fromEntries(texts) };
  }
}
