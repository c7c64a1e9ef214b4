import type { Config, Environment } from '../../config/config.ts';
import type { Clock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';

/** What checks know. */
export interface Examined {
  config: Config;
  environment: Environment;
  /** The address that a test mail goes to; undefined if none is sent. */
  mailTo: string | undefined;
  clock: Clock;
  /** Without a `v`. */
  nodeVersion: string;
}

/** One part of an installation. */
export interface Check {
  name: string;
  /** The longest time that it may take. */
  maxMillis: number;
  /**
   * Yields findings, and leaves nothing behind. What it throws is a finding, too.
   * @param signal aborted when nobody waits for more findings
   */
  run(examined: Examined, signal: AbortSignal): AsyncGenerator<Finding & { check?: string }>;
}

/**
 * Runs a check within its time.
 * @param stop ends the check early; its reason is thrown
 */
export async function* findingsOf(
  check: Check,
  examined: Examined,
  stop: AbortSignal,
): AsyncGenerator<NamedFinding> {
  const { name, maxMillis } = check;
  stop.throwIfAborted();
  const over = new AbortController();
  const cancel = examined.clock.after(maxMillis, () => over.abort(new TooLate()));
  const pass = () => over.abort(stop.reason);
  stop.addEventListener('abort', pass);
  const findings = check.run(examined, over.signal);
  const ended = rejectedBy(over.signal);
  try {
    for (;;) {
      const { done, value } = await Promise.race([findings.next(), ended]);
      if (done) {
        return;
      }
      yield { check: name, ...value };
    }
  } catch (failure) {
    if (stop.aborted) {
      throw failure;
    }
    yield { check: name, ...failedCheck(failure, maxMillis) };
  } finally {
    cancel();
    stop.removeEventListener('abort', pass);
    over.abort(new TooLate());
    // A check that is late removes what it has made as soon as it can.
    findings.return(undefined).catch(() => {});
  }
}

class TooLate extends Error {}

function failedCheck(failure: unknown, maxMillis: number): Finding {
  if (failure instanceof TooLate) {
    const text = `The check did not finish within ${maxMillis / 1000} s.`;
    return error(text, 'A server or disk that it uses does not answer. Look there first.');
  }
  return error(`The check failed: ${messageOf(failure)}`, 'Fix the cause, then run the checker again.');
}

const rejectedBy = (signal: AbortSignal): Promise<never> => {
  const rejected = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  rejected.catch(() => {});
  return rejected;
};

/**
 * How bad a finding is: `error` means that this installation must not take traffic, `note` that something was not checked or
 * that nothing is wrong with it.
 */
export type Level = 'ok' | 'note' | 'warning' | 'error';

/** One result of a check. No part of it contains a secret. */
export interface Finding {
  level: Level;
  /** One sentence or two. */
  text: string;
  /** What to do about it; undefined if there is nothing to do. */
  todo?: string;
}

export const ok = (text: string): Finding => ({ level: 'ok', text });
export const note = (text: string, todo?: string): Finding => of('note', text, todo);
export const warning = (text: string, todo: string): Finding => of('warning', text, todo);
export const error = (text: string, todo: string): Finding => of('error', text, todo);

const of = (level: Level, text: string, todo: string | undefined): Finding => ({
  level,
  text,
  ...(todo === undefined ? {} : { todo }),
});

/** A finding with the name of its check. */
export interface NamedFinding extends Finding {
  check: string;
}

/** What was thrown, for a finding. It may be anything. */
export const asError = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));
