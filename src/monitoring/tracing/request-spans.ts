import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Request, RequestHandler } from 'express';
import { isProbe } from '../../api/http/request-log.ts';
import { type RequestObserver, type RequestRecord, recordOf } from '../../api/http/request-record.ts';
import { isFromTrustedProxy } from '../../patches/trusted-proxy.ts';
import type { TraceContext } from './trace-context.ts';

const propagator = new W3CTraceContextPropagator();
/** A header that was sent twice is joined by Node, and then not valid. */
const headers = {
  get: ({ headers }: Request, name: string) => headers[name],
  keys: ({ headers }: Request) => Object.keys(headers),
};

/** RFC 9110 section 9.1 and RFC 5789. Others count as one, so that callers cannot add names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

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
    // Probes come every few seconds and tell nothing.
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

/**
 * The trace that the request belongs to, by W3C Trace Context, if a proxy of TRUST_PROXY sent it. Other callers could order
 * any number of traces with its flag, and put their requests into the traces of others.
 */
const parentOf = (req: Request) =>
  isFromTrustedProxy(req) ? propagator.extract(ROOT_CONTEXT, req, headers) : ROOT_CONTEXT;

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
