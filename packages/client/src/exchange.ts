import type { Answer } from './answer.ts';
import { failed, type Result } from './results.ts';

/** Sends one request, until a signal says to stop. Rejects with whatever the platform rejects with. */
export type Send = (signal: AbortSignal) => Promise<Answer>;

/** When to give up. */
export interface ExchangeOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** For the whole exchange, with the upload and the answer. */
  timeoutMillis: number;
}

/** Timers hold 31 bits; with more, among them Infinity, they run out at once. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

const TEXTS = {
  ABORTED: () => 'The call was aborted.',
  TIMEOUT: (origin: string, { timeoutMillis }: ExchangeOptions) =>
    `The gateway at ${origin} did not answer within ${timeoutMillis} ms.`,
};

/**
 * Sends a request with a deadline. The signals are joined by hand, because AbortSignal.any is younger than many
 * browsers, and in Node.js 20 may be garbage-collected before it fires.
 * @param origin where the gateway is, for the texts
 */
export async function exchange(
  send: Send,
  options: ExchangeOptions,
  origin: string,
): Promise<Result<Answer>> {
  const controller = new AbortController();
  let ended: keyof typeof TEXTS | undefined;
  const end = (why: keyof typeof TEXTS) => {
    ended ??= why;
    controller.abort();
  };
  const abort = () => end('ABORTED');
  const { signal, timeoutMillis } = options;
  if (signal?.aborted) {
    abort();
  }
  signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => end('TIMEOUT'), Math.min(timeoutMillis, MAX_TIMER_MILLIS));
  try {
    return { ok: true, data: await send(controller.signal) };
  } catch (error) {
    if (ended) {
      return failed({ code: ended, message: TEXTS[ended](origin, options) });
    }
    return failed({
      code: 'NETWORK_ERROR',
      message: `The gateway at ${origin} cannot be reached, or the connection broke${reasonOf(error)}.`,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The system's name of the problem. Never its text: a header that cannot be sent is quoted there, token and all. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
}
