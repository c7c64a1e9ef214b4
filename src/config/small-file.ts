import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { messageOf, systemErrorCode } from '../system/system-errors.ts';

/** Far more than any file of a setting needs. */
const MAX_FILE_BYTES = 64 * 1024;

/**
 * Reads a file of a setting. It never waits: a pipe without a writer is refused, not opened.
 * @returns the bytes; or a problem that continues a sentence after the name of the file, and contains nothing of its text
 */
export function readSmallFile(file: string): Buffer | string {
  try {
    return bytesOf(file);
  } catch (error) {
    return describeFailure(error);
  }
}

function bytesOf(file: string): Buffer | string {
  // This check comes before the file is opened, because opening a pipe or a device has side effects.
  if (!statSync(file).isFile()) {
    return NOT_A_FILE;
  }
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) {
      return NOT_A_FILE;
    }
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    let read = -1;
    while (read !== 0 && length < buffer.length) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
    }
    return length > MAX_FILE_BYTES ? 'is larger than 64 KiB' : buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

const NOT_A_FILE = 'is not a file but a folder, pipe or device';

/** @returns undefined for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** "ENOENT: no such file or directory, stat '/run/secrets/x'": what comes after the comma is the name of the file. */
function describeFailure(error: unknown): string {
  const [reason] = systemErrorCode(error) === undefined ? [] : messageOf(error).split(',');
  return `cannot be read (${reason ?? 'unknown error'})`;
}
