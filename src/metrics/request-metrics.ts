import { Counter, Histogram, type Registry } from 'prom-client';
import type { RequestObserver } from '../http/requests/request-record.ts';
import { SECONDS } from './buckets.ts';

/**
 * Requests by door, operation and status. All three come from sets of ours that are bounded, whatever is sent: never a
 * path, nor what a client calls its operation.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const durations = new Histogram({
    name: 'auth_gateway_http_request_duration_seconds',
    help: 'How long requests took; status 499: the caller was gone before an answer began.',
    labelNames: ['door', 'operation', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const uploads = new Counter({
    name: 'auth_gateway_upload_bytes_total',
    help: 'Bytes of multipart bodies that have come in, those of refused requests included.',
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
