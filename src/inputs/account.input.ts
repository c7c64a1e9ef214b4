import { Allow } from 'class-validator';
import { Email, Line, NewPassword, Required } from './field-rules.ts';

/** What everybody registers with. */
export abstract class AccountInput {
  @Required()
  @Line()
  name!: string;

  @Required()
  @Email()
  email!: string;

  /** Its place among the fields, whose order decides which text comes first; the rest is for each role to say. */
  @Allow()
  abstract phone?: string | undefined;

  @Required()
  @NewPassword('passwordConfirmation')
  password!: string;

  /** Laravel forms repeat the password. */
  @Allow()
  passwordConfirmation?: string | undefined;
}
