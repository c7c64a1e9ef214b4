import { AccountData } from '../auth/account-data.ts';
import { AuditTrail } from '../auth/audit/audit-trail.ts';
import { NotedChanges } from '../auth/audit/noted-changes.ts';
import { EmailLinkTokens } from '../auth/emails/email-link-tokens.ts';
import { OwnerNotices } from '../auth/owner-notices.ts';
import { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { PasswordResetTokens } from '../auth/passwords/password-reset-tokens.ts';
import { createPasswordCheck, type PasswordCheck } from '../auth/passwords/password-rules.ts';
import { Erasure, PastErasures } from '../auth/privacy/erasure.ts';
import { PersonalDataExport } from '../auth/privacy/personal-data.ts';
import { Reviews } from '../auth/reviews/reviews.ts';
import { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { TokenUses } from '../auth/tokens/token-uses.ts';
import { TwoFactorPolicy } from '../auth/two-factor/policy.ts';
import type { Config } from '../config/config.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { UrlSigner } from '../documents/document-urls.ts';
import { DatabaseOutbox, noOutbox, type Outbox } from '../mail/outbox.ts';
import type { DomainHooks } from '../monitoring/monitoring.ts';
import { type NewIds, openIds } from '../stores/ids.ts';
import type { Stores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

/** The parts of the domain that the gateway and the command line have in common. */
export interface Domain {
  stores: Stores;
  /** The ids of new accounts and tokens. */
  ids: NewIds;
  audit: AuditTrail;
  notedChanges: NotedChanges;
  tokens: AccessTokens;
  /** Who needs a second factor. */
  twoFactorPolicy: TwoFactorPolicy;
  passwordResetTokens: PasswordResetTokens;
  emailLinkTokens: EmailLinkTokens;
  accountData: AccountData;
  hasher: PasswordHasher;
  passwordCheck: PasswordCheck;
  /** Takes orders for mails. It drops them if there is no mail server. */
  outbox: Outbox;
  notices: OwnerNotices;
  /** Signs the URLs of documents; undefined if everyone who knows the URL of a document can read it. */
  urlSigner: UrlSigner | undefined;
  clock: Clock;
  log: Logger;
  /** Writes the token uses and audit events that are still in memory. */
  close(): Promise<void>;
}

interface DomainParts {
  config: Config;
  stores: Stores;
  clock: Clock;
  log: Logger;
  /** Follow what the domain does. */
  hooks?: Pick<DomainHooks, 'auditObservers' | 'hashObservers'>;
}

/**
 * Builds the domain on the stores. It loads no API and no library of one, because commands use it, too: what only requests need is
 * in service-layer.ts, and what only operators need is built by their command line.
 */
export function openDomain({ config, stores, clock, log, hooks }: DomainParts): Domain {
  const { tokenLifetimes: lifetimes, tokenPrefix, documentSigning } = config;
  const ids = openIds(config.idFormat, stores.ids);
  const audit = new AuditTrail({
    auditEvents: stores.auditEvents,
    retentionMillis: config.auditRetentionMillis,
    clock,
    log,
    observers: hooks?.auditObservers ?? [],
    eventNotes: stores.eventNotes,
  });
  const notedChanges = new NotedChanges({
    eventNotes: stores.eventNotes,
    auditEvents: stores.auditEvents,
    doctors: stores.doctors,
    audit,
    clock,
    log,
  });
  const twoFactorPolicy = new TwoFactorPolicy(config.twoFactor, clock);
  const uses = new TokenUses({ accessTokens: stores.accessTokens, lifetimes, clock, log });
  const outbox = config.mail ? new DatabaseOutbox(stores.messages, clock) : noOutbox;
  return {
    stores,
    ids,
    audit,
    notedChanges,
    tokens: new AccessTokens(
      stores.accessTokens,
      uses,
      lifetimes,
      tokenPrefix,
      clock,
      ids.tokens,
      twoFactorPolicy,
    ),
    twoFactorPolicy,
    passwordResetTokens: new PasswordResetTokens(stores.resetTokens, clock),
    emailLinkTokens: new EmailLinkTokens(stores.emailLinks, clock),
    accountData: new AccountData(stores, log),
    hasher: new PasswordHasher(
      config.bcryptCost,
      config.hashConcurrency,
      clock,
      hooks?.hashObservers,
      config.hashQueueLimits,
    ),
    passwordCheck: createPasswordCheck(config.passwordCheckKind, config.passwordMinCharacters),
    outbox,
    notices: new OwnerNotices(outbox, clock, log, config.emailVerificationUrl),
    urlSigner: documentSigning && new UrlSigner(documentSigning, clock),
    clock,
    log,
    close: async () => {
      await Promise.all([uses.close(), audit.close()]);
    },
  };
}

/** Builds the review of doctors. */
export const openReviews = (domain: Domain, documents: DocumentStore): Reviews =>
  new Reviews({
    accounts: domain.stores.accounts,
    doctors: domain.stores.doctors,
    documents,
    audit: domain.audit,
    notices: domain.notices,
    clock: domain.clock,
    log: domain.log,
  });

/** The parts that export and erase the data of accounts. */
interface Leaving {
  accountData: AccountData;
  personalData: PersonalDataExport;
  erasure: Erasure;
}

/** Builds what exports and erases the data of accounts. */
export function openLeaving(
  { stores, audit, clock, log }: Pick<Domain, 'stores' | 'audit' | 'clock' | 'log'>,
  documents: DocumentStore,
): Leaving {
  const accountData = new AccountData(stores, log);
  const pastErasures = new PastErasures(stores.auditEvents, stores.erasures, clock);
  return {
    accountData,
    personalData: new PersonalDataExport(stores, accountData, clock),
    erasure: new Erasure({ stores, accountData, pastErasures, documents, audit, clock, log }),
  };
}
