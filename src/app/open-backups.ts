import { createHash } from 'node:crypto';
import { BackupFolder } from '../backup/backup-folder.ts';
import { Backups } from '../backup/backups.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Storage } from './open-storage.ts';

interface BackupParts {
  config: Pick<Config, 'backup'>;
  storage: Pick<Storage, 'backup' | 'placesKey'>;
  metrics: Metrics | undefined;
  clock: Clock;
  log: Logger;
}

const ID_CHARACTERS = 12;

/** Tells databases apart. The key is random and stored in the database, so the id comes back with a restored one. */
const databaseId = (placesKey: Buffer): string =>
  createHash('sha256').update('backups of ').update(placesKey).digest('hex').slice(0, ID_CHARACTERS);

/** @returns undefined if no backups are to be made */
export function openBackups({ config, storage, metrics, clock, log }: BackupParts): Backups | undefined {
  const { backup: settings } = config;
  const { backup: write, placesKey } = storage;
  if (!settings || !write) {
    return undefined;
  }
  const folder = new BackupFolder(settings.dir, databaseId(placesKey));
  const backups = new Backups({ settings, folder, write, clock, log });
  metrics?.watchBackups(backups);
  return backups;
}
