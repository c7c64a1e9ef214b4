import { Counter, Histogram, type Registry } from 'prom-client';
import type { RequestObserver } from '../http/requests/request-record.ts';
import { SECONDS } from './buckets.ts';

/**
 * Measures requests by door, operation and status. All three labels have fixed sets of values, so clients cannot add labels:
 * they are never a path, or a client's name for its operation.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const durations = new Histogram({
    name: 'auth_gateway_http_request_duration_seconds',
    help: 'How long requests took. Status 499: the caller closed the connection before the answer.',
    labelNames: ['door', 'operation', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const uploads = new Counter({
    name: 'auth_gateway_upload_bytes_total',
    help: 'Received bytes of multipart bodies, including refused requests.',
    labelNames: ['door'],
    registers: [registry],
  });
  return ({ door, operation = 'none', uploadBytes }, { status, durationMillis }) => {
    durations.observe({ door, operation, status }, durationMillis / 1000);
    if (uploadBytes > 0) {
      uploads.inc({ door }, uploadBytes);
    }
  };
}
