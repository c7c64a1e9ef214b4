import type { Config } from '../config/config.ts';
import { BackupFolder } from '../database/backup-folder.ts';
import { Backups } from '../database/backups.ts';
import type { Metrics } from '../monitoring/metrics/start-metrics.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Storage } from './open-storage.ts';

interface BackupParts {
  config: Pick<Config, 'backup'>;
  storage: Pick<Storage, 'backup' | 'databaseId'>;
  metrics: Metrics | undefined;
  clock: Clock;
  log: Logger;
}

/** @returns undefined if no backups are to be made */
export function openBackups({ config, storage, metrics, clock, log }: BackupParts): Backups | undefined {
  const { backup: settings } = config;
  const { backup: write, databaseId } = storage;
  if (!settings || !write) {
    return undefined;
  }
  const folder = new BackupFolder(settings.dir, databaseId);
  const backups = new Backups({ settings, folder, write, clock, log });
  metrics?.watchBackups(backups);
  return backups;
}
