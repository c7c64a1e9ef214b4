import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Request, RequestHandler } from 'express';
import { isProbe } from '../api/http/request-log.ts';
import { type RequestObserver, type RequestRecord, recordOf } from '../api/http/request-record.ts';
import type { JobWatch } from '../auth/passwords/hash-queue.ts';
import { collectionOf } from '../database/command-target.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { isFromTrustedProxy } from '../patches/trusted-proxy.ts';
import { ServiceError } from '../system/errors.ts';

/**
 * The span that the running code works for. Each app has its own: OpenTelemetry's global registrations would outlive a stop,
 * and two apps in one process would share them.
 */
export class TraceContext {
  readonly #storage = new AsyncLocalStorage<Context>();

  /**
   * The context of the running work; undefined if nothing of it is to be recorded: it belongs to no request, the request is
   * not sampled, or its span has ended. Work that a request has begun for all, such as a timer, inherits its context.
   */
  get recorded(): Context | undefined {
    const context = this.#storage.getStore();
    return context && trace.getSpan(context)?.isRecording() ? context : undefined;
  }

  /** Runs work, and all that it starts, in a context. */
  run<T>(context: Context, work: () => T): T {
    return this.#storage.run(context, work);
  }
}

/**
 * The spans of requests, by OpenTelemetry's semantic conventions for HTTP servers (1.29). They differ where the conventions
 * want what is personal or secret: there is no `url.path` and no `url.query`, only the route, and neither the caller's
 * address nor its user agent.
 */
export class RequestSpans {
  readonly #spans = new WeakMap<RequestRecord, Span>();

  constructor(
    private readonly tracer: Tracer,
    private readonly context: TraceContext,
  ) {}

  /** Begins the span of each request. It comes after `beginRecord`. */
  readonly begin: RequestHandler = (req, _res, next) => {
    // Probes come every few seconds, and nobody asks about one of them.
    if (isProbe(req.path)) {
      return next();
    }
    const record = recordOf(req);
    const parent = parentOf(req);
    const span = this.tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, parent);
    const { traceId, spanId } = span.spanContext();
    record.trace = { trace_id: traceId, span_id: spanId };
    this.#spans.set(record, span);
    this.context.run(trace.setSpan(parent, span), next);
  };

  /** Ends the span of a request. */
  readonly observe: RequestObserver = (record, { status, isAborted }, req) => {
    const span = this.#spans.get(record);
    // Most attributes are known only now. A span that is not sampled needs none.
    if (span?.isRecording()) {
      span.updateName(nameOf(record, req));
      span.setAttributes(attributesOf(record, req));
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      if (status >= 500 || isAborted) {
        span.setAttribute('error.type', isAborted ? 'aborted' : String(status));
      }
    }
    span?.end();
  };
}

const propagator = new W3CTraceContextPropagator();
/** A header that was sent twice is joined by Node, and then not valid. */
const headers = {
  get: ({ headers }: Request, name: string) => headers[name],
  keys: ({ headers }: Request) => Object.keys(headers),
};

/**
 * The trace that the request belongs to, by W3C Trace Context, if a proxy of TRUST_PROXY sent it. Other callers could order
 * any number of traces with its flag, and put their requests into the traces of others.
 */
const parentOf = (req: Request) =>
  isFromTrustedProxy(req) ? propagator.extract(ROOT_CONTEXT, req, headers) : ROOT_CONTEXT;

/** RFC 9110 section 9.1 and RFC 5789. Others count as one, so that callers cannot add names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

const methodOf = ({ method }: Request): string => (METHODS.has(method) ? method : '_OTHER');

/** The method and the route. All operations of GraphQL have one route, so their names are added. */
function nameOf({ channel, operation }: RequestRecord, req: Request): string {
  const method = methodOf(req).replace('_OTHER', 'HTTP');
  const target = channel === 'graphql' ? operation : undefined;
  return [method, routeOf(req), target].filter((part) => part !== undefined).join(' ');
}

/** The path as the code spells it: its variable parts by their names. */
function routeOf({ baseUrl, route }: Request): string | undefined {
  const path: unknown = route?.path;
  if (typeof path === 'string') {
    return `${baseUrl}${path === '/' && baseUrl !== '' ? '' : path}`;
  }
  return baseUrl === '' ? undefined : baseUrl;
}

function attributesOf({ id, channel, operation }: RequestRecord, req: Request) {
  return {
    'http.request.method': methodOf(req),
    'http.route': routeOf(req),
    'url.scheme': req.protocol === 'https' ? 'https' : 'http',
    'network.protocol.version': req.httpVersion,
    'auth_gateway.channel': channel,
    'auth_gateway.operation': operation,
    'auth_gateway.request_id': id,
  };
}

/**
 * Spans of the database commands of requests, by OpenTelemetry's semantic conventions for MongoDB (1.33). They have neither
 * the text of a command nor that of an error: both contain values.
 *
 * The commands of the gateway's own work, such as its sweep and its probes, have no spans. A command that several requests
 * share, such as a batch of audit events, has one in the trace of one of them.
 * @param connection opened with `monitorCommands`; otherwise there are no spans
 */
export function watchDatabase(
  tracer: Tracer,
  context: TraceContext,
  connection: LimitedConnection['connection'],
): void {
  const running = new Map<number, Span>();
  const take = (requestId: number): Span | undefined => {
    const span = running.get(requestId);
    running.delete(requestId);
    return span;
  };
  connection
    .getClient()
    .on('commandStarted', ({ requestId, commandName, command, databaseName, address }) => {
      const parent = context.recorded;
      if (!parent) {
        return;
      }
      const collection = collectionOf(command, commandName);
      const attributes = {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        'db.collection.name': collection,
        ...addressOf(address),
      };
      const name = collection === undefined ? commandName : `${commandName} ${collection}`;
      running.set(requestId, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent));
    })
    .on('commandSucceeded', ({ requestId }) => take(requestId)?.end())
    .on('commandFailed', ({ requestId, failure }) => {
      const span = take(requestId);
      span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.setAttributes(failureOf(failure));
      span?.end();
    });
}

/** @param address `host:port`, where the host may be an IPv6 address in brackets */
function addressOf(address: string) {
  const colon = address.lastIndexOf(':');
  return {
    'server.address': address.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
    'server.port': Number(address.slice(colon + 1)),
  };
}

/** The server's code, or the name of the driver's error. */
function failureOf(failure: Error) {
  const code = 'code' in failure && typeof failure.code === 'number' ? String(failure.code) : undefined;
  return { 'error.type': code ?? failure.name, 'db.response.status_code': code };
}

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
