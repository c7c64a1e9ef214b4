import { healthRoutes } from '../api/http/health.routes.ts';
import { Health } from '../api/http/health.ts';
import { listen } from '../api/http/server.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import { accountMails } from '../auth/account-mails.ts';
import { Overview } from '../auth/overview.ts';
import { scheduleErasures } from '../auth/privacy/erasure.ts';
import { scheduleSweep } from '../auth/sweep/sweep.ts';
import { keyIdsOf } from '../auth/two-factor/secret-cipher.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings-reader.ts';
import { BackupFolder } from '../database/backup-folder.ts';
import { Backups, scheduleBackups } from '../database/backups.ts';
import type { DatabaseServer } from '../database/server.ts';
import { MailDelivery } from '../mail/mail-delivery.ts';
import { type Monitoring, openMonitoring } from '../monitoring/monitoring.ts';
import { type Clock, type Schedule, systemClock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { RunningWork } from '../system/running-work.ts';
import { messageOf } from '../system/system-errors.ts';
import { type Domain, openDomain } from './domain.ts';
import { type Events, openEvents } from './events.ts';
import { openRequestDomain, type RequestDomain } from './request-domain.ts';
import { openStorage } from './storage.ts';

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
  let replaceSecrets = (_next: Config): void => {};
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
    const domain = openDomain(config, { ...storage, clock, log, hooks });
    closers.push(domain.flush, () => running.ended(AFTERMATH_MILLIS));
    const requests = openRequestDomain(config, { ...storage, ...domain, running, hooks });
    const basis = { ...requests, stopping: stopping.signal };
    const parts = { ...basis, ...openEvents(config, basis) };
    checkLines = (next) => refuseMissingLines(next, parts);
    await checkLines(config);
    await checkPasskeys(config, parts);
    const backups = openBackups(config, parts);
    const health = openHealth({ ...parts, backups });
    const watched = { ...parts, overview: new Overview(parts), backups, health };
    monitoring.watch(watched);
    serveBesideMetrics(config, monitoring, watched);

    // Known once the port is open. No request needs it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const openApis = await loading;
    const apis = await openApis(config, { ...watched, baseUrl, beginTrace, requestObservers });
    closers.push(apis.stop);
    replaceSecrets = (next) => replaceSecretsOf(parts, next);
    stopping.signal.throwIfAborted();
    const listener = await listen(apis.handler, config);
    address = listener.url;
    const background = startBackground(config, { ...parts, backups });
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
    // Only a line that goes may be missed, so all other secrets change also while the database is unreachable.
    if (lines.some((line) => !secrets.includes(line))) {
      await checkLines(next);
    }
    lines = secrets;
    replaceSecrets(next);
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
async function refuseMissingLines({ twoFactor }: Config, { factors, accounts }: Domain): Promise<void> {
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
async function checkPasskeys(
  { passkeys: relyingParty, twoFactor }: Config,
  { passkeys, accounts, log }: Domain,
): Promise<void> {
  if (relyingParty) {
    const others = await passkeys.countOfOthers(relyingParty.rpId);
    if (others > 0) {
      log.warn(
        { passkeys: others },
        'PASSKEY_RP_ID was another one when these passkeys were added: they do not work',
      );
    }
  } else if (await accounts.hasAnyPasskey()) {
    const count = await accounts.countOnlyPasskeys(twoFactor.roles.keys());
    if (count > 0) {
      throw new ConfigError([
        `PASSKEY_RP_ID is not set, so accounts of TWO_FACTOR_REQUIRED that have only passkeys could not log in: ${count}.`,
      ]);
    }
    log.warn('there are passkeys in the database, but PASSKEY_RP_ID is not set: nobody can use them');
  }
}

/** @returns undefined if no backups are to be made */
function openBackups(
  { backup: settings }: Config,
  { writeBackup, databaseId, clock, log }: RequestDomain,
): Backups | undefined {
  if (!settings || !writeBackup) {
    return undefined;
  }
  const folder = new BackupFolder(settings.dir, databaseId);
  return new Backups({ settings, folder, write: writeBackup, clock, log });
}

type HealthBasis = RequestDomain & { backups: Backups | undefined; stopping: AbortSignal };

/** Connects the health of the gateway with the parts that it depends on. */
function openHealth({ backups, ...parts }: HealthBasis): Health {
  const hashQueue = async () => {
    if (parts.hasher.isFull) {
      throw new Error('the hash queue is full');
    }
  };
  const backupProblem = backups && (() => backups.problem);
  return new Health({ ...parts, probes: { ...parts.probes, hashQueue }, backupProblem });
}

/** The paths that the metrics port serves, too. */
function serveBesideMetrics(
  { forwardAuth }: Config,
  { metricsPort, beginTrace }: Monitoring,
  parts: RequestDomain & { health: Health },
): void {
  metricsPort?.router.use(healthRoutes(parts.health));
  if (forwardAuth === 'metrics') {
    if (beginTrace) {
      metricsPort?.router.use(beginTrace);
    }
    metricsPort?.router.use(forwardAuthRoutes(parts));
  }
}

type BackgroundBasis = RequestDomain & Events & { backups: Backups | undefined };

/** Starts what runs beside the requests: the sweep, the erasures, the ends of verifications, the backups, the events and the mails. */
function startBackground(config: Config, parts: BackgroundBasis): Schedule {
  const { sweep, erasure, notedChanges, endings, backups, publishing, clock, log } = parts;
  const schedules = [
    scheduleSweep(sweep, clock, log),
    scheduleErasures(erasure, clock),
    notedChanges.schedule(),
    endings.schedule(),
    ...(backups ? [scheduleBackups(backups, clock)] : []),
  ];
  const mails = deliverMails(config, parts);
  const publications = publishing?.start();
  return {
    first: Promise.all(schedules.map(({ first }) => first)).then(() => {}),
    stop: async () => {
      await Promise.all([...schedules, mails, publications].map((running) => running?.stop()));
    },
  };
}

/**
 * Starts the delivery of mails. It needs no connection to start.
 * @returns undefined if there is no mail server
 */
function deliverMails(config: Config, parts: BackgroundBasis): MailDelivery | undefined {
  const { transport, outbox, hooks } = parts;
  // With SMTP_URL the second is set.
  const {
    mail,
    passwordResetUrl = '',
    emailVerificationUrl,
    invitationUrl,
    people,
    mailLanguage,
    timeZone,
    brand,
  } = config;
  if (!mail || !transport) {
    return undefined;
  }
  const links = { passwordResetUrl, emailVerificationUrl, invitationUrl, peopleUrl: people?.url };
  const serviceName = mail.from.name;
  const draftMail = accountMails({ ...parts, ...links, mailLanguage, serviceName, timeZone, brand });
  const delivery = new MailDelivery({ ...parts, transport, draftMail, onMail: hooks.onMail });
  outbox.onAdded(() => delivery.wakeLater());
  delivery.wake();
  return delivery;
}

/**
 * Uses the secrets of these settings from now on, and ignores all other settings. It neither waits nor fails, so that all parts change
 * together. Requests and mails under way may end with the secrets that they began with.
 */
function replaceSecretsOf(parts: RequestDomain, next: Config): void {
  parts.serviceAuthentication.replaceSecrets(next.services);
  if (next.s3) {
    parts.documents.takeCredentials?.(next.s3.credentials);
  }
  if (next.twoFactor.secrets.length > 0) {
    parts.cipher?.replaceLines(next.twoFactor.secrets);
  }
  if (next.mail) {
    parts.transport?.replace(next.mail);
  }
  if (next.documentSigning) {
    parts.urlSigner?.replaceSecrets(next.documentSigning);
  }
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
