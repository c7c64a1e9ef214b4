import { type Config, type Environment, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings-reader.ts';
import type { Logger } from '../system/log.ts';
import type { App } from './app.ts';

/** The secrets that a running gateway takes over from their files. */
const RELOADED_SECRETS: readonly string[] = [
  'INTROSPECTION_CLIENTS',
  'SMTP_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'DOCUMENT_URL_SECRET',
];

/** No part of the gateway uses it, only `npm run legacy`. */
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
    current = next;
    await app.takeSecrets(next);
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
    const facts = err instanceof ConfigError ? { problems: err.problems } : { err };
    log.error(facts, 'the files of the secrets cannot be used: no secret has changed');
    return undefined;
  }
}

/** The keys of the secrets whose files have another text, in the order of the alphabet. */
const changesBetween = (before: Config, after: Config): string[] =>
  [...after.fileSecrets.keys()]
    .filter((key) => before.fileSecrets.get(key) !== after.fileSecrets.get(key))
    .sort();
