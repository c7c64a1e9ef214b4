import type { RequestListener } from 'node:http';
import express, { Router } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { securityHeaders } from '../api/http/browsers.ts';
import { jsonErrorHandler, notFound, onlyMethod } from '../api/http/error-responses.ts';
import type { Health } from '../api/http/health.ts';
import { logRequests } from '../api/http/request-log.ts';
import { beginRecord, type RequestObserver } from '../api/http/request-record.ts';
import { listen } from '../api/http/server.ts';
import type { AuditObserver, AuditTrail } from '../auth/audit/audit-trail.ts';
import type { EventFigures } from '../auth/events/event-figures.ts';
import type { Overview } from '../auth/overview.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import type { TwoFactorPolicy } from '../auth/two-factor/policy.ts';
import type { Config } from '../config/config.ts';
import type { Backups } from '../database/backups.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { MailTransport } from '../mail/smtp.ts';
import type { Role } from '../stores/accounts.ts';
import type { MessageStore } from '../stores/messages.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import {
  hashWaitMetrics,
  loginMetrics,
  operatorMetrics,
  watchAuditTrail,
  watchHashQueue,
  watchPeople,
} from './auth-metrics.ts';
import {
  mailMetrics,
  watchBackups,
  watchDatabase,
  watchEvents,
  watchHealth,
  watchMails,
} from './dependency-metrics.ts';
import { introspectionMetrics, requestMetrics } from './request-metrics.ts';

/** The metrics port, in the text format of Prometheus, and the functions that fill it. */
export type Metrics = Awaited<ReturnType<typeof startMetrics>>;

/** Parts whose state the metrics show. */
export interface MonitoredParts {
  audit: AuditTrail;
  hasher: PasswordHasher;
  messages: MessageStore;
  /** Undefined if no mails are sent. */
  transport: MailTransport | undefined;
  eventFigures: EventFigures;
  /** Undefined if no service hears of events. */
  publishing: object | undefined;
  overview: Overview;
  twoFactorPolicy: TwoFactorPolicy;
  /** Undefined if no backups are made. */
  backups: Backups | undefined;
  health: Health;
  clock: Clock;
}

/**
 * Opens the port for operators. It opens first, so that it closes last.
 * @param port another one than for callers: it shows all metrics without a password
 * @param otherObservers of the requests for authentication on this port
 * @throws a system error, such as EADDRINUSE
 */
export async function startMetrics(
  config: Config,
  port: number,
  log: Logger,
  otherObservers: readonly RequestObserver[] = [],
) {
  // Not the global registry of the process: it would keep these metrics after a stop, and a second start would fail.
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const router = metricsRouter(registry);
  const observeRequest = requestMetrics(registry);
  const observers = [observeRequest, logRequests(log), ...otherObservers].map(ofApis);
  const listener = await listen(createHandler(router, config, log, observers), {
    ...config,
    host: config.metricsHost,
    port,
    hostSetting: 'METRICS_HOST',
    portSetting: 'METRICS_PORT',
  });
  return {
    url: listener.url,
    /** Add routes that are only for operators here. */
    router,
    observeRequest,
    observeIntrospection: introspectionMetrics(registry),
    observeAudit: together(loginMetrics(registry), operatorMetrics(registry)),
    observeMail: mailMetrics(registry),
    observeHashWait: hashWaitMetrics(registry),
    watch: (parts: MonitoredParts) => {
      const { audit, hasher, messages, overview, twoFactorPolicy, backups, health, clock } = parts;
      watchAuditTrail(registry, audit);
      watchHashQueue(registry, hasher);
      if (parts.transport) {
        watchMails(registry, () => messages.count());
      }
      if (parts.publishing) {
        watchEvents(registry, parts.eventFigures);
      }
      const isFactorRequired = (role: Role) => twoFactorPolicy.names(role);
      watchPeople(registry, () => overview.read(), isFactorRequired, clock);
      if (backups) {
        watchBackups(registry, backups);
      }
      watchHealth(registry, health);
    },
    watchDatabase: (connection: LimitedConnection['connection']) => watchDatabase(registry, connection),
    // The grace was for requests. The next scrape makes up for one that is cut off.
    stop: () => listener.stop(0),
  };
}

function metricsRouter(registry: Registry): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.all('/metrics', onlyMethod('GET, HEAD'), async (_req, res) => {
    res.set('Content-Type', registry.contentType).send(await registry.metrics());
  });
  return router;
}

/** Forward authentication may be on this port, and is recorded as on the main port. Scrapes and probes are not. */
const ofApis =
  (observe: RequestObserver): RequestObserver =>
  (record, end, req) => {
    if (record.channel !== 'other') {
      observe(record, end, req);
    }
  };

function createHandler(
  router: Router,
  { baseUrl, trustProxy }: Config,
  log: Logger,
  observers: RequestObserver[],
): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('trust proxy', trustProxy);
  app.use(
    beginRecord(systemClock, ...observers),
    securityHeaders(baseUrl),
    router,
    notFound,
    jsonErrorHandler(log),
  );
  return app;
}

const together =
  (...observers: AuditObserver[]): AuditObserver =>
  (...event) => {
    for (const observe of observers) {
      observe(...event);
    }
  };
