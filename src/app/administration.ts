import { AccountAdmin, TokenAdmin } from '../auth/admin/account-admin.ts';
import { AccountDirectory } from '../auth/admin/account-directory.ts';
import { ErasureAdmin } from '../auth/admin/erasure-admin.ts';
import { EventAdmin } from '../auth/admin/event-admin.ts';
import { MailAdmin } from '../auth/admin/mail-admin.ts';
import { TwoFactorAdmin } from '../auth/admin/two-factor-admin.ts';
import { EventFigures } from '../auth/events/event-figures.ts';
import { SetUpLinks } from '../auth/operators/set-up.ts';
import { ResetLinks } from '../auth/passwords/password-reset-tokens.ts';
import type { Config } from '../config/config.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { type Domain, openLeaving } from './domain.ts';

/** What operators do with accounts, by the command line or by their API. */
export interface Administration {
  directory: AccountDirectory;
  accountAdmin: AccountAdmin;
  tokenAdmin: TokenAdmin;
  twoFactorAdmin: TwoFactorAdmin;
  mailAdmin: MailAdmin;
  eventAdmin: EventAdmin;
  resetLinks: ResetLinks;
  setUpLinks: SetUpLinks;
  /** The documents of doctors go with their accounts. */
  leavingWith(documents: DocumentStore): ErasureAdmin;
}

/** Builds what operators use on the domain. */
export function openAdministration(config: Config, domain: Domain): Administration {
  const { stores, audit, tokens, passwordResetTokens, accountData, hasher, outbox, notices, clock, log } =
    domain;
  const { accounts, attempts, doctors, factors, operatorActs } = stores;
  const { operatorApi: keepsOperator, erasureGraceMillis } = config;
  return {
    directory: new AccountDirectory(accounts, doctors),
    accountAdmin: new AccountAdmin({
      ...{ accounts, doctors, attempts, operatorActs, accountData, hasher, audit, outbox, notices, clock },
      ids: domain.ids.accounts,
      hasEmailLinks: config.emailVerificationUrl !== undefined,
      ...{ keepsOperator, log },
    }),
    tokenAdmin: new TokenAdmin({ accounts, tokens, accountData, audit }),
    twoFactorAdmin: new TwoFactorAdmin({
      ...{ accounts, factors, attempts, operatorActs, accountData, hasher, audit, notices, clock, log },
      twoFactorPolicy: domain.twoFactorPolicy,
    }),
    mailAdmin: new MailAdmin(stores.messages, accounts, audit, clock),
    eventAdmin: new EventAdmin({
      ...{ ...stores, endpoints: config.webhooks, clock },
      eventFigures: new EventFigures({ ...stores, endpoints: config.webhooks, clock }),
    }),
    resetLinks: new ResetLinks({
      ...{ accounts, operatorActs, passwordResetTokens, audit, outbox, clock, log },
      urlTemplate: config.passwordResetUrl,
    }),
    setUpLinks: new SetUpLinks(stores.resetTokens, accounts, audit, clock),
    leavingWith(documents) {
      const { personalData, erasure } = openLeaving(domain, documents);
      return new ErasureAdmin({
        ...{ accounts, accountData, personalData, erasure, audit, notices, clock },
        erasureGraceMillis,
        keepsOperator,
      });
    },
  };
}
