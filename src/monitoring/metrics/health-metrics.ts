import { Gauge, type Registry } from 'prom-client';
import type { Health, Readiness } from '../../api/http/health.ts';

/**
 * Shows the checks of `/readyz`. A gateway that is not ready gets no requests, so no other metric tells of its trouble.
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
  // The first scrape, too, shall have results.
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
