import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * The span that the running code works for. Each app has its own: OpenTelemetry's global registrations would outlive a stop,
 * and two apps in one process would share them.
 */
export class TraceContext {
  readonly #storage = new AsyncLocalStorage<Context>();

  /** The context of the running work; undefined if it belongs to no request. */
  get current(): Context | undefined {
    return this.#storage.getStore();
  }

  /** The context of the running work, or one without a span. */
  get parent(): Context {
    return this.current ?? ROOT_CONTEXT;
  }

  /** Runs work, and all that it starts, in a context. */
  run<T>(context: Context, work: () => T): T {
    return this.#storage.run(context, work);
  }
}
