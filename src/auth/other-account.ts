import type { Role } from '../stores/accounts.ts';

/** What a service may know about an account that is not the caller's: these three fields, and nothing else. */
export class OtherAccount {
  constructor(
    readonly id: string,
    readonly name: string,
    readonly role: Role,
  ) {}
}
