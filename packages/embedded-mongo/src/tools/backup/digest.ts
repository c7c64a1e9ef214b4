import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

/** The size of a file, and its SHA-256 in hexadecimal. */
export async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
