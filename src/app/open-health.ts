import { Health } from '../api/http/health.ts';
import type { Backups } from '../database/backup/backups.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Service } from './open-service.ts';
import type { Storage } from './open-storage.ts';

interface HealthParts {
  storage: Pick<Storage, 'probes'>;
  service: Pick<Service, 'hasher'>;
  backups: Backups | undefined;
  stopping: AbortSignal;
  clock: Clock;
  log: Logger;
}

/** Connects the health of the gateway with the parts that it depends on. */
export function openHealth({ storage, service, backups, ...others }: HealthParts): Health {
  const hashQueue = async () => {
    if (service.hasher.isFull) {
      throw new Error('the hash queue is full');
    }
  };
  const isBackupOverdue = backups && (() => backups.isOverdue);
  return new Health({ probes: { ...storage.probes, hashQueue }, isBackupOverdue, ...others });
}
