import { logRequests } from '../api/http/request-log.ts';
import type { RequestObserver } from '../api/http/request-record.ts';
import type { Config } from '../config/config.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { Metrics } from '../monitoring/metrics/start-metrics.ts';
import type { Tracing } from '../monitoring/tracing/start-tracing.ts';
import type { Logger } from '../system/log.ts';
import { ownVersion } from '../system/own-package.ts';

/** What operators watch the gateway with. */
export interface Watching {
  /** Undefined if they are off, as are the traces. */
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
  /** Called at the end of every request: the log, the metrics and the traces. */
  observers: RequestObserver[];
  watchDatabase(connection: LimitedConnection['connection']): void;
  stop(): Promise<unknown>;
}

/** Starts the metrics and the traces. Each is loaded only where it is on. */
export async function openWatching(config: Config, log: Logger): Promise<Watching> {
  const tracing = await openTracing(config, log);
  const traceObservers = tracing ? [tracing.observeRequest] : [];
  const stopTracing = async () => tracing?.stop();
  const metrics = await openMetrics(config, log, traceObservers).catch(async (error: unknown) => {
    await stopTracing();
    throw error;
  });
  const metricsObservers = metrics ? [metrics.observeRequest, metrics.observeIntrospection] : [];
  return {
    metrics,
    tracing,
    observers: [logRequests(log), ...metricsObservers, ...traceObservers],
    watchDatabase: (connection) => {
      metrics?.watchDatabase(connection);
      tracing?.watchDatabase(connection);
    },
    stop: async () => {
      await metrics?.stop();
      await stopTracing();
    },
  };
}

async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (!tracing) {
    return undefined;
  }
  // OpenTelemetry is a quarter as large as all other dependencies together.
  const { startTracing } = await import('../monitoring/tracing/start-tracing.ts');
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
  const { startMetrics } = await import('../monitoring/metrics/start-metrics.ts');
  return startMetrics(config, config.metricsPort, log, observers);
}
