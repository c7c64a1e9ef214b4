import type { Readable } from 'node:stream';
import { UsageError } from '../usage-error.ts';

/** The standard input, as a process has it. */
export type Input = Readable & { isTTY?: boolean };

/** Far more than a password may have. */
const MAX_BYTES = 4_096;

/**
 * Reads the first line of an input, without its line break.
 * @throws UsageError on a terminal, which would show what is typed; also if the line is too long or no UTF-8
 */
export async function readFirstLine(input: Input): Promise<string> {
  if (input.isTTY) {
    throw new UsageError('A terminal would show the password: send it through a pipe or from a file.');
  }
  let read = Buffer.alloc(0);
  for await (const chunk of input) {
    read = Buffer.concat([read, Buffer.from(chunk)]);
    if (read.includes('\n') || read.length > MAX_BYTES) {
      break;
    }
  }
  const [line = Buffer.alloc(0)] = [read.subarray(0, read.includes('\n') ? read.indexOf('\n') : read.length)];
  return decode(line).replace(/\r$/, '');
}

function decode(line: Buffer): string {
  try {
    if (line.length <= MAX_BYTES) {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    }
  } catch {
    // Said below.
  }
  throw new UsageError(`The first line of the input must be UTF-8 of up to ${MAX_BYTES} bytes.`);
}
