import type { TracingSettings } from '../../config/tracing-settings.ts';
import type { LimitedConnection } from '../../database/exchange-limit.ts';
import type { Logger } from '../../system/log.ts';
import { RunningWork } from '../../system/running-work.ts';
import { watchDatabase } from './database-spans.ts';
import { hashSpans } from './hash-spans.ts';
import { RequestSpans } from './request-spans.ts';
import { TraceContext } from './trace-context.ts';
import { createTracerProvider } from './tracer-provider.ts';

/** A collector that hangs delays a stop by so much. The time after the grace has room for it (main.ts). */
const MAX_FLUSH_MILLIS = 1_500;

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
    watchDatabase: (connection: LimitedConnection['connection']) =>
      watchDatabase(tracer, context, connection),
    /** Exports the spans that are still here. What takes too long is dropped. */
    stop: (): Promise<void> => {
      const flushing = new RunningWork();
      // The log says why an export fails.
      flushing.add(provider.shutdown()).catch(() => {});
      return flushing.ended(MAX_FLUSH_MILLIS);
    },
  };
}
