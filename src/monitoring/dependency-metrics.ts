import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Health, Readiness } from '../api/http/health.ts';
import type { EventFigures } from '../auth/events/event-figures.ts';
import type { Backups } from '../database/backups.ts';
import { collectionOf } from '../database/command-target.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { MAIL_OUTCOMES, type MailOutcome } from '../mail/mail-attempts.ts';
import { SECONDS } from './request-metrics.ts';

interface Command {
  command: string;
  collection: string;
  startedAt: number;
}

/**
 * Measures every database command, from its sending to its answer or failure.
 * @param connection opened with `monitorCommands`; otherwise nothing is measured
 */
export function watchDatabase(registry: Registry, connection: LimitedConnection['connection']): void {
  const durations = new Histogram({
    name: 'auth_gateway_database_command_duration_seconds',
    help: 'Round trips to the database.',
    labelNames: ['command', 'collection', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const running = new Map<number, Command>();
  const end = (requestId: number, outcome: 'success' | 'failure') => {
    const ended = running.get(requestId);
    if (!running.delete(requestId) || !ended) {
      return;
    }
    const { command, collection, startedAt } = ended;
    durations.observe({ command, collection, outcome }, (performance.now() - startedAt) / 1000);
  };
  connection
    .getClient()
    .on('commandStarted', ({ requestId, commandName, command }) => {
      const collection = collectionOf(command, commandName) ?? 'none';
      running.set(requestId, { command: commandName, collection, startedAt: performance.now() });
    })
    .on('commandSucceeded', ({ requestId }) => end(requestId, 'success'))
    .on('commandFailed', ({ requestId }) => end(requestId, 'failure'));
}

/** Counts the attempts to send mails by outcome. */
export function mailMetrics(registry: Registry): (outcome: MailOutcome) => void {
  const mails = new Counter({
    name: 'auth_gateway_mails_total',
    help: 'Attempts to send mails by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // A series that begins with its first mail shows Prometheus no increase.
  for (const outcome of MAIL_OUTCOMES) {
    mails.inc({ outcome }, 0);
  }
  return (outcome) => mails.inc({ outcome });
}

/**
 * Shows how many mails wait.
 * @param count asks the database
 */
export function watchMails(registry: Registry, count: () => Promise<number>): void {
  new Gauge({
    name: 'auth_gateway_mails_waiting',
    help: 'Mails that are not sent yet, of all instances.',
    registers: [registry],
    async collect() {
      // While the database is unavailable, the last number stays: the other metrics must not fail with this one.
      await count().then(
        (waiting) => this.set(waiting),
        () => {},
      );
    },
  });
}

/**
 * Shows how long events wait for their position, and for each webhook. All instances show the same numbers.
 * @param figures ask the database
 */
export function watchEvents(registry: Registry, figures: EventFigures): void {
  new Gauge({
    name: 'auth_gateway_events_unpublished_age_seconds',
    help: 'How long the oldest event waits that services cannot read yet; 0 if there is none.',
    registers: [registry],
    async collect() {
      await figures.unpublishedMillis().then(
        (millis) => this.set(millis / 1_000),
        () => {},
      );
    },
  });
  new Gauge({
    name: 'auth_gateway_webhook_undelivered_age_seconds',
    help: 'How long the oldest event waits for a webhook; 0 if there is none.',
    labelNames: ['endpoint'],
    registers: [registry],
    async collect() {
      const endpoints = await figures.endpoints().catch(() => []);
      for (const { name, waitingMillis } of endpoints) {
        this.set({ endpoint: name }, waitingMillis / 1_000);
      }
    },
  });
}

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
  let isFirst = true;
  new Counter({
    name: 'auth_gateway_backup_failures_total',
    help: 'Backups that failed.',
    registers: [registry],
    collect() {
      this.reset();
      // The first backup may fail before anybody has asked, and Prometheus sees an increase only above a value that it has seen.
      this.inc(isFirst ? 0 : backups.figures.failures);
      isFirst = false;
    },
  });
}

/**
 * Shows the checks of `/readyz`. A gateway that is not ready gets no requests, so no other metric shows that anything is wrong.
 *
 * Each scrape starts the checks and shows the results of those that the scrape before it has started: a dependency that hangs
 * must not hold back the other metrics, which are needed most just then.
 */
export function watchHealth(registry: Registry, health: Health): void {
  let checks: Partial<Readiness['checks']> = {};
  const check = () =>
    void health.readiness().then((readiness) => {
      checks = readiness.checks;
    });
  // The first scrape has results, too.
  check();
  new Gauge({
    name: 'auth_gateway_health_check_ok',
    help: 'The checks of /readyz: 1 is ok, 0 is not.',
    labelNames: ['check'],
    registers: [registry],
    collect() {
      check();
      for (const [name, answer] of Object.entries(checks)) {
        this.set({ check: name }, answer === 'ok' ? 1 : 0);
      }
    },
  });
}
