/*
 * busboy 1.6: replaces `push` of the stream of a file.
 * Reason: busboy does not say how many bytes of a chunk belong to files. To read the stream would take the file from its reader.
 * tests/unit/patches/busboy-file-bytes.test.ts fails when busboy hands the bytes on in another way.
 */
import type { Busboy } from 'busboy';

/** Calls back with the number of bytes that a multipart parser hands on to a file, before anybody reads them. */
export function onFileBytes(parser: Busboy, listener: (bytes: number) => void): void {
  parser.on('file', (_name, part) => {
    const push = part.push.bind(part);
    part.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      listener(chunk?.length ?? 0);
      return push(chunk, encoding);
    };
  });
}
