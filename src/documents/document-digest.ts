import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Size and content of a document, to prove that a copy is equal. */
export interface DocumentDigest {
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

/** Larger than Node's 64 KiB, because each read costs. A file is still never in memory as a whole. */
export const CHUNK_BYTES = 1_048_576;

/** The chunks of a file. When they are read to the end, it knows their digest. */
export class DigestedFile {
  readonly #sha256 = createHash('sha256');
  #sizeBytes = 0;

  constructor(private readonly filePath: string) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const chunks: AsyncIterable<Buffer> = createReadStream(this.filePath, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) {
      this.#sizeBytes += chunk.length;
      this.#sha256.update(chunk);
      yield chunk;
    }
  }

  /** Call it once, at the end. */
  digest(): DocumentDigest {
    return { sizeBytes: this.#sizeBytes, sha256: this.#sha256.digest('hex') };
  }
}

/** The digest of a content, which is read to its end. */
export async function digestOf(content: AsyncIterable<Buffer>): Promise<DocumentDigest> {
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of content) {
    sha256.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: sha256.digest('hex') };
}
