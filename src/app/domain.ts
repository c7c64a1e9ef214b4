import { AccountData } from '../auth/account-data.ts';
import { AuditTrail } from '../auth/audit/audit-trail.ts';
import { NotedChanges } from '../auth/audit/noted-changes.ts';
import { EmailLinkTokens } from '../auth/emails/email-link-tokens.ts';
import { EventFigures } from '../auth/events/event-figures.ts';
import { Features } from '../auth/features.ts';
import { InvitationUse } from '../auth/invitation-use.ts';
import { OwnerNotices } from '../auth/owner-notices.ts';
import { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { PasswordResetTokens } from '../auth/passwords/password-reset-tokens.ts';
import { createPasswordCheck } from '../auth/passwords/password-rules.ts';
import { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { TokenUses } from '../auth/tokens/token-uses.ts';
import { TwoFactorPolicy } from '../auth/two-factor/policy.ts';
import type { Config } from '../config/config.ts';
import { UrlSigner } from '../documents/document-urls.ts';
import { DatabaseOutbox, noOutbox } from '../mail/outbox.ts';
import type { DomainHooks } from '../monitoring/monitoring.ts';
import { openIds } from '../stores/ids.ts';
import type { Stores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

interface DomainBasis {
  stores: Stores;
  clock: Clock;
  log: Logger;
  /** Follow what the domain does. */
  hooks?: Pick<DomainHooks, 'auditObservers' | 'hashObservers'>;
}

/** The parts of the domain that the gateway and the command line have in common. */
export type Domain = ReturnType<typeof openDomain>;

/**
 * Builds the domain on the stores. It loads no API and no library of one, because commands use it, too: what only requests need is
 * in request-domain.ts, what only operators need in administration.ts.
 */
export function openDomain(config: Config, { stores, clock, log, hooks }: DomainBasis) {
  const { tokenLifetimes, tokenPrefix, auditRetentionMillis, erasureGraceMillis } = config;
  const { timeZone, verificationDays, licenseRules } = config;
  const { passwordResetUrl, emailVerificationUrl, documentSigning } = config;
  const { accounts: accountIds, tokens: tokenIds } = openIds(config.idFormat, stores.ids);
  const { bcryptCost, hashConcurrency, hashQueueLimits } = config;
  const hasApps = config.twoFactor.secrets.length > 0;
  const outbox = config.mail ? new DatabaseOutbox(stores.messages, clock) : noOutbox;
  const basis = {
    ...stores,
    stores,
    clock,
    log,
    tokenLifetimes,
    tokenPrefix,
    auditRetentionMillis,
    auditObservers: hooks?.auditObservers ?? [],
    erasureGraceMillis,
    timeZone,
    verificationDays,
    licenseRules,
    passwordResetUrl,
    registrationModes: config.registrationModes,
    features: new Features({
      'second factor': hasApps || config.passkeys !== undefined,
      'authenticator apps': hasApps,
      passkeys: config.passkeys !== undefined,
      'e-mail links': emailVerificationUrl !== undefined,
      invitations: config.invitationUrl !== undefined,
    }),
    keepsOperator: config.operatorApi,
    webhookEndpoints: config.webhooks,
    accountIds,
    tokenIds,
    outbox,
    notices: new OwnerNotices(outbox, clock, log, emailVerificationUrl),
    twoFactorPolicy: new TwoFactorPolicy(config.twoFactor, clock),
    passwordResetTokens: new PasswordResetTokens(stores.resetTokens, clock),
    emailLinkTokens: new EmailLinkTokens(stores.emailLinks, clock),
    invitationUse: new InvitationUse({ ...stores, clock, log }),
    accountData: new AccountData(stores, log),
    hasher: new PasswordHasher(bcryptCost, hashConcurrency, clock, hooks?.hashObservers, hashQueueLimits),
    passwordCheck: createPasswordCheck(config.passwordCheckKind, config.passwordMinCharacters),
    /** Signs the URLs of documents; undefined if everyone who knows the URL of a document can read it. */
    urlSigner: documentSigning && new UrlSigner(documentSigning, clock),
  };
  const audit = new AuditTrail(basis);
  const tokenUses = new TokenUses(basis);
  return {
    ...basis,
    audit,
    notedChanges: new NotedChanges({ ...basis, audit }),
    tokens: new AccessTokens({ ...basis, tokenUses }),
    eventFigures: new EventFigures(basis),
    /** Writes the token uses and audit events that are still in memory. */
    flush: async () => {
      await Promise.all([tokenUses.close(), audit.close()]);
    },
  };
}
