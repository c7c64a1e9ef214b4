import { types } from 'node:util';

/**
 * The code of an error of the operating system, such as ENOENT.
 * @returns undefined for any other error
 */
export function systemErrorCode(error: unknown): string | undefined {
  // Not `instanceof Error`: that is false for an error from another realm, for example in a test runner.
  if (!(types.isNativeError(error) && 'syscall' in error && 'code' in error)) {
    return undefined;
  }
  return String(error.code);
}

/** The message of an error of any kind, without stack and causes. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * For `catch` after reading a file: there is none with this name, none can have it, or a part of its path is no folder.
 * @throws any other error again
 */
export function unlessMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '')) {
    throw error;
  }
}
