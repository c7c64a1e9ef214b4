import type { RequestListener } from 'node:http';
import express, { Router } from 'express';
import type { Connection } from 'mongoose';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AuditTrail } from '../auth/audit/audit-trail.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import type { Config } from '../config/config.ts';
import { securityHeaders } from '../http/browsers/security-headers.ts';
import { jsonErrorHandler, notFound, onlyMethod } from '../http/json-errors.ts';
import { beginRecord } from '../http/requests/request-record.ts';
import { listen } from '../http/server.ts';
import { systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { hashWaitMetrics, loginMetrics, watchAuditTrail, watchHashQueue } from './auth-metrics.ts';
import { watchDatabase } from './database-metrics.ts';
import { requestMetrics } from './request-metrics.ts';

/** What operators scrape, in the text format of Prometheus, and what fills it. */
export type Metrics = Awaited<ReturnType<typeof startMetrics>>;

/**
 * Opens the port for operators, before anything else, so that it is the last to close.
 * @param port of its own: whoever reaches it sees everything that is there, without a password
 * @throws an error of the system, such as EADDRINUSE
 */
export async function startMetrics(config: Config, port: number, log: Logger) {
  // Of its own, because of one for the whole process nothing could be taken away again.
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const router = metricsRouter(registry);
  const listener = await listen(createHandler(router, config, log), {
    ...config,
    host: config.metricsHost,
    port,
    hostSetting: 'METRICS_HOST',
    portSetting: 'METRICS_PORT',
  });
  return {
    url: listener.url,
    /** For what else is for operators alone. */
    router,
    observeRequest: requestMetrics(registry),
    observeAudit: loginMetrics(registry),
    observeHashWait: hashWaitMetrics(registry),
    watchAuditTrail: (audit: AuditTrail) => watchAuditTrail(registry, audit),
    watchHashQueue: (hasher: PasswordHasher) => watchHashQueue(registry, hasher),
    watchDatabase: (connection: Connection) => watchDatabase(registry, connection),
    // The grace has been spent on requests; a scrape that is cut short is made up for by the next.
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

function createHandler(router: Router, { baseUrl }: Config, log: Logger): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(beginRecord(systemClock), securityHeaders(baseUrl), router, notFound, jsonErrorHandler(log));
  return app;
}
