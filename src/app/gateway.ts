import { rmSync } from 'node:fs';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings-reader.ts';
import type { DatabaseServer } from '../database/server.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import { createLog, type Logger, standardOutput } from '../system/log.ts';
import { logForPeople } from '../system/log-for-people.ts';
import { type App, createApp } from './app.ts';
import { type NoticeForm, startNotice } from './start-notice.ts';

/** The gateway of this process. */
export interface Gateway {
  app: App;
  config: Config;
  /** Starts the app, and prints its addresses. */
  start(): Promise<void>;
  /** Reads the files of the secrets again. It never rejects. */
  reload(): Promise<void>;
}

interface GatewayParts {
  config: Config;
  /** What the settings were read from. */
  environment: Environment;
  /** The server of the database. */
  starting: Promise<DatabaseServer>;
  clock?: Clock;
}

/** Creates the app, with its log on standard output. */
export async function createGateway({
  config,
  environment,
  starting,
  clock = systemClock,
}: GatewayParts): Promise<Gateway> {
  const output = standardOutput();
  const logOutput = isForPeople(config) ? await logForPeople(output, process.stdout.hasColors()) : output;
  const log = createLog(config.logLevel, logOutput);
  for (const { name, meant } of config.misspelt) {
    log.warn({ variable: name, setting: meant }, `${name} is no setting. If you mean ${meant}, rename it`);
  }
  const app = createApp(config, log, clock, starting);
  removeAtExit(config);
  const start = async () => {
    output.write(startNotice(await app.start(), config, noticeForm(config)));
  };
  return { app, config, start, reload: secretReload({ app, config, environment, log }) };
}

/** In development, a person at a terminal gets text. Programs, also those that read a pipe, get JSON. */
const isForPeople = ({ mode }: Config): boolean => mode === 'development' && process.stdout.isTTY;

function noticeForm(config: Config): NoticeForm {
  if (config.mode === 'production') {
    return 'json';
  }
  return isForPeople(config) ? 'block' : 'line';
}

/** With the database in memory, the storage folder is temporary. It is removed when the process ends. */
function removeAtExit({ storageDir, isStorageTemporary }: Config): void {
  if (isStorageTemporary) {
    process.on('exit', () => rmSync(storageDir, { recursive: true, force: true }));
  }
}

/** The secrets that a running gateway takes over from their files: those that `takeSecrets` of the app uses. */
const RELOADED_SECRETS: readonly string[] = [
  'INTROSPECTION_CLIENTS',
  'SMTP_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'DOCUMENT_URL_SECRET',
  'TWO_FACTOR_SECRET',
];

/** Secrets that only `auth-gateway legacy` uses. */
const FOREIGN_SECRETS: readonly string[] = ['LEGACY_DATABASE_URL'];

interface ReloadParts {
  app: Pick<App, 'takeSecrets'>;
  /** The settings that the app was created with. */
  config: Config;
  /** What they were read from. */
  environment: Environment;
  log: Logger;
}

/**
 * Reads the files of all secrets again, for an app that runs.
 * @returns a function that never rejects. If one file cannot be used, no secret changes. The log has the outcome
 */
export function secretReload({ app, config, environment, log }: ReloadParts): () => Promise<void> {
  let current = config;
  return async () => {
    const next = readAgain(environment, log);
    if (!next) {
      return;
    }
    const changed = changesBetween(current, next).filter((key) => RELOADED_SECRETS.includes(key));
    try {
      await app.takeSecrets(next);
    } catch (err) {
      logUnusable(err, log);
      return;
    }
    current = next;
    log.info({ changed }, 'the files of the secrets were read again');
    const waiting = changesBetween(config, next).filter(
      (key) => !(RELOADED_SECRETS.includes(key) || FOREIGN_SECRETS.includes(key)),
    );
    if (waiting.length > 0) {
      log.warn({ changed: waiting }, 'the gateway must be restarted to use a changed secret');
    }
  };
}

/** @returns undefined if the settings cannot be used now */
function readAgain(environment: Environment, log: Logger): Config | undefined {
  try {
    return readConfig(environment);
  } catch (err) {
    logUnusable(err, log);
    return undefined;
  }
}

function logUnusable(err: unknown, log: Logger): void {
  const facts = err instanceof ConfigError ? { problems: err.problems } : { err };
  log.error(facts, 'the files of the secrets cannot be used: no secret has changed');
}

/** The keys of the secrets whose files have another text, in the order of the alphabet. */
const changesBetween = (before: Config, after: Config): string[] =>
  [...after.fileSecrets.keys()]
    .filter((key) => before.fileSecrets.get(key) !== after.fileSecrets.get(key))
    .sort();
