import { SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { JobWatch } from '../../auth/passwords/hash-queue.ts';
import { ServiceError } from '../../system/errors/service-error.ts';
import type { TraceContext } from './trace-context.ts';

/**
 * Spans of password hashes, from the moment when they join the queue to their end. The time in the queue is an attribute,
 * and the event `started` is at its end.
 * @returns a function to call for each job that joins; it returns undefined where nothing is recorded
 */
export const hashSpans = (tracer: Tracer, context: TraceContext) => (): JobWatch | undefined => {
  const parent = context.recorded;
  if (!parent) {
    return undefined;
  }
  const span = tracer.startSpan('password hash', {}, parent);
  return {
    begin: (work, waitMillis) => {
      span.setAttribute('auth_gateway.hash_queue.wait_ms', Math.round(waitMillis * 10) / 10);
      span.addEvent('started');
      return context.run(trace.setSpan(parent, span), work);
    },
    end: (error) => {
      if (error !== undefined) {
        span.setAttribute('error.type', error instanceof ServiceError ? error.code : '_OTHER');
      }
      if (isFailure(error)) {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
};

/** A refusal, such as that of a disabled account, is no failure of the hash. */
const isFailure = (error: unknown): boolean =>
  error !== undefined && !(error instanceof ServiceError && error.status < 500);
