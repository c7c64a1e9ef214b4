import { closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../system/system-errors.ts';

/** Far more than any secret has. */
const MAX_BYTES = 64 * 1024;

/** What a file contains, or why it cannot be used. */
export type SecretFile = { text: string } | { problem: string };

/**
 * Reads a small text file, without the blanks and line ends around it. It never waits: a pipe without a writer is refused, not
 * opened.
 * @returns a problem that continues a sentence after the name of the setting. It never contains the text of the file, nor a
 *   name that may be the secret itself
 */
export function readSecretFile(file: string): SecretFile {
  const name = nameForPeople(file);
  try {
    const bytes = readSmallFile(file);
    const problem = typeof bytes === 'string' ? bytes : undefined;
    const text = typeof bytes === 'string' ? '' : textOf(bytes);
    if (problem !== undefined || text === undefined) {
      return { problem: `names ${name}, which ${problem ?? 'is not UTF-8 text'}` };
    }
    return text === '' ? { problem: `names ${name}, which is empty` } : { text };
  } catch (error) {
    return { problem: `names ${name}, which ${describeFailure(error)}` };
  }
}

/** @returns the bytes, or what is wrong with the file */
function readSmallFile(file: string): Buffer | string {
  // Looked at before it is opened: to open a pipe or a device has effects of its own.
  if (!statSync(file).isFile()) {
    return NOT_A_FILE;
  }
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) {
      return NOT_A_FILE;
    }
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    let read = -1;
    while (read !== 0 && length < buffer.length) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
    }
    return length > MAX_BYTES ? 'is larger than 64 KiB' : buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

const NOT_A_FILE = 'is not a file but a folder, pipe or device';

/** @returns undefined for bytes that are not UTF-8. An environment variable cannot contain NUL, and so a file must not */
function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function describeFailure(error: unknown): string {
  const code = systemErrorCode(error) ?? 'unknown error';
  return code === 'ENOENT' ? 'does not exist (ENOENT)' : `cannot be read (${code})`;
}

/**
 * Somebody may have set `KEY_FILE` to the secret itself. So a file is only named by a path through a folder that exists; a
 * secret is no such path.
 */
function nameForPeople(file: string): string {
  const folder = path.dirname(file);
  const isPath = folder !== '.' && folder !== path.parse(file).root && existsSync(folder);
  return isPath ? `the file ${JSON.stringify(file)}` : 'a file';
}
