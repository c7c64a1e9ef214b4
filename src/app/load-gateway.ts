import { loadEnvironment, readConfig } from '../config/config.ts';
import { startServer } from '../database/server.ts';
import { lowerHashingThreads } from '../patches/thread-priorities.ts';
import type { Gateway } from './gateway.ts';

/**
 * Reads the settings, and loads all other code. Meanwhile the embedded database, if there is one, already starts in its thread.
 * So this file must load little.
 * @throws ConfigError
 */
export async function loadGateway(): Promise<Gateway> {
  const environment = loadEnvironment();
  const config = readConfig(environment);
  await lowerHashingThreads();
  const starting = startServer(config.database);
  // The app waits for it later. Until then a failure is not an unhandled rejection.
  starting.catch(() => {});
  const { createGateway } = await import('./gateway.ts');
  return createGateway({ config, environment, starting });
}
