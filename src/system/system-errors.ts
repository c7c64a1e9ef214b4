import { types } from 'node:util';

/**
 * The code of an error that the operating system has raised, such as ENOENT.
 * @returns undefined for any other error
 */
export function systemErrorCode(error: unknown): string | undefined {
  // Not `instanceof Error`: that is false for an error from another realm, as under a test runner.
  if (!(types.isNativeError(error) && 'syscall' in error && 'code' in error)) {
    return undefined;
  }
  return String(error.code);
}

/** What an error of any kind says, in one line for people: no stack, no causes. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
