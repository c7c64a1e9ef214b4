import { scheduleErasures } from '../auth/leaving/erasure-schedule.ts';
import { scheduleBackups } from '../backup/backup-schedule.ts';
import type { Config } from '../config/config.ts';
import { healthRoutes } from '../http/health/health.routes.ts';
import { Health } from '../http/health/health.ts';
import { logRequests } from '../http/requests/request-log.ts';
import type { RequestObserver } from '../http/requests/request-record.ts';
import { listen } from '../http/server.ts';
import { forwardAuthRoutes } from '../introspection/forward-auth.routes.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import { scheduleSweep } from '../sweep/sweep-schedule.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { ownVersion } from '../system/own-package.ts';
import { RunningWork } from '../system/running-work.ts';
import { messageOf } from '../system/system-errors.ts';
import type { Tracing } from '../tracing/start-tracing.ts';
import { openBackups } from './open-backups.ts';
import { openService } from './open-service.ts';
import { openStorage } from './open-storage.ts';
import type { SecretHolder } from './secret-holder.ts';

export interface Addresses {
  address: string;
  baseUrl: string;
  /** The address of the metrics; undefined if they are off. */
  metrics: string | undefined;
}

/** A gateway that has started. */
interface Started extends Addresses {
  /**
   * Resolves when the first sweep, the first erasures and the first backup have ended. They run beside the first requests. It
   * never rejects.
   */
  firstSweep: Promise<void>;
}

/** A gateway that can be started once and stopped once. */
export interface App {
  /**
   * Opens the database, then the port. Both APIs are ready when the port opens.
   * @returns the address that it listens on and the one for callers (BASE_URL, if set), both without a slash at the end,
   *   and the end of the first sweep
   * @throws if a part cannot be opened or loaded, or if `stop` is called meanwhile. All parts are closed again
   */
  start(): Promise<Started>;
  /**
   * Uses other secrets from now on, where that is safe (`secret-reload.ts`). It waits for the end of a start. No request fails
   * for it.
   * @param config the settings with other secrets. Everything else in them is ignored
   */
  takeSecrets(config: Config): Promise<void>;
  /**
   * Reports "not ready", accepts no more connections, lets running requests finish within the grace, and closes all parts.
   * A start that is waiting for the database ends with an error.
   */
  stop(): Promise<void>;
}

/** The composition root: storage, the service on it, and the doors to the service. */
export function createApp(config: Config, log: Logger, clock: Clock = systemClock): App {
  /** Functions that close the open parts, in the order of opening. */
  const closers: (() => Promise<unknown>)[] = [];
  const holders: SecretHolder[] = [];
  const stopping = new AbortController();
  const running = new RunningWork();
  let stopBeganAt = performance.now();
  /** What is left of the grace, but some time in any case: the requests may have used all of it. */
  const flushMillis = () => {
    const leftMillis = config.stopGraceMillis - (performance.now() - stopBeganAt);
    return Math.min(Math.max(leftMillis, MIN_FLUSH_MILLIS), MAX_FLUSH_MILLIS);
  };

  const open = async (): Promise<Started> => {
    // A third of all code is behind the doors. It loads while the database opens.
    const loading = loadDoors();
    // First, so that it is closed last: the end of a stop has spans, too.
    const tracing = await openTracing(config, log);
    if (tracing) {
      closers.push(() => tracing.stop(flushMillis()));
    }
    const traceObservers = tracing ? [tracing.observeRequest] : [];
    const metrics = await openMetrics(config, log, traceObservers);
    if (metrics) {
      closers.push(metrics.stop);
    }
    const wait = { forMillis: config.startWaitMillis, signal: stopping.signal, log };
    const storage = await openStorage(config, clock, wait);
    closers.push(storage.close);
    metrics?.watchDatabase(storage.connection);
    tracing?.watchDatabase(storage.connection);
    const service = openService({ config, log, storage, running, metrics, tracing, clock });
    const { auth, erasure, hasher, verifications } = service;
    closers.push(service.close, () => running.ended(AFTERMATH_MILLIS));
    const hashQueue = async () => {
      if (hasher.isFull) {
        throw new Error('the hash queue is full');
      }
    };
    const backups = openBackups({ config, storage, metrics, clock, log });
    const isBackupOverdue = backups && (() => backups.isOverdue);
    const probes = { ...storage.probes, hashQueue };
    const health = new Health({ probes, isBackupOverdue, stopping: stopping.signal, clock, log });
    metrics?.router.use(healthRoutes(health));
    metrics?.watchHealth(health);
    if (config.forwardAuth === 'metrics') {
      metrics?.router.use(tracing?.beginRequest ?? [], forwardAuthRoutes({ auth, verifications, log }));
    }

    // Known once the port is open. No request needs it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const observers = [
      logRequests(log),
      ...(metrics ? [metrics.observeRequest, metrics.observeIntrospection] : []),
      ...traceObservers,
    ];
    const openDoors = await loading;
    const doors = await openDoors({
      config,
      log,
      service,
      storage,
      running,
      clock,
      health,
      baseUrl,
      tracing,
      observers,
    });
    closers.push(doors.stop);
    holders.push(storage, service, doors);
    stopping.signal.throwIfAborted();
    const listener = await listen(doors.handler, config);
    address = listener.url;
    const schedules = [
      scheduleSweep(storage.sweep, clock, log),
      scheduleErasures(erasure, clock),
      ...(backups ? [scheduleBackups(backups, clock)] : []),
    ];
    const firstSweep = Promise.all(schedules.map(({ first }) => first)).then(() => {});
    const stopMails = service.deliverMails();
    // All at once: the port accepts nothing while a running sweep, backup and the mail under way end.
    const stopAll = () => [
      listener.stop(config.stopGraceMillis),
      ...schedules.map(({ stop }) => stop()),
      stopMails(),
    ];
    closers.push(() => Promise.all(stopAll()));
    return { address, baseUrl: baseUrl(), metrics: metrics?.url, firstSweep };
  };

  let started: Promise<unknown> = Promise.resolve();
  const start = () => {
    const addresses = open().catch(async (error: unknown) => {
      await closeAll(closers);
      throw error;
    });
    started = addresses;
    return addresses;
  };
  const takeSecrets = async (next: Config) => {
    // A start that fails is reported by itself.
    await started.catch(() => {});
    for (const holder of holders) {
      holder.takeSecrets(next);
    }
  };
  const stop = async () => {
    stopBeganAt = performance.now();
    stopping.abort(new Error('stopped'));
    // A start that this ends closes its own parts.
    await started.catch(() => {});
    await closeAll(closers);
  };
  return { start, takeSecrets, stop };
}

/**
 * Loads both APIs. The result may be awaited later: until then a failure is not an unhandled rejection.
 * @throws an error for people, such as when too many files are open
 */
function loadDoors() {
  const loading = import('./open-doors.ts').then(
    ({ openDoors }) => openDoors,
    (error: unknown) => {
      throw new Error(`The APIs cannot be loaded: ${messageOf(error)}`, { cause: error });
    },
  );
  loading.catch(() => {});
  return loading;
}

async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (!tracing) {
    return undefined;
  }
  // Loaded only where traces are on: OpenTelemetry is a quarter as large as all other dependencies together.
  const { startTracing } = await import('../tracing/start-tracing.ts');
  return startTracing(tracing, ownVersion(), log);
}

/** The last spans are exported within the grace, or at least for the first time. A collector that hangs delays a stop by the second. */
const MIN_FLUSH_MILLIS = 1_000;
const MAX_FLUSH_MILLIS = 3_000;

async function openMetrics(
  config: Config,
  log: Logger,
  observers: readonly RequestObserver[],
): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) {
    return undefined;
  }
  // Loaded only where metrics are on.
  const { startMetrics } = await import('../metrics/start-metrics.ts');
  return startMetrics(config, config.metricsPort, log, observers);
}

/**
 * How long a stop waits for the work that cut connections leave behind. It soon ends, unless the database is away; then the
 * sweep removes the rest.
 */
const AFTERMATH_MILLIS = 2_000;

/**
 * Closes all open parts, the last first. A failure does not keep the others from closing.
 * @throws the first failure
 */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
