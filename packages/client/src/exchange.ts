import type { Answer } from './answer.ts';
import { failed, type Result } from './results.ts';

/** Sends one request, unless the signal is aborted. Rejects with the error of the platform. */
export type Send = (signal: AbortSignal) => Promise<Answer>;

export interface CallOptions {
  /** Ends the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** How long the whole call may take. */
  timeoutMillis?: number | undefined;
}

export interface ExchangeOptions {
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** How long the whole call may take, including the upload and the answer. */
  timeoutMillis: number;
}

/** Timers have 31 bits. With a longer time, such as Infinity, they fire at once. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

const TEXTS = {
  ABORTED: () => 'The call was aborted.',
  TIMEOUT: (origin: string, { timeoutMillis }: ExchangeOptions) =>
    `The gateway at ${origin} did not answer within ${timeoutMillis} ms.`,
};

/**
 * Sends a request with a timeout. It does not use AbortSignal.any to join the two signals: many browsers do not have it, and
 * in Node.js 20 the joined signal may be garbage-collected before it fires.
 * @param origin the gateway's address for the error texts
 */
export async function exchange(
  send: Send,
  options: ExchangeOptions,
  origin: string,
): Promise<Result<Answer>> {
  const controller = new AbortController();
  let ended: keyof typeof TEXTS | undefined;
  let stop: () => void = () => {};
  // A custom fetch may ignore the signal, and what a call waits for before it has none.
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('ended'));
  });
  const end = (why: keyof typeof TEXTS) => {
    ended ??= why;
    controller.abort();
    stop();
  };
  const abort = () => end('ABORTED');
  const { signal, timeoutMillis } = options;
  if (signal?.aborted) {
    abort();
  }
  signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => end('TIMEOUT'), Math.min(timeoutMillis, MAX_TIMER_MILLIS));
  try {
    return { ok: true, data: await Promise.race([stopped, send(controller.signal)]) };
  } catch (error) {
    if (ended) {
      return failed({ code: ended, message: TEXTS[ended](origin, options) });
    }
    return failed({
      code: 'NETWORK_ERROR',
      message: `The gateway at ${origin} cannot be reached, or the connection broke${reasonOf(error)}.${corsHint(origin)}`,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Browsers do not say whether CORS is the reason. It is the likely one if the page is of another origin and the browser is
 * online: the gateway answers only the origins of its setting `CORS_ORIGINS`.
 */
function corsHint(origin: string): string {
  const { location, navigator } = globalThis as {
    location?: { origin?: string };
    navigator?: { onLine?: boolean };
  };
  const page = location?.origin;
  if (page === undefined || page === origin || navigator?.onLine === false) {
    return '';
  }
  return ` If it runs, it probably does not accept pages of ${page}: add this origin to its setting CORS_ORIGINS.`;
}

/** The system's code of the problem. Never its message: that may quote a header that cannot be sent, with the token. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
}
