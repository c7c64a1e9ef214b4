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
