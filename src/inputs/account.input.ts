import { Allow } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Email, NewPassword, Required, Text } from './field-rules.ts';

/** What everybody registers with. */
@InputType()
export abstract class AccountInput {
  @Field(() => String, { description: 'The name of the person, up to 255 characters.' })
  @Required()
  @Text()
  name!: string;

  @Field(() => String, {
    description: 'The e-mail address to log in with; no other account may have it, in upper or lower case.',
  })
  @Required()
  @Email()
  email!: string;

  /** Its place among the fields, whose order decides which text comes first; the rest is for each role to say. */
  @Allow()
  abstract phone?: string | undefined;

  @Field(() => String, { description: 'The password: 8 to 72 bytes of UTF-8, blanks included.' })
  @Required()
  @NewPassword('passwordConfirmation')
  password!: string;

  /** Laravel forms repeat the password. No GraphQL field: a form repeats it before it sends, not to the server. */
  @Allow()
  passwordConfirmation?: string | undefined;
}
