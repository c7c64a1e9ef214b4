import { ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { HASH_QUEUE_LIMITS, HashQueue } from '../../../src/auth/passwords/hash-queue.ts';
import { hashSpans, TraceContext } from '../../../src/monitoring/spans.ts';
import { UnauthenticatedError } from '../../../src/system/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const tracer = provider.getTracer('test');
const context = new TraceContext();
const clock = new ManualClock();
const queue = new HashQueue({
  ...HASH_QUEUE_LIMITS,
  concurrency: 1,
  maxWaiting: 1,
  clock,
  watch: hashSpans(tracer, context),
});
beforeEach(() => exporter.reset());

/** Runs work as in a request with this span. */
const inRequest = <T>(span: Span, work: () => T): T => context.run(trace.setSpan(ROOT_CONTEXT, span), work);

const spansOf = (span: Span) =>
  exporter.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext === span.spanContext());

test('work in the queue belongs to its own request, and its span has the wait', async () => {
  const [first, second] = [tracer.startSpan('first'), tracer.startSpan('second')];
  let endFirst = () => {};
  const whose = async () => context.recorded && trace.getSpan(context.recorded)?.spanContext().traceId;
  const running = inRequest(first, () =>
    queue.run(async () => {
      await new Promise<void>((resolve) => {
        endFirst = resolve;
      });
      return whose();
    }),
  );
  const waiting = inRequest(second, () => queue.run(whose));
  const refused = inRequest(second, () => queue.run(whose));
  await expect(refused).rejects.toThrow();
  await clock.advance(700);
  endFirst();
  expect(await running).toBe(first.spanContext().traceId);
  expect(await waiting).toBe(second.spanContext().traceId);
  expect(spansOf(first)).toMatchObject([{ attributes: { 'auth_gateway.hash_queue.wait_ms': 0 } }]);
  expect(spansOf(second)).toMatchObject([
    { attributes: { 'error.type': 'SERVICE_UNAVAILABLE' }, status: { code: 2 }, events: [] },
    {
      attributes: { 'auth_gateway.hash_queue.wait_ms': 700 },
      status: { code: 0 },
      events: [{ name: 'started' }],
    },
  ]);
});

test('a refusal of a caller is no error of the hash', async () => {
  const span = tracer.startSpan('request');
  const refuse = () => Promise.reject(new UnauthenticatedError());
  await expect(inRequest(span, () => queue.run(refuse))).rejects.toThrow();
  expect(spansOf(span)).toMatchObject([
    { attributes: { 'error.type': 'UNAUTHENTICATED' }, status: { code: 0 } },
  ]);
});

test('without a request, or after its end, nothing is recorded', async () => {
  const span = tracer.startSpan('request');
  span.end();
  exporter.reset();
  await queue.run(async () => {});
  await inRequest(span, () => queue.run(async () => {}));
  expect(exporter.getFinishedSpans()).toEqual([]);
});
