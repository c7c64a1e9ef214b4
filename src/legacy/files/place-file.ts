import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { messageOf } from '../../system/system-errors.ts';
import { type BookedRow, NOT_TAKEN } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { findSourceFile } from './source-file.ts';

const DIGEST_CHARACTERS = NOT_TAKEN.length;

/** The digest of a file in the bookkeeping: the beginning of its SHA-256. */
const shortDigest = (sha256: string): string => sha256.slice(0, DIGEST_CHARACTERS);

/**
 * Copies a file of the legacy service to its place among the documents. A document that is there already stays as it is.
 * @returns what the bookkeeping keeps of it
 * @throws Error for people if it cannot be read or stored
 */
export async function placeFile(
  { filesDir = '', documents, observer }: Pick<LegacyContext, 'filesDir' | 'documents' | 'observer'>,
  storedPath: string,
): Promise<BookedRow> {
  try {
    const source = await findSourceFile(filesDir, storedPath);
    if (!source) {
      observer.found({
        kind: 'files',
        id: storedPath,
        outcome: 'missing',
        reason: 'there is no such file in --files',
      });
      return { key: storedPath, sum: NOT_TAKEN, digest: NOT_TAKEN };
    }
    const existing = await documents.open(storedPath);
    if (!existing) {
      const digest = shortDigest((await documents.place(storedPath, source.path)).sha256);
      return { key: storedPath, sum: digest, digest };
    }
    const here = await sha256Of(existing);
    const there = await sha256Of(createReadStream(source.path));
    if (here !== there) {
      observer.found({
        kind: 'files',
        id: storedPath,
        outcome: 'conflict',
        reason: 'another document has its path',
      });
    }
    return {
      key: storedPath,
      sum: shortDigest(there),
      digest: here === there ? shortDigest(here) : NOT_TAKEN,
    };
  } catch (cause) {
    throw new Error(`The file ${storedPath} cannot be taken over: ${messageOf(cause)}`, { cause });
  }
}

async function sha256Of(content: Readable): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of content) {
    digest.update(chunk);
  }
  return digest.digest('hex');
}
