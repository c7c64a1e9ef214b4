import { AccountAdmin, TokenAdmin } from '../auth/admin/account-admin.ts';
import { AccountDirectory } from '../auth/admin/account-directory.ts';
import { EventAdmin } from '../auth/admin/event-admin.ts';
import { LeavingAdmin } from '../auth/admin/leaving-admin.ts';
import { MailAdmin } from '../auth/admin/mail-admin.ts';
import { TwoFactorAdmin } from '../auth/admin/two-factor-admin.ts';
import { EventFigures } from '../auth/events/event-figures.ts';
import { SetUpLinks } from '../auth/operators/set-up.ts';
import { ResetLinks } from '../auth/passwords/reset-tokens.ts';
import type { Config } from '../config/config.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { type Domain, openLeaving } from './domain.ts';

/** What operators do with accounts, by the command line or by their API. */
export interface Administration {
  directory: AccountDirectory;
  accounts: AccountAdmin;
  tokens: TokenAdmin;
  twoFactor: TwoFactorAdmin;
  mails: MailAdmin;
  events: EventAdmin;
  resetLinks: ResetLinks;
  setUpLinks: SetUpLinks;
  /** The documents of doctors go with their accounts. */
  leavingWith(documents: DocumentStore): LeavingAdmin;
}

/** Builds what operators use on the domain. */
export function openAdministration(config: Config, domain: Domain): Administration {
  const { stores, audit, tokens, resetTokens, accountData, hasher, outbox, notices, clock, log } = domain;
  const { accounts, attempts, doctors, factors, operatorActs } = stores;
  const { operatorApi: keepsOperator, erasureGraceMillis } = config;
  return {
    directory: new AccountDirectory(accounts, doctors),
    accounts: new AccountAdmin({
      ...{ accounts, doctors, attempts, operatorActs, accountData, hasher, audit, outbox, notices, clock },
      ids: domain.ids.accounts,
      hasEmailLinks: config.emailVerificationUrl !== undefined,
      ...{ keepsOperator, log },
    }),
    tokens: new TokenAdmin({ accounts, tokens, accountData, audit }),
    twoFactor: new TwoFactorAdmin({
      ...{ accounts, factors, attempts, operatorActs, accountData, hasher, audit, notices, clock, log },
      policy: domain.twoFactorPolicy,
    }),
    mails: new MailAdmin(stores.messages, accounts, audit, clock),
    events: new EventAdmin({
      ...{ ...stores, endpoints: config.webhooks, clock },
      figures: new EventFigures({ ...stores, endpoints: config.webhooks, clock }),
    }),
    resetLinks: new ResetLinks({
      ...{ accounts, operatorActs, resetTokens, audit, outbox, clock, log },
      urlTemplate: config.passwordResetUrl,
    }),
    setUpLinks: new SetUpLinks(stores.resetTokens, accounts, audit, clock),
    leavingWith(documents) {
      const { personalData, erasure } = openLeaving(domain, documents);
      return new LeavingAdmin({
        ...{ accounts, accountData, personalData, erasure, audit, notices, clock },
        erasureGraceMillis,
        keepsOperator,
      });
    },
  };
}
