import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../system/log.ts';
import { systemErrorCode } from '../../system/system-errors.ts';

/**
 * An exporter that logs when the collector stops taking spans, and when it takes them again. Between the two lines it logs
 * nothing, because an export fails every few seconds.
 */
export class WatchedExporter implements SpanExporter {
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
