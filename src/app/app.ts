import type { Health } from '../api/http/health.ts';
import { healthRoutes } from '../api/http/health.ts';
import { listen } from '../api/http/server.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseServer } from '../database/server.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { RunningWork } from '../system/running-work.ts';
import { messageOf } from '../system/system-errors.ts';
import { openBackups } from './open-backups.ts';
import { openHealth } from './open-health.ts';
import { openService, type Service } from './open-service.ts';
import { openStorage } from './open-storage.ts';
import { openWatching, type Watching } from './open-watching.ts';
import type { SecretHolder } from './secret-holder.ts';
import { startBackground } from './start-background.ts';

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

/**
 * The composition root: storage, the service on it, and the APIs to the service.
 * @param starting the server of its database, if it is already starting
 */
export function createApp(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  starting?: Promise<DatabaseServer>,
): App {
  /** Functions that close the open parts, in the order of opening. */
  const closers: (() => Promise<unknown>)[] = [];
  const holders: SecretHolder[] = [];
  const stopping = new AbortController();
  const running = new RunningWork();

  const open = async (): Promise<Started> => {
    // A third of all code is behind the APIs. It loads while the database opens.
    const loading = loadApis();
    const watching = await openWatching(config, log);
    closers.push(watching.stop);
    const wait = { forMillis: config.startWaitMillis, signal: stopping.signal, log };
    const storage = await openStorage(config, clock, { wait, starting });
    closers.push(storage.close);
    watching.watchDatabase(storage.connection);
    const parts = { config, log, storage, running, clock, ...watching };
    const service = openService(parts);
    closers.push(service.close, () => running.ended(AFTERMATH_MILLIS));
    const backups = openBackups(parts);
    const health = openHealth({ ...parts, service, backups, stopping: stopping.signal });
    serveBesideMetrics(watching, { config, health, service, log });

    // Known once the port is open. No request needs it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const openApis = await loading;
    const apis = await openApis({ ...parts, service, health, baseUrl });
    closers.push(apis.stop);
    holders.push(storage, service, apis);
    stopping.signal.throwIfAborted();
    const listener = await listen(apis.handler, config);
    address = listener.url;
    const background = startBackground({ ...parts, service, backups });
    // All at once: the port accepts nothing while a running sweep, backup and the mail under way end.
    closers.push(() => Promise.all([listener.stop(config.stopGraceMillis), background.stop()]));
    return { address, baseUrl: baseUrl(), metrics: watching.metrics?.url, firstSweep: background.first };
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
function loadApis() {
  const loading = import('./open-apis.ts').then(
    ({ openApis }) => openApis,
    (error: unknown) => {
      throw new Error(`The APIs cannot be loaded: ${messageOf(error)}`, { cause: error });
    },
  );
  loading.catch(() => {});
  return loading;
}

/** The paths that the metrics port serves, too. */
function serveBesideMetrics(
  { metrics, tracing }: Watching,
  { config, health, service, log }: { config: Config; health: Health; service: Service; log: Logger },
): void {
  metrics?.router.use(healthRoutes(health));
  metrics?.watchHealth(health);
  if (config.forwardAuth === 'metrics') {
    if (tracing) {
      metrics?.router.use(tracing.beginRequest);
    }
    metrics?.router.use(forwardAuthRoutes({ ...service, log }));
  }
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
