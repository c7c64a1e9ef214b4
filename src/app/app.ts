import type { Config } from '../config/config.ts';
import { healthRoutes } from '../http/health/health.routes.ts';
import { Health } from '../http/health/health.ts';
import { logRequests } from '../http/requests/request-log.ts';
import { listen } from '../http/server.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import { scheduleSweep } from '../sweep/sweep-schedule.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { RunningWork } from '../system/running-work.ts';
import { openDoors } from './open-doors.ts';
import { openService } from './open-service.ts';
import { openStorage } from './open-storage.ts';

export interface Addresses {
  address: string;
  baseUrl: string;
  /** Where operators scrape metrics, if they do. */
  metrics: string | undefined;
}

/** A gateway that can be started once and stopped once. */
export interface App {
  /**
   * Opens the database, then the port.
   * @returns where it listens, and what callers are told to use (BASE_URL, if that is set); no slash at either's end
   * @throws when either cannot be opened, or it is stopped meanwhile; what was opened before is closed again
   */
  start(): Promise<Addresses>;
  /**
   * Is no longer ready, stops accepting, lets running requests finish within the grace, and closes everything. Ends a
   * start that is waiting.
   */
  stop(): Promise<void>;
}

/**
 * The composition root: storage, the service on it, and the doors to that.
 * @param onFailure is told if what is loaded behind the first answers cannot be: then the app is to be stopped
 */
export function createApp(
  config: Config,
  log: Logger,
  onFailure: (error: unknown) => void = raise,
  clock: Clock = systemClock,
): App {
  /** How to close what is open, in the order of opening. */
  const closers: (() => Promise<unknown>)[] = [];
  const stopping = new AbortController();
  const running = new RunningWork();

  const open = async (): Promise<Addresses> => {
    const metrics = await openMetrics(config, log);
    if (metrics) closers.push(metrics.stop);
    const wait = { forMillis: config.startWaitMillis, signal: stopping.signal, log };
    const storage = await openStorage(config, clock, wait);
    closers.push(storage.close);
    metrics?.watchDatabase(storage.connection);
    const { auth, hasher, close } = openService({ config, log, storage, running, metrics, clock });
    closers.push(close, () => running.ended(AFTERMATH_MILLIS));
    const hashQueue = async () => {
      if (hasher.isFull) throw new Error('the hash queue is full');
    };
    const health = new Health({ ...storage.probes, hashQueue }, stopping.signal, clock, log);
    metrics?.router.use(healthRoutes(health));

    // Known once the port is open; nobody asks for it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const observers = [logRequests(log), ...(metrics ? [metrics.observeRequest] : [])];
    const parts = { config, log, auth, storage, running, clock, health, baseUrl, observers, onFailure };
    const doors = openDoors(parts);
    closers.push(doors.stop);
    stopping.signal.throwIfAborted();
    const listener = await listen(doors.handler, config);
    address = listener.url;
    const sweeps = scheduleSweep(storage.sweep, clock, log);
    // Both at once: nothing is accepted any more while a sweep comes to its end.
    closers.push(() => Promise.all([listener.stop(config.stopGraceMillis), sweeps.stop()]));
    return { address, baseUrl: baseUrl(), metrics: metrics?.url };
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
  const stop = async () => {
    stopping.abort(new Error('stopped'));
    // A start that is ended by this closes what it has opened.
    await started.catch(() => {});
    await closeAll(closers);
  };
  return { start, stop };
}

function raise(error: unknown): never {
  throw error;
}

async function openMetrics(config: Config, log: Logger): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined;
  // Loaded only here: whoever scrapes nothing does not pay for it.
  const { startMetrics } = await import('../metrics/start-metrics.ts');
  return startMetrics(config, config.metricsPort, log);
}

/**
 * How long a stop waits for what cut connections leave behind. That is soon undone, unless the database is away: then it
 * is for the sweep.
 */
const AFTERMATH_MILLIS = 2_000;

/**
 * Closes what was opened, the last first, each of them however the others went.
 * @throws what the first of them threw that failed
 */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
