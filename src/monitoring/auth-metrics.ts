import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AuditObserver, AuditTrail } from '../auth/audit/audit-trail.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { isDatabaseAway } from '../database/database-errors.ts';
import type { Role } from '../stores/accounts.ts';
import type { OverviewCounts } from '../stores/overviews.ts';
import type { Clock } from '../system/clock.ts';
import { InvalidCredentialsError, InvalidPasskeyError, ServiceError } from '../system/errors.ts';
import { SECONDS } from './request-metrics.ts';

/** The outcomes of other refusals than wrong credentials. Every other failure is an `error`. */
const OUTCOMES: Readonly<Record<string, string>> = {
  TOO_MANY_ATTEMPTS: 'throttled',
  SERVICE_UNAVAILABLE: 'unavailable',
  // The caller closed the connection while it was waiting.
  BAD_REQUEST: 'aborted',
  TWO_FACTOR_REQUIRED: 'second factor required',
  TWO_FACTOR_SETUP_REQUIRED: 'second factor required',
  // A login is validated before it is counted, so this is a code, a challenge, or a password after too many wrong codes.
  BAD_USER_INPUT: 'wrong code',
};

/** One of a few fixed texts. Operators may see from it that an e-mail is unknown; callers never do. */
function outcomeOf(error: unknown): string {
  if (error === undefined) {
    return 'success';
  }
  // The text after a colon is a detail for the audit trail.
  if (error instanceof InvalidCredentialsError) {
    return error.detail?.split(':', 1)[0] ?? 'refused';
  }
  if (error instanceof InvalidPasskeyError) {
    return 'refused passkey';
  }
  if (isDatabaseAway(error)) {
    return 'unavailable';
  }
  return (error instanceof ServiceError && OUTCOMES[error.code]) || 'error';
}

/** Counts logins by outcome. */
export function loginMetrics(registry: Registry): AuditObserver {
  const logins = new Counter({
    name: 'auth_gateway_logins_total',
    help: 'Logins by outcome.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  return ({ act, channel }, error) => {
    if (act === 'login') {
      logins.inc({ channel, outcome: outcomeOf(error) });
    }
  };
}

/** Counts what an operator reads beyond what a helpdesk needs (auth/operators/operator-access.ts). */
export function operatorMetrics(registry: Registry): AuditObserver {
  const readings = new Counter({
    name: 'auth_gateway_many_readings_total',
    help: 'Accounts and pages of lists that one operator has read beyond 200 within an hour.',
    registers: [registry],
  });
  return ({ act }) => {
    if (act === 'many readings') {
      readings.inc();
    }
  };
}

/** Shows how many audit events are not in the database yet, and how many were lost. */
export function watchAuditTrail(registry: Registry, audit: AuditTrail): void {
  new Gauge({
    name: 'auth_gateway_audit_events_waiting',
    help: 'Audit events that are not written yet.',
    registers: [registry],
    collect() {
      this.set(audit.backlog.waiting);
    },
  });
  new Counter({
    name: 'auth_gateway_audit_events_lost_total',
    help: 'Audit events that were lost because too many were waiting for the database.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(audit.backlog.lost);
    },
  });
}

/**
 * Measures how long hashes waited for their start. A hash that was never started is a login with the outcome `unavailable`.
 * @returns a function to call with each wait, in milliseconds
 */
export function hashWaitMetrics(registry: Registry): (waitMillis: number) => void {
  const waits = new Histogram({
    name: 'auth_gateway_hash_queue_wait_seconds',
    help: 'How long password hashes waited before they started.',
    buckets: SECONDS,
    registers: [registry],
  });
  return (waitMillis) => waits.observe(waitMillis / 1000);
}

/** Shows the load of the hash queue. */
export function watchHashQueue(registry: Registry, hasher: PasswordHasher): void {
  new Gauge({
    name: 'auth_gateway_hash_queue_running',
    help: 'Password hashes that are running.',
    registers: [registry],
    collect() {
      this.set(hasher.depth.running);
    },
  });
  new Gauge({
    name: 'auth_gateway_hash_queue_waiting',
    help: 'Password hashes that are waiting.',
    registers: [registry],
    collect() {
      this.set(hasher.depth.waiting);
    },
  });
}

/** How often the counts are read that one instance makes. */
const READ_EVERY_MILLIS = 60_000;

/**
 * Shows how many people there are, and who waits. A scrape never waits for the counts: it begins to read them, and the next one shows them.
 * @param read asks the database
 * @param isRequired true for a role that the policy asks for a second factor
 */
export function watchPeople(
  registry: Registry,
  read: () => Promise<OverviewCounts | undefined>,
  isRequired: (role: Role) => boolean,
  clock: Clock,
): void {
  let counts: OverviewCounts | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;
  const begin = () => {
    // This holds after the clock was set back, too.
    if (Math.abs(clock.now() - begunAt) < READ_EVERY_MILLIS) {
      return;
    }
    begunAt = clock.now();
    read().then(
      (found) => {
        counts = found ?? counts;
      },
      // While the database is unavailable, the last numbers stay. The next scrape asks again.
      () => {
        begunAt = Number.NEGATIVE_INFINITY;
      },
    );
  };
  begin();
  new Gauge({
    name: 'auth_gateway_accounts',
    help: 'Active accounts by role and second factor, of all instances, counted every five minutes.',
    labelNames: ['role', 'second_factor', 'required'],
    registers: [registry],
    collect() {
      begin();
      // A policy that begins changes a label.
      this.reset();
      for (const { role, on, off } of counts?.active ?? []) {
        const labels = { role, required: String(isRequired(role)) };
        this.set({ ...labels, second_factor: 'on' }, on);
        this.set({ ...labels, second_factor: 'off' }, off);
      }
    },
  });
  new Gauge({
    name: 'auth_gateway_accounts_disabled',
    help: 'Disabled accounts, also those that their owners have closed, of all instances.',
    registers: [registry],
    collect() {
      this.set(counts?.disabled ?? 0);
    },
  });
  new Gauge({
    name: 'auth_gateway_doctors_pending',
    help: 'Doctors who wait for a decision, of all instances; at most 1000.',
    registers: [registry],
    collect() {
      this.set(counts?.pendingDoctors ?? 0);
    },
  });
  new Gauge({
    name: 'auth_gateway_doctors_pending_oldest_seconds',
    help: 'How long the first of these doctors has been waiting; 0 if nobody waits.',
    registers: [registry],
    collect() {
      const since = counts?.oldestPendingAt?.getTime();
      this.set(since === undefined ? 0 : Math.max(0, (clock.now() - since) / 1000));
    },
  });
}
