import { healthRoutes } from '../api/http/health.routes.ts';
import { Health } from '../api/http/health.ts';
import { listen } from '../api/http/server.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import { Overview } from '../auth/overview.ts';
import { scheduleErasures } from '../auth/privacy/erasure.ts';
import { scheduleSweep } from '../auth/sweep/sweep.ts';
import { keyIdsOf } from '../auth/two-factor/secret-cipher.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings-reader.ts';
import { BackupFolder } from '../database/backup-folder.ts';
import { Backups, scheduleBackups } from '../database/backups.ts';
import type { DatabaseServer } from '../database/server.ts';
import { type Monitoring, openMonitoring } from '../monitoring/monitoring.ts';
import type { Role } from '../stores/accounts.ts';
import type { Stores } from '../stores/stores.ts';
import { type Clock, type Schedule, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { RunningWork } from '../system/running-work.ts';
import { messageOf } from '../system/system-errors.ts';
import { type Domain, openDomain } from './domain.ts';
import { type Events, openEvents } from './events.ts';
import { openServiceLayer, type ServiceLayer } from './service-layer.ts';
import { openStorage, type Storage } from './storage.ts';

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
   * Uses other secrets from now on, where that is safe (`gateway.ts`). It waits for the end of a start. No request fails
   * for it.
   * @param config the settings with other secrets. Everything else in them is ignored
   * @throws ConfigError if a stored secret needs a line of TWO_FACTOR_SECRET that they lack; the database's error. Then no secret changes
   */
  takeSecrets(config: Config): Promise<void>;
  /**
   * Reports "not ready", accepts no more connections, lets running requests finish within the grace, and closes all parts.
   * A start that is waiting for the database ends with an error.
   */
  stop(): Promise<void>;
}

/**
 * The composition root: storage, the domain on it, the services, and the APIs to the services.
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
  const holdersOfSecrets: Pick<Storage, 'takeSecrets'>[] = [];
  let checkLines = async (_next: Config): Promise<void> => {};
  let lines = config.twoFactor.secrets;
  const stopping = new AbortController();
  const running = new RunningWork();

  const open = async (): Promise<Started> => {
    // A third of all code is behind the APIs. It loads while the database opens.
    const loading = loadApis();
    const monitoring = await openMonitoring(config, log);
    const { hooks, metricsPort, beginTrace, requestObservers } = monitoring;
    closers.push(monitoring.stop);
    const wait = { forMillis: config.startWaitMillis, signal: stopping.signal, log };
    const storage = await openStorage(config, clock, { wait, starting });
    closers.push(storage.close);
    monitoring.watchDatabase(storage.connection);
    const domain = openDomain({ config, stores: storage.stores, clock, log, hooks });
    const services = openServiceLayer({ config, domain, storage, running, hooks });
    const events = openEvents({ config, domain, stopping: stopping.signal });
    closers.push(domain.close, () => running.ended(AFTERMATH_MILLIS));
    checkLines = (next) => refuseMissingLines(next, storage.stores);
    await checkLines(config);
    await checkPasskeys(config, storage.stores, log);
    const backups = openBackups({ config, storage, clock, log });
    const health = openHealth({ storage, domain, backups, stopping: stopping.signal });
    const countMails = config.mail && (() => storage.stores.messages.count());
    const { audit, hasher, twoFactorPolicy } = domain;
    const overview = new Overview({ ...storage.stores, clock });
    const readCounts = () => overview.read();
    const isFactorRequired = (role: Role) => twoFactorPolicy.names(role);
    const eventFigures = events?.eventFigures;
    monitoring.watch({
      audit,
      hasher,
      countMails,
      eventFigures,
      readCounts,
      isFactorRequired,
      backups,
      health,
      clock,
    });
    serveBesideMetrics(monitoring, { config, health, services, log });

    // Known once the port is open. No request needs it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const openApis = await loading;
    const apis = await openApis({
      config,
      domain,
      services,
      events,
      storage,
      health,
      running,
      overview,
      backups,
      baseUrl,
      beginTrace,
      requestObservers,
    });
    closers.push(apis.stop);
    holdersOfSecrets.push(storage, services);
    stopping.signal.throwIfAborted();
    const listener = await listen(apis.handler, config);
    address = listener.url;
    const background = startBackground({ storage, domain, services, events, backups, clock, log });
    // All at once: the port accepts nothing while a running sweep, backup and the mail under way end.
    closers.push(() => Promise.all([listener.stop(config.stopGraceMillis), background.stop()]));
    return { address, baseUrl: baseUrl(), metrics: metricsPort?.url, firstSweep: background.first };
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
    const { secrets } = next.twoFactor;
    // Only a line that goes may be missed, so all other secrets change also while the database is away.
    await (lines.some((line) => !secrets.includes(line)) && checkLines(next));
    lines = secrets;
    for (const holder of holdersOfSecrets) {
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
  const loading = import('./apis.ts').then(
    ({ openApis }) => openApis,
    (error: unknown) => {
      throw new Error(`The APIs cannot be loaded: ${messageOf(error)}`, { cause: error });
    },
  );
  loading.catch(() => {});
  return loading;
}

/** A kill in the midst of a confirmation leaves an app that no account names. More are none of these. */
const MAX_LEFT_BY_KILLS = 1_000;

/**
 * A secret that nobody can decrypt would lock its owner out, and must never count as no second factor.
 * @throws ConfigError if a stored one needs a line that TWO_FACTOR_SECRET does not have
 */
async function refuseMissingLines({ twoFactor }: Config, { factors, accounts }: Stores): Promise<void> {
  const apps = await factors.findWithOtherKey(keyIdsOf(twoFactor.secrets), MAX_LEFT_BY_KILLS);
  const isNeeded = async () => apps.length === MAX_LEFT_BY_KILLS || (await accounts.hasAnyApp(apps));
  if (apps.length > 0 && (await isNeeded())) {
    throw new ConfigError([
      'TWO_FACTOR_SECRET lacks a line: the secrets of authenticator apps in the database were encrypted with it.',
    ]);
  }
}

/**
 * Passkeys belong to one RP ID for ever.
 * @throws ConfigError if none works and the policy names accounts that have nothing else: they could not log in
 */
async function checkPasskeys({ passkeys, twoFactor }: Config, stores: Stores, log: Logger): Promise<void> {
  if (passkeys) {
    const others = await stores.passkeys.countOfOthers(passkeys.rpId);
    if (others > 0) {
      log.warn(
        { passkeys: others },
        'PASSKEY_RP_ID was another one when these passkeys were added: they do not work',
      );
    }
  } else if (await stores.accounts.hasAnyPasskey()) {
    const count = await stores.accounts.countOnlyPasskeys(twoFactor.roles.keys());
    if (count > 0) {
      throw new ConfigError([
        `PASSKEY_RP_ID is not set, so accounts of TWO_FACTOR_REQUIRED that have only passkeys could not log in: ${count}.`,
      ]);
    }
    log.warn('there are passkeys in the database, but PASSKEY_RP_ID is not set: nobody can use them');
  }
}

interface BackupParts {
  config: Pick<Config, 'backup'>;
  storage: Pick<Storage, 'backup' | 'databaseId'>;
  clock: Clock;
  log: Logger;
}

/** @returns undefined if no backups are to be made */
function openBackups({ config, storage, clock, log }: BackupParts): Backups | undefined {
  const { backup: settings } = config;
  const { backup: write, databaseId } = storage;
  if (!settings || !write) {
    return undefined;
  }
  return new Backups({ settings, folder: new BackupFolder(settings.dir, databaseId), write, clock, log });
}

interface HealthParts {
  storage: Pick<Storage, 'probes'>;
  domain: Pick<Domain, 'hasher' | 'clock' | 'log'>;
  backups: Backups | undefined;
  stopping: AbortSignal;
}

/** Connects the health of the gateway with the parts that it depends on. */
function openHealth({ storage, domain, backups, stopping }: HealthParts): Health {
  const { database, storage: files } = storage.probes;
  const { hasher, clock, log } = domain;
  const hashQueue = async () => {
    if (hasher.isFull) {
      throw new Error('the hash queue is full');
    }
  };
  const backupProblem = backups && (() => backups.problem);
  return new Health({
    probes: { database, storage: files, hashQueue },
    backupProblem,
    stopping,
    clock,
    log,
  });
}

interface OperatorParts {
  config: Config;
  health: Health;
  services: ServiceLayer;
  log: Logger;
}

/** The paths that the metrics port serves, too. */
function serveBesideMetrics(
  { metricsPort, beginTrace }: Monitoring,
  { config, health, services, log }: OperatorParts,
): void {
  metricsPort?.router.use(healthRoutes(health));
  if (config.forwardAuth === 'metrics') {
    if (beginTrace) {
      metricsPort?.router.use(beginTrace);
    }
    const { forwardAuthentication } = services;
    metricsPort?.router.use(forwardAuthRoutes({ forwardAuthentication, log }));
  }
}

interface BackgroundParts {
  storage: Storage;
  domain: Domain;
  services: ServiceLayer;
  events: Events | undefined;
  backups: Backups | undefined;
  clock: Clock;
  log: Logger;
}

/** Starts what runs beside the requests: the sweep, the erasures, the backups, the events and the mails. */
function startBackground({
  storage,
  domain,
  services,
  events,
  backups,
  clock,
  log,
}: BackgroundParts): Schedule {
  const schedules = [
    scheduleSweep(storage.sweep, clock, log),
    scheduleErasures(services.erasure, clock),
    domain.notedChanges.schedule(),
    ...(backups ? [scheduleBackups(backups, clock)] : []),
  ];
  const stopMails = services.deliverMails();
  const publishing = events?.start();
  return {
    first: Promise.all(schedules.map(({ first }) => first)).then(() => {}),
    stop: async () => {
      await Promise.all([...schedules.map(({ stop }) => stop()), stopMails(), publishing?.stop()]);
    },
  };
}

/**
 * How long a stop waits for the work that cut connections leave behind. It soon ends, unless the database is unavailable; then
 * the sweep removes the rest.
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
