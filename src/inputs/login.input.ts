import { Email, Required, Secret } from './field-rules.ts';

/** What an account logs in with. */
export class LoginInput {
  @Required()
  @Email()
  email!: string;

  @Required()
  @Secret()
  password!: string;
}
