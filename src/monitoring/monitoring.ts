import type { RequestHandler, Router } from 'express';
import { recordAccount } from '../api/http/request-caller.ts';
import { logRequests } from '../api/http/request-log.ts';
import type { RequestObserver } from '../api/http/request-record.ts';
import type { AuditObserver } from '../auth/audit/audit-trail.ts';
import type { JobObservers } from '../auth/passwords/hash-queue.ts';
import type { SessionObserver } from '../auth/tokens/sessions.ts';
import type { Config } from '../config/config.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { MailOutcome } from '../mail/mail-attempts.ts';
import type { Logger } from '../system/log.ts';
import { ownVersion } from '../system/own-package.ts';
import type { Metrics, MonitoredParts } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** Functions that the domain calls while it works. */
export interface DomainHooks {
  auditObservers: AuditObserver[];
  hashObservers: JobObservers;
  onSession: SessionObserver;
  onMail: ((outcome: MailOutcome) => void) | undefined;
}

/** How operators watch the gateway: the request log, metrics and traces. */
export interface Monitoring {
  /** The metrics port, and its router for what is only for operators; undefined without metrics. */
  metricsPort: { url: string; router: Router } | undefined;
  /** Begins the span of each request; undefined without traces. It comes after `beginRecord`. */
  beginTrace: RequestHandler | undefined;
  /** Called at the end of every request: the log, the metrics and the traces. */
  requestObservers: RequestObserver[];
  hooks: DomainHooks;
  watchDatabase(connection: LimitedConnection['connection']): void;
  /** Shows the state of these parts from now on. */
  watch(parts: MonitoredParts): void;
  stop(): Promise<void>;
}

/** Starts the metrics and the traces. Each is loaded only where it is on. */
export async function openMonitoring(config: Config, log: Logger): Promise<Monitoring> {
  const tracing = await openTracing(config, log);
  const traceObservers = tracing ? [tracing.observeRequest] : [];
  const metrics = await openMetrics(config, log, traceObservers).catch(async (error: unknown) => {
    await tracing?.stop();
    throw error;
  });
  const metricsObservers = metrics ? [metrics.observeRequest, metrics.observeIntrospection] : [];
  return {
    metricsPort: metrics,
    beginTrace: tracing?.beginRequest,
    requestObservers: [logRequests(log), ...metricsObservers, ...traceObservers],
    hooks: {
      auditObservers: [recordAccountOfEvent, ...(metrics ? [metrics.observeAudit] : [])],
      hashObservers: { onBegin: metrics?.observeHashWait, watch: tracing?.watchHash },
      onSession: (caller, { account }) => recordAccount(caller, account.id),
      onMail: metrics?.observeMail,
    },
    watchDatabase: (connection) => {
      metrics?.watchDatabase(connection);
      tracing?.watchDatabase(connection);
    },
    watch: (parts) => metrics?.watch(parts),
    stop: async () => {
      await metrics?.stop();
      await tracing?.stop();
    },
  };
}

/** The request log names the account that acts, also that of a failed login. */
const recordAccountOfEvent: AuditObserver = ({ accountId, byAccountId }, _error, actor) => {
  const acting = byAccountId ?? accountId;
  if (acting !== null) {
    recordAccount(actor, acting);
  }
};

async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (!tracing) {
    return undefined;
  }
  // OpenTelemetry is a quarter as large as all other dependencies together.
  const { startTracing } = await import('./tracing.ts');
  return startTracing(tracing, ownVersion(), log);
}

async function openMetrics(
  config: Config,
  log: Logger,
  observers: readonly RequestObserver[],
): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) {
    return undefined;
  }
  const { startMetrics } = await import('./metrics.ts');
  return startMetrics(config, config.metricsPort, log, observers);
}
