import { Counter, Gauge, type Registry } from 'prom-client';
import { MAIL_OUTCOMES, type MailOutcome } from '../../mail/mail-attempts.ts';

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
      // While the database is away, the last number stays: the other metrics must not fail with this one.
      await count().then(
        (waiting) => this.set(waiting),
        () => {},
      );
    },
  });
}
