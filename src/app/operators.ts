import type { RequestHandler } from 'express';
import type { GraphqlApi } from '../api/graphql/graphql-api.ts';
import { openOperatorApi } from '../api/graphql/operators/operator-api.ts';
import type { Health } from '../api/http/health.ts';
import type { InputValidator } from '../api/inputs/input-validator.ts';
import { OperatorAccess } from '../auth/operators/operator-access.ts';
import { OperatorChanges } from '../auth/operators/operator-changes.ts';
import { OperatorQueries } from '../auth/operators/operator-queries.ts';
import { SetUp } from '../auth/operators/set-up.ts';
import type { Overview } from '../auth/overview.ts';
import type { Config } from '../config/config.ts';
import type { Backups } from '../database/backups.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { ownVersion } from '../system/own-package.ts';
import { openAdministration } from './administration.ts';
import type { Domain } from './domain.ts';
import type { ServiceLayer } from './service-layer.ts';

interface OperatorParts {
  config: Config;
  domain: Domain;
  services: ServiceLayer;
  documents: DocumentStore;
  overview: Overview;
  health: Health;
  backups: Backups | undefined;
  validator: InputValidator;
  jsonBody: RequestHandler;
}

/** Builds the operators' API. It is loaded only if it is on. */
export function openOperators(parts: OperatorParts): Promise<GraphqlApi> {
  const { config, domain, services, documents, overview, validator, jsonBody } = parts;
  const { stores, tokens, audit, hasher, passwordCheck, clock, log } = domain;
  const { accounts, auditEvents, factors, operatorActs } = stores;
  const { sessions, sessionIssuer, actThrottle, loginThrottle, acts, secondFactor, cipher } =
    services.foundation;
  const { leavingWith, ...administration } = openAdministration(config, domain);
  const operatorAccess = new OperatorAccess({ sessions, actThrottle, acts, audit, clock, log });
  const operatorQueries = new OperatorQueries({
    ...administration,
    ...{ operatorAccess, accounts, auditEvents, operatorActs, overview, audit, clock },
    status: () => statusOf(parts),
  });
  const operatorChanges = new OperatorChanges({
    ...{ operatorAccess, operatorQueries, accounts, operatorActs, acts, audit, clock },
    ...administration,
    erasureAdmin: leavingWith(documents),
  });
  const setUp = new SetUp({
    ...{ cipher, accounts, factors, secondFactor, hasher, passwordCheck, loginThrottle, acts, audit, clock },
    tokens,
    issuer: config.twoFactor.issuer,
    resetTokens: stores.resetTokens,
    sessionIssuer,
  });
  const { introspection } = config;
  return openOperatorApi({
    ...services,
    setUp,
    operatorQueries,
    operatorChanges,
    validator,
    introspection,
    jsonBody,
    log,
  });
}

/** What the process says of itself. */
async function statusOf({ config, domain, health, backups }: OperatorParts) {
  const lastTakenAt = backups?.figures.lastTakenAt;
  const [{ checks }, waitingMails] = await Promise.all([
    health.readiness(),
    config.mail ? domain.stores.messages.count() : null,
  ]);
  return {
    waitingMails,
    lastBackupAt: lastTakenAt === undefined ? null : new Date(lastTakenAt),
    problems: Object.entries(checks)
      .filter(([, state]) => state !== 'ok')
      .map(([name, state]) => `${name} ${state}`),
    version: ownVersion(),
  };
}
