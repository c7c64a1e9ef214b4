import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.ts';
import { listenOnFreePort } from './listen.ts';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  name: string;
  /** 1: internal, 2: server, 3: client. */
  kind: number;
  traceId: string;
  spanId: string;
  /** undefined: the span has no parent. */
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  /** What the whole service says about itself. */
  resource: Record<string, unknown>;
  /** 2: error. */
  status: { code: number; message?: string };
  events: { name: string }[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

/** A collector of OpenTelemetry on loopback that keeps what it gets: OTLP over HTTP, in JSON. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** The spans so far. */
  readonly spans: readonly ReceivedSpan[];
  /** All bodies so far, and the headers of the latest. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** How many exports have come. */
  readonly exports: number;
  /** Waits for the span of a request, by the `X-Request-Id` of its answer. */
  requestSpan(requestId: string | null): Promise<ReceivedSpan>;
  /** Waits for spans of a trace until there is one with the name, and returns it. */
  childOf(span: ReceivedSpan, name: string): Promise<ReceivedSpan>;
  /** From now on, exports are answered like this instead of being kept. undefined: they are kept again. */
  answer(listener: RequestListener | undefined): void;
  stop(): Promise<void>;
}

/** The environment of a gateway that sends every span at once. */
export const tracedTo = ({ url }: Pick<OtlpReceiver, 'url'>) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '1',
});

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

const valuesOf = (attributes: Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

type Sent = Omit<ReceivedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] };

interface Body {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Sent[] }[] }[];
}

const spansOf = ({ resourceSpans }: Body): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received = { spans: [] as ReceivedSpan[], text: '', headers: {}, exports: 0 };
  let other: RequestListener | undefined;
  const server = createServer(async (req, res) => {
    received.exports += 1;
    if (other) {
      return other(req, res);
    }
    const body = await text(req);
    expect([req.method, req.url]).toEqual(['POST', '/v1/traces']);
    received.text += body;
    received.headers = req.headers;
    received.spans.push(...spansOf(JSON.parse(body) as Body));
    res.setHeader('Content-Type', 'application/json').end('{"partialSuccess":{}}');
  });
  const port = await listenOnFreePort(server);
  const find = async (isIt: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> => {
    await eventually(() => expect(received.spans.some(isIt)).toBe(true));
    return received.spans.find(isIt) as ReceivedSpan;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get spans() {
      return received.spans;
    },
    get text() {
      return received.text;
    },
    get headers() {
      return received.headers;
    },
    get exports() {
      return received.exports;
    },
    requestSpan: (id) => find(({ attributes }) => attributes['auth_gateway.request_id'] === id),
    childOf: ({ spanId }, name) => find((span) => span.parentSpanId === spanId && span.name === name),
    answer: (listener) => {
      other = listener;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
