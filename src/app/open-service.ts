import { Accounts } from '../auth/accounts.ts';
import { AuditTrail } from '../auth/audit/audit-trail.ts';
import { AuthService } from '../auth/auth-service.ts';
import { Login } from '../auth/login.ts';
import { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { Registration } from '../auth/registration.ts';
import { countInDatabase } from '../auth/throttle/counts-in-database.ts';
import { countInMemory } from '../auth/throttle/counts-in-memory.ts';
import { KnownPlaces } from '../auth/throttle/known-places.ts';
import { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { TokenUses } from '../auth/tokens/token-uses.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import type { Logger } from '../system/log.ts';
import type { RunningWork } from '../system/running-work.ts';
import type { Storage } from './open-storage.ts';

/** The service behind both doors. */
export interface Service {
  auth: AuthService;
  hasher: PasswordHasher;
  /** Writes the token uses and audit events that are still in memory. */
  close(): Promise<unknown>;
}

interface ServiceParts {
  config: Config;
  log: Logger;
  storage: Storage;
  running: RunningWork;
  metrics: Metrics | undefined;
}

/** Connects the parts of the service. */
export function openService({ config, log, storage, running, metrics }: ServiceParts): Service {
  const { models, documents, connection } = storage;
  const { profiles } = models;
  const audit = new AuditTrail(models.auditEvents, config.auditRetentionMillis, log, metrics?.observeAudit);
  const uses = new TokenUses(models.tokens, config.tokenLifetimes, log);
  const hasher = new PasswordHasher(config.bcryptCost, config.hashConcurrency, metrics?.observeHashWait);
  metrics?.watchAuditTrail(audit);
  metrics?.watchHashQueue(hasher);
  const accounts = new Accounts(models.accounts);
  const tokens = new AccessTokens(models.tokens, uses, config.tokenLifetimes, config.tokenPrefix);
  const places = new KnownPlaces(models.accounts, storage.placesKey);
  const registration = new Registration({ accounts, places, profiles, tokens, hasher, documents, log });
  const createCounter = config.database.kind === 'mongodb' ? countInDatabase(connection) : countInMemory;
  const throttle = new LoginThrottle(config.rateLimit, createCounter, (attempt) => places.has(attempt));
  const { maxTokensPerAccount } = config;
  const login = new Login({
    accounts,
    places,
    profiles,
    tokens,
    hasher,
    throttle,
    audit,
    maxTokensPerAccount,
    log,
  });
  return {
    auth: new AuthService({ profiles, tokens, throttle, registration, login, audit, running }),
    hasher,
    close: () => Promise.all([uses.close(), audit.close()]),
  };
}
