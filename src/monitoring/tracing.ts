import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/monitoring-settings.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { Logger } from '../system/log.ts';
import { RunningWork } from '../system/running-work.ts';
import { systemErrorCode } from '../system/system-errors.ts';
import { hashSpans, RequestSpans, TraceContext, watchDatabase } from './spans.ts';

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

/** A collector that hangs delays a stop by so much. The time after the grace has room for it (main.ts). */
const MAX_FLUSH_MILLIS = 1_500;

/** How long one export may take, with its retries. */
const EXPORT_MILLIS = 10_000;
/** The connection of an export is cut later, so that the exporter's own limit comes first. */
const CONNECTION_MILLIS = 15_000;
/** Spans that wait for a collector. Beyond this, new ones are dropped. A span takes about 2 KB. */
const MAX_WAITING_SPANS = 2048;
const MAX_SPANS_TOGETHER = 512;

/**
 * Makes the source of spans, and their export to the collector. It is not registered globally: see {@link TraceContext}.
 * @param version of the gateway
 */
function createTracerProvider(settings: TracingSettings, version: string, log: Logger): TracerProvider {
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

/**
 * An exporter that logs when the collector stops taking spans, and when it takes them again. Between the two lines it logs
 * nothing, because an export fails every few seconds.
 */
class WatchedExporter implements SpanExporter {
  #isFailing = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Logger,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) {
        this.#succeed();
      } else {
        this.#fail(result.error);
      }
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  #succeed(): void {
    if (this.#isFailing) {
      this.log.info('traces are exported again');
    }
    this.#isFailing = false;
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) {
      this.log.warn({ cause: causeOf(error) }, 'traces cannot be exported and are dropped');
    }
    this.#isFailing = true;
  }
}

/** A status or a code, and no text of the collector: it could repeat the headers that it got, with their secrets. */
function causeOf(error: unknown): string {
  const code = systemErrorCode(error) ?? (error instanceof Error && 'code' in error ? error.code : undefined);
  if (typeof code === 'number') {
    return `HTTP status ${code}`;
  }
  return typeof code === 'string' ? code : 'no answer in time, or the collector is overloaded';
}

/** The answer to an export is a few bytes. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * The connections to the collector: one for each export, with limits on the whole of it. The exporter's own time limit starts
 * again with every byte, so a collector that answers slowly would hold connections for ever, and the exporter parses an
 * answer of up to 4 MiB, which would block the event loop.
 * @param maxMillis a connection is cut after this time
 * @returns for the option `httpAgentOptions` of the exporter
 */
export const collectorAgent =
  (maxMillis: number) =>
  (protocol: string): http.Agent => {
    const agent = protocol === 'https:' ? new https.Agent() : new http.Agent();
    const { createConnection } = agent;
    const bounded: typeof createConnection = (...options) => {
      const socket = createConnection.apply(agent, options);
      if (socket) {
        bound(socket as Socket, maxMillis);
      }
      return socket;
    };
    const { addRequest } = agent as unknown as RequestTaker;
    const settling: RequestTaker['addRequest'] = (request, ...rest) => {
      // Node reports neither an answer nor an error after a switch to another protocol (101): the exporter would wait for ever.
      const fail = () => request.emit('error', new Error('closed without an answer'));
      const settle = () => request.off('close', fail);
      request.once('response', settle).once('error', settle).once('close', fail);
      addRequest.call(agent, request, ...rest);
    };
    return Object.assign(agent, { createConnection: bounded, addRequest: settling });
  };

/** What `node:http` asks of each agent. The types lack it. */
type RequestTaker = { addRequest(request: http.ClientRequest, ...rest: unknown[]): void };

function bound(socket: Socket, maxMillis: number): void {
  const cut = setTimeout(() => socket.destroy(new Error('the answer took too long')), maxMillis).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.on('data', () => {
    if (socket.bytesRead > MAX_ANSWER_BYTES) {
      socket.destroy(new Error('the answer is too large'));
    }
  });
}
