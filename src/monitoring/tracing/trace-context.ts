import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, trace } from '@opentelemetry/api';

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
