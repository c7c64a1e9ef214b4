import { Counter, Gauge, type Registry } from 'prom-client';
import type { Backups } from '../../database/backups.ts';

/** Shows how the backups of the embedded database go. Only with BACKUP_DIR. */
export function watchBackups(registry: Registry, backups: Backups): void {
  new Gauge({
    name: 'auth_gateway_backup_last_success_timestamp_seconds',
    help: 'When the last good backup began, in seconds since the epoch; 0 if there is none.',
    registers: [registry],
    collect() {
      this.set((backups.figures.lastTakenAt ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'auth_gateway_backup_duration_seconds',
    help: 'How long the last good backup of this process took; 0 if it has made none.',
    registers: [registry],
    collect() {
      this.set((backups.figures.lastDurationMillis ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'auth_gateway_backup_size_bytes',
    help: 'The size of the last good backup; 0 if there is none.',
    registers: [registry],
    collect() {
      this.set(backups.figures.lastSizeBytes ?? 0);
    },
  });
  new Counter({
    name: 'auth_gateway_backup_failures_total',
    help: 'Backups that failed.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(backups.figures.failures);
    },
  });
}
