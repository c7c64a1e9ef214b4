import type { Readable } from 'node:stream';

/**
 * Reads a short text.
 * @throws Error if it has more than `maxBytes`; the stream is then destroyed
 */
export async function textOf(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Error(`the answer has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
