import { randomUUID } from 'node:crypto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../../config/tracing-settings.ts';
import type { Logger } from '../../system/log.ts';
import { collectorAgent } from './collector-agent.ts';
import { WatchedExporter } from './watched-exporter.ts';

/** How long one export may take, with its retries. */
const EXPORT_MILLIS = 10_000;
/** The connection of an export is cut later, so that the exporter's own limit comes first. */
const CONNECTION_MILLIS = 15_000;
/** Spans that wait for a collector. Beyond this, new ones are dropped. A span takes about 2 KB. */
const MAX_WAITING_SPANS = 2048;
const MAX_SPANS_TOGETHER = 512;

/**
 * Makes the source of spans, and their way to the collector. It is not registered globally: see {@link TraceContext}.
 * @param version of the gateway
 */
export function createTracerProvider(
  settings: TracingSettings,
  version: string,
  log: Logger,
): TracerProvider {
  const { url, headers, exportDelayMillis } = settings;
  const otlp = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: EXPORT_MILLIS,
    httpAgentOptions: collectorAgent(CONNECTION_MILLIS),
  });
  const processor = new BatchSpanProcessor({
    exporter: new WatchedExporter(otlp, log),
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_SPANS_TOGETHER,
    scheduledDelayMillis: exportDelayMillis,
    exportTimeoutMillis: CONNECTION_MILLIS,
  });
  const own = { 'service.version': version, 'service.instance.id': randomUUID() };
  const resource = defaultResource().merge(resourceFromAttributes({ ...own, ...settings.resource }));
  return new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] });
}

function samplerOf({ sampler, samplerRatio }: TracingSettings): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root = rootSampler(name, samplerRatio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string | undefined, ratio: number): Sampler {
  if (name === 'traceidratio') {
    return new TraceIdRatioBasedSampler(ratio);
  }
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
