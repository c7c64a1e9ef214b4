import { createReadStream } from 'node:fs';

/** A document of 16 MiB can take this much in Extended JSON. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A line of a file, without its end. */
export interface Line {
  /** The first line is 1. */
  number: number;
  text: string;
  /** The bytes of the file up to the end of this line. */
  offset: number;
}

/**
 * The lines of a file in UTF-8, without empty ones. At most one of them is in memory.
 * @param maxBytes of a line
 * @throws an Error with the file and the number of the line for text that is no UTF-8, and for a line that is too long
 */
export async function* linesOf(file: string, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let offset = 0;
  for await (const bytes of pieces(file, maxBytes)) {
    number++;
    offset += bytes.length;
    let text: string;
    try {
      text = decoder.decode(bytes).trim();
    } catch {
      throw new Error(`${file}, line ${number}: not valid UTF-8`);
    }
    if (text !== '') {
      yield { number, text, offset };
    }
  }
}

/** The lines as bytes, with their ends. */
async function* pieces(file: string, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (let chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE)) {
      yield Buffer.concat([...parts, chunk.subarray(0, end + 1)]);
      chunk = chunk.subarray(end + 1);
      parts = [];
      length = 0;
      number++;
    }
    parts.push(chunk);
    length += chunk.length;
    if (length > maxBytes) {
      throw new Error(`${file}, line ${number}: longer than ${maxBytes} bytes`);
    }
  }
  yield Buffer.concat(parts);
}
