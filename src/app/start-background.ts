import { scheduleErasures } from '../auth/leaving/erasure.ts';
import { scheduleSweep } from '../auth/sweep/sweep.ts';
import { scheduleBackups } from '../database/backup/backup-schedule.ts';
import type { Backups } from '../database/backup/backups.ts';
import type { Clock } from '../system/clock.ts';
import type { Schedule } from '../system/every-hour.ts';
import type { Logger } from '../system/log.ts';
import type { Service } from './open-service.ts';
import type { Storage } from './open-storage.ts';

interface BackgroundParts {
  storage: Storage;
  service: Service;
  backups: Backups | undefined;
  clock: Clock;
  log: Logger;
}

/** Starts what runs beside the requests: the sweep, the erasures, the backups and the mails. */
export function startBackground({ storage, service, backups, clock, log }: BackgroundParts): Schedule {
  const schedules = [
    scheduleSweep(storage.sweep, clock, log),
    scheduleErasures(service.erasure, clock),
    ...(backups ? [scheduleBackups(backups, clock)] : []),
  ];
  const stopMails = service.deliverMails();
  return {
    first: Promise.all(schedules.map(({ first }) => first)).then(() => {}),
    stop: async () => {
      await Promise.all([...schedules.map(({ stop }) => stop()), stopMails()]);
    },
  };
}
