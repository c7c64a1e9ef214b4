import { Counter, type Registry } from 'prom-client';
import type { RequestObserver } from '../../api/http/request-record.ts';

/** The outcomes of questions that got no answer. Every other one is an `error`. */
const OUTCOMES: Readonly<Record<number, string>> = { 401: 'refused', 429: 'throttled', 503: 'unavailable' };

/** Counts introspections by service and outcome. Only services of INTROSPECTION_CLIENTS are labels. */
export function introspectionMetrics(registry: Registry): RequestObserver {
  const questions = new Counter({
    name: 'auth_gateway_introspections_total',
    help: 'Introspections by service and outcome.',
    labelNames: ['service', 'outcome'],
    registers: [registry],
  });
  return ({ operation, service = 'none', accountId }, { status }) => {
    if (operation !== 'introspect') {
      return;
    }
    const answer = accountId === undefined ? 'inactive' : 'active';
    questions.inc({ service, outcome: status === 200 ? answer : (OUTCOMES[status] ?? 'error') });
  };
}
