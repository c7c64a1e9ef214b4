import { Counter, Histogram, type Registry } from 'prom-client';
import type { FailureCause, RequestObserver, RequestRecord } from '../api/http/request-record.ts';

/** In seconds: from one query to the longest wait of a request. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * Measures requests by channel, operation and status. All three labels have fixed sets of values, so clients cannot add labels:
 * they are never a path, or a client's name for its operation.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const durations = new Histogram({
    name: 'auth_gateway_http_request_duration_seconds',
    help: 'How long requests took. Status 499: the caller closed the connection before the answer.',
    labelNames: ['channel', 'operation', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const uploads = new Counter({
    name: 'auth_gateway_upload_bytes_total',
    help: 'Received bytes of multipart bodies, including refused requests.',
    labelNames: ['channel'],
    registers: [registry],
  });
  const countFailure = failureMetrics(registry);
  return (record, end, req) => {
    const { channel, operation = 'none', uploadBytes } = record;
    const { status, durationMillis } = end;
    countFailure(record, end, req);
    durations.observe({ channel, operation, status }, durationMillis / 1000);
    if (uploadBytes > 0) {
      uploads.inc({ channel }, uploadBytes);
    }
  };
}

const CHANNELS: readonly RequestRecord['channel'][] = [
  'rest',
  'graphql',
  'storage',
  'introspection',
  'operators',
  'other',
];
const CAUSES: readonly FailureCause[] = ['unavailable', 'unexpected'];

/**
 * Counts requests that the gateway itself failed. The statuses do not show them: a GraphQL answer with an error may be a 200,
 * and a 503 may be the answer to a health check.
 */
function failureMetrics(registry: Registry): RequestObserver {
  const failures = new Counter({
    name: 'auth_gateway_failed_requests_total',
    help: 'Requests that failed, but not by their own fault: `unexpected` is a defect, `unavailable` may work later.',
    labelNames: ['channel', 'cause'],
    registers: [registry],
  });
  // A series that begins with its first failure shows Prometheus no increase.
  for (const channel of CHANNELS) {
    for (const cause of CAUSES) {
      failures.inc({ channel, cause }, 0);
    }
  }
  return ({ channel, failure }) => {
    if (failure) {
      failures.inc({ channel, cause: failure });
    }
  };
}

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
