import { type Answer, readAnswer } from './answer.ts';
import type { Send } from './exchange.ts';

/** People wait so long for an answer. After a longer `Retry-After`, the caller decides. */
const MAX_WAIT_SECONDS = 3;

/** Operations that may be sent twice: a second login leaves at most a token that nobody uses. */
const REPEATABLE = /^\s*(?:query|mutation Login)\b/;

/**
 * Honours `Retry-After` once: sends a refused request again after that time. Too many attempts are refused before anything is
 * done. An overload may have met the gateway half-way, so then only what may be sent twice is repeated.
 * @param document the text of the operation
 */
export const sendAgain =
  (send: Send, document: string): Send =>
  async (signal) => {
    const answer = await send(signal);
    const seconds = waitOf(answer, REPEATABLE.test(document));
    if (seconds === undefined || seconds > MAX_WAIT_SECONDS) {
      return answer;
    }
    await pause(seconds * 1000, signal);
    return signal.aborted ? answer : send(signal);
  };

/** The wait before the request may be sent again, in seconds; undefined if it must not be. */
function waitOf(answer: Answer, isRepeatable: boolean): number | undefined {
  const result = readAnswer(answer);
  if (result.ok || !('retryAfterSeconds' in result.error)) {
    return undefined;
  }
  const { code, retryAfterSeconds } = result.error;
  return code === 'TOO_MANY_ATTEMPTS' || isRepeatable ? retryAfterSeconds : undefined;
}

/** Ends early when the signal is aborted. */
const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
