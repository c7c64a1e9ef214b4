import type { Environment } from './config.ts';
import { SettingsReader } from './settings-reader.ts';
import { isInMemory, readDataDir, readMongodbUri } from './storage-settings.ts';

/*
 * The settings of `npm run db:move`. It reads no others, because a gateway that is to move may have settings that do not fit
 * together yet.
 */

/**
 * @returns the folder of the embedded database
 * @throws ConfigError if the data is in memory
 */
export function readDataFolder(environment: Environment): string {
  const read = new SettingsReader(environment);
  if (isInMemory(read)) {
    read.problem('DATA_DIR', 'is :memory:, so only the gateway itself has its data: there is no folder');
  }
  read.refuseProblems();
  return readDataDir(read);
}

/**
 * @returns the address of the database; undefined if it is not set
 * @throws ConfigError
 */
export function readTarget(environment: Environment): string | undefined {
  const read = new SettingsReader(environment);
  const uri = readMongodbUri(read);
  read.refuseProblems();
  return uri || undefined;
}
