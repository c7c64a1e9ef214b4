import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { TracingSettings } from '../config/tracing-settings.ts';
import type { Logger } from '../system/log.ts';
import { watchDatabase } from './database-spans.ts';
import { hashSpans } from './hash-spans.ts';
import { RequestSpans } from './request-spans.ts';
import { TraceContext } from './trace-context.ts';
import { createTracerProvider } from './tracer-provider.ts';

/** The functions that make spans, one for each of the three places where requests spend their time. */
export type Tracing = ReturnType<typeof startTracing>;

/**
 * Starts to export spans. It needs no collector to start, and neither a request nor a start waits for one.
 * @param version of the gateway
 */
export function startTracing(settings: TracingSettings, version: string, log: Logger) {
  const provider = createTracerProvider(settings, version, log);
  const tracer = provider.getTracer('auth-gateway', version);
  const context = new TraceContext();
  const requests = new RequestSpans(tracer, context);
  return {
    beginRequest: requests.begin,
    observeRequest: requests.observe,
    watchHash: hashSpans(tracer, context),
    watchDatabase: (connection: Connection) => watchDatabase(tracer, context, connection),
    /**
     * Exports the spans that are still here.
     * @param maxMillis after this time the rest is dropped
     */
    stop: async (maxMillis: number): Promise<void> => {
      const tooLate = new AbortController();
      // The log has said why an export failed.
      const flushed = provider.shutdown().catch(() => {});
      const end = wait(maxMillis, undefined, { signal: tooLate.signal }).catch(() => {});
      await Promise.race([flushed, end]);
      tooLate.abort();
    },
  };
}
