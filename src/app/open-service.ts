import { accountLetters } from '../auth/account-letters.ts';
import { Accounts } from '../auth/accounts.ts';
import { type AuditObserver, AuditTrail } from '../auth/audit/audit-trail.ts';
import { AuthService } from '../auth/auth-service.ts';
import type { Erasure } from '../auth/leaving/erasure.ts';
import type { LeavingService } from '../auth/leaving/leaving-service.ts';
import { Login } from '../auth/login.ts';
import { PasswordChanges } from '../auth/password-changes/password-changes.ts';
import type { PasswordService } from '../auth/password-changes/password-service.ts';
import { ResetTokens } from '../auth/password-changes/reset-tokens.ts';
import { createPasswordCheck, type PasswordCheck } from '../auth/passwords/password-check.ts';
import { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { RecordedActs } from '../auth/recorded-acts.ts';
import { Registration } from '../auth/registration.ts';
import { Resubmission } from '../auth/reviews/resubmission.ts';
import { ReviewService } from '../auth/reviews/review-service.ts';
import { Reviews } from '../auth/reviews/reviews.ts';
import { ServiceAuthentication } from '../auth/services/service-authentication.ts';
import { Sessions } from '../auth/sessions.ts';
import { countInDatabase } from '../auth/throttle/counts-in-database.ts';
import { countInMemory } from '../auth/throttle/counts-in-memory.ts';
import { KnownPlaces } from '../auth/throttle/known-places.ts';
import { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { TokenUses } from '../auth/tokens/token-uses.ts';
import { Verifications } from '../auth/verifications.ts';
import type { Config } from '../config/config.ts';
import { recordAccount } from '../http/requests/request-context.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { RunningWork } from '../system/running-work.ts';
import { openLeaving } from './open-leaving.ts';
import { openMail } from './open-mail.ts';
import { openPasswords } from './open-passwords.ts';
import type { Storage } from './open-storage.ts';

/** The service behind both doors. */
export interface Service {
  auth: AuthService;
  reviews: ReviewService;
  leaving: LeavingService;
  erasure: Erasure;
  passwords: PasswordService;
  services: ServiceAuthentication;
  verifications: Verifications;
  hasher: PasswordHasher;
  /** Takes orders for mails. */
  outbox: Outbox;
  /**
   * Starts the delivery of mails, if there is a mail server.
   * @returns a function that stops it
   */
  deliverMails(): () => Promise<void>;
  passwordCheck: PasswordCheck;
  /** Writes the token uses and audit events that are still in memory. */
  close(): Promise<unknown>;
}

interface ServiceParts {
  config: Config;
  log: Logger;
  storage: Storage;
  running: RunningWork;
  metrics: Metrics | undefined;
  clock: Clock;
}

/** The request log names the account, also that of a failed login. */
const recordAccountOfEvent: AuditObserver = ({ accountId, byAccountId }, _error, actor) => {
  const acting = byAccountId ?? accountId;
  if (acting !== null) {
    recordAccount(actor, acting);
  }
};

/** Connects the parts of the service. */
export function openService({ config, log, storage, running, metrics, clock }: ServiceParts): Service {
  const { models, ids, documents, connection } = storage;
  const { profiles } = models;
  const audit = new AuditTrail({
    events: models.auditEvents,
    retentionMillis: config.auditRetentionMillis,
    clock,
    log,
    observers: [recordAccountOfEvent, ...(metrics ? [metrics.observeAudit] : [])],
  });
  const uses = new TokenUses({ tokens: models.tokens, lifetimes: config.tokenLifetimes, clock, log });
  const hasher = new PasswordHasher(
    config.bcryptCost,
    config.hashConcurrency,
    clock,
    metrics?.observeHashWait,
    config.hashQueueLimits,
  );
  metrics?.watchAuditTrail(audit);
  metrics?.watchHashQueue(hasher);
  const accounts = new Accounts(models.accounts, clock);
  const tokens = new AccessTokens(
    models.tokens,
    uses,
    config.tokenLifetimes,
    config.tokenPrefix,
    clock,
    ids.tokens,
  );
  const places = new KnownPlaces(models.accounts, storage.placesKey);
  const registration = new Registration({
    accounts,
    ids: ids.accounts,
    places,
    profiles,
    tokens,
    hasher,
    documents,
    clock,
    log,
  });
  const createCounter =
    config.database.kind === 'mongodb' ? countInDatabase(connection, clock) : countInMemory(clock);
  const throttle = new LoginThrottle(config.rateLimit, createCounter, (attempt) => places.has(attempt));
  const { maxTokensPerAccount } = config;
  const resetTokens = new ResetTokens(models.resetTokens, clock);
  const passwordChanges = new PasswordChanges({ accounts, tokens, resetTokens, clock, log });
  const login = new Login({
    accounts,
    places,
    profiles,
    tokens,
    hasher,
    throttle,
    audit,
    passwordChanges,
    maxTokensPerAccount,
    clock,
    log,
  });
  // With SMTP_URL it is set.
  const { passwordResetUrl: resetUrlTemplate = '' } = config;
  const mail = openMail(config.mail, { mails: models.outgoingMails, metrics, clock, log });
  const acts = new RecordedActs(audit, running);
  const sessions = new Sessions(tokens, (caller, { account }) => recordAccount(caller, account.id));
  const { outbox } = mail;
  const reviews = new Reviews({ accounts: models.accounts, profiles, documents, audit, outbox, clock, log });
  const resubmission = new Resubmission({ profiles, documents, clock, log });
  const leaving = openLeaving({
    config,
    log,
    storage,
    clock,
    audit,
    sessions,
    acts,
    throttle,
    hasher,
    outbox,
  });
  return {
    ...leaving,
    auth: new AuthService({
      accounts,
      profiles,
      tokens,
      throttle,
      registration,
      login,
      audit,
      acts,
      sessions,
    }),
    reviews: new ReviewService({ sessions, reviews, resubmission, throttle, acts, audit }),
    passwords: openPasswords({
      accounts,
      changes: passwordChanges,
      resetTokens,
      hasher,
      throttle,
      places,
      sessions,
      acts,
      audit,
      outbox,
      clock,
      log,
    }),
    services: new ServiceAuthentication({ secrets: config.services, throttle, audit }),
    verifications: new Verifications(profiles),
    hasher,
    outbox,
    deliverMails: () => mail.deliver(accountLetters({ accounts, resetTokens, resetUrlTemplate })),
    passwordCheck: createPasswordCheck(config.passwordCheckKind, config.passwordMinCharacters),
    close: () => Promise.all([uses.close(), audit.close()]),
  };
}
