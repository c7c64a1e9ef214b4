import { AccountAdmin, TokenAdmin } from '../auth/admin/account-admin.ts';
import { AccountDirectory } from '../auth/admin/account-directory.ts';
import { EventAdmin } from '../auth/admin/event-admin.ts';
import { InvitationAdmin } from '../auth/admin/invitation-admin.ts';
import { MailAdmin } from '../auth/admin/mail-admin.ts';
import { TwoFactorAdmin } from '../auth/admin/two-factor-admin.ts';
import { SetUpLinks } from '../auth/operators/set-up.ts';
import { ResetLinks } from '../auth/passwords/password-reset-tokens.ts';
import type { Domain } from './domain.ts';

/** What operators do with accounts, by the command line or by their API. */
export type Administration = ReturnType<typeof openAdministration>;

/** Builds what operators use on the domain. */
export function openAdministration(domain: Domain) {
  const { accounts, doctors, messages, resetTokens, audit, clock } = domain;
  return {
    directory: new AccountDirectory(accounts, doctors, clock),
    accountAdmin: new AccountAdmin(domain),
    tokenAdmin: new TokenAdmin(domain),
    twoFactorAdmin: new TwoFactorAdmin(domain),
    invitationAdmin: new InvitationAdmin(domain),
    mailAdmin: new MailAdmin(messages, accounts, audit, clock),
    eventAdmin: new EventAdmin(domain),
    resetLinks: new ResetLinks(domain),
    setUpLinks: new SetUpLinks(resetTokens, accounts, audit, clock),
  };
}
