import { closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf, systemErrorCode } from '../system/system-errors.ts';

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
  const content = contentOf(file);
  return 'text' in content ? content : { problem: `names ${nameForPeople(file)}, which ${content.problem}` };
}

/** @returns a problem without the name of the file */
function contentOf(file: string): SecretFile {
  try {
    const bytes = readSmallFile(file);
    return typeof bytes === 'string' ? { problem: bytes } : textOf(bytes);
  } catch (error) {
    return { problem: describeFailure(error) };
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

/** An environment variable cannot contain NUL, and so a file must not. */
function textOf(bytes: Buffer): SecretFile {
  const text = decoded(bytes)?.trim();
  if (text === undefined || text.includes('\0')) {
    return { problem: 'is not UTF-8 text' };
  }
  return text === '' ? { problem: 'is empty' } : { text };
}

/** @returns undefined for bytes that are not UTF-8 */
function decoded(bytes: Buffer): string | undefined {
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

/**
 * Somebody may have set `KEY_FILE` to the secret itself. So a file is only named by a path through a folder that exists; a
 * secret is no such path.
 */
function nameForPeople(file: string): string {
  const folder = path.dirname(file);
  const isPath = folder !== '.' && folder !== path.parse(file).root && existsSync(folder);
  return isPath ? `the file ${JSON.stringify(file)}` : 'a file';
}
