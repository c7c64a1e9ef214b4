import { recordAccount } from '../api/http/requests/request-context.ts';
import { type AuditObserver, AuditTrail } from '../auth/audit/audit-trail.ts';
import { RecordedActs } from '../auth/audit/recorded-acts.ts';
import { OwnPassword } from '../auth/passwords/own-password.ts';
import { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { createPasswordCheck } from '../auth/passwords/password-rules.ts';
import { ResetTokens } from '../auth/passwords/reset-tokens.ts';
import { ActThrottle } from '../auth/throttle/act-throttle.ts';
import { countInDatabase } from '../auth/throttle/counts-in-database.ts';
import { countInMemory } from '../auth/throttle/counts-in-memory.ts';
import { KnownPlaces } from '../auth/throttle/known-places.ts';
import { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import { MailboxLimits } from '../auth/throttle/mailbox-limits.ts';
import { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { Sessions } from '../auth/tokens/sessions.ts';
import { TokenUses } from '../auth/tokens/token-uses.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../monitoring/metrics/start-metrics.ts';
import type { Tracing } from '../monitoring/tracing/start-tracing.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { RunningWork } from '../system/running-work.ts';
import { openMail } from './open-mail.ts';
import type { Storage } from './open-storage.ts';

/** What the service is built on. */
export interface ServiceParts {
  config: Config;
  log: Logger;
  storage: Storage;
  running: RunningWork;
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
  clock: Clock;
}

/** The parts that several services share. */
export type Core = ReturnType<typeof openCore>;

/** The request log names the account that acts, also that of a failed login. */
const recordAccountOfEvent: AuditObserver = ({ accountId, byAccountId }, _error, actor) => {
  const acting = byAccountId ?? accountId;
  if (acting !== null) {
    recordAccount(actor, acting);
  }
};

/** Connects the parts that several services share. */
export function openCore({ config, log, storage, running, metrics, tracing, clock }: ServiceParts) {
  const { stores, ids } = storage;
  const audit = openAuditTrail({ config, log, storage, metrics, clock });
  const hasher = new PasswordHasher(
    config.bcryptCost,
    config.hashConcurrency,
    clock,
    { onBegin: metrics?.observeHashWait, watch: tracing?.watchHash },
    config.hashQueueLimits,
  );
  metrics?.watchHashQueue(hasher);
  const { accounts } = stores;
  const { tokenLifetimes: lifetimes, tokenPrefix } = config;
  const uses = new TokenUses({ tokens: stores.accessTokens, lifetimes, clock, log });
  const tokens = new AccessTokens(stores.accessTokens, uses, lifetimes, tokenPrefix, clock, ids.tokens);
  const places = new KnownPlaces(accounts, storage.placesKey);
  const createCounter =
    config.database.kind === 'mongodb' ? countInDatabase(stores.attempts, clock) : countInMemory(clock);
  const actThrottle = new ActThrottle(config.rateLimit, createCounter);
  const throttle = new LoginThrottle(config.rateLimit, createCounter, (attempt) => places.has(attempt));
  const quota = new MailboxLimits(createCounter);
  const mail = openMail(config.mail, { messages: stores.messages, quota, metrics, clock, log });
  return {
    accounts,
    doctors: stores.doctors,
    documents: storage.documents,
    tokens,
    uses,
    resetTokens: new ResetTokens(stores.resetTokens, clock),
    hasher,
    ownPassword: new OwnPassword({ accounts, hasher, throttle }),
    passwordCheck: createPasswordCheck(config.passwordCheckKind, config.passwordMinCharacters),
    places,
    throttle,
    actThrottle,
    audit,
    acts: new RecordedActs(audit, running),
    sessions: new Sessions(tokens, audit, (caller, { account }) => recordAccount(caller, account.id)),
    mail,
    outbox: mail.outbox,
    clock,
    log,
  };
}

function openAuditTrail({
  config,
  log,
  storage,
  metrics,
  clock,
}: Omit<ServiceParts, 'running' | 'tracing'>): AuditTrail {
  const audit = new AuditTrail({
    events: storage.stores.auditEvents,
    retentionMillis: config.auditRetentionMillis,
    clock,
    log,
    observers: [recordAccountOfEvent, ...(metrics ? [metrics.observeAudit] : [])],
  });
  metrics?.watchAuditTrail(audit);
  return audit;
}
