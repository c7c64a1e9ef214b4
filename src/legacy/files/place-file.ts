import { createReadStream } from 'node:fs';
import { digestOf } from '../../documents/document-digest.ts';
import { hasRandomName } from '../../documents/stored-path.ts';
import { messageOf, systemErrorCode } from '../../system/system-errors.ts';
import { type BookedRow, NOT_TAKEN } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { findSourceFile, missingFile, type SourceFile } from './source-file.ts';

/** What has become of a file, and what the bookkeeping keeps of it. */
export interface PlacedFile extends BookedRow {
  /** What was done here; undefined if nothing was. */
  done?: 'added' | 'changed';
}

const DIGEST_CHARACTERS = NOT_TAKEN.length;

/** The digest of a file in the bookkeeping: the beginning of its SHA-256. */
const shortDigest = (sha256: string): string => sha256.slice(0, DIGEST_CHARACTERS);

/** A disk answers these if it cannot have a file of a name: the name of a folder, one below a file, or one that it does not allow. */
const NAME_ERRORS = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ']);

const notTaken = (storedPath: string): PlacedFile => ({ key: storedPath, sum: NOT_TAKEN, digest: NOT_TAKEN });

/**
 * Copies a file of the legacy service to its place among the documents. A document that is there already stays as it is, unless
 * its name is not random: then the file may have changed under its name, and takes its place.
 * @throws Error for people if it cannot be read or stored
 */
export async function placeFile(
  context: Pick<LegacyContext, 'filesDir' | 'documents' | 'observer' | 'stores'>,
  storedPath: string,
): Promise<PlacedFile> {
  const { filesDir = '', observer } = context;
  try {
    const source = await findSourceFile(filesDir, storedPath);
    if (source) {
      return await place(context, storedPath, source);
    }
    observer.found(missingFile(storedPath));
    return notTaken(storedPath);
  } catch (cause) {
    if (NAME_ERRORS.has(systemErrorCode(cause) ?? '')) {
      const reason = `the disk of the documents cannot have a file of its name (${systemErrorCode(cause)})`;
      observer.found({ kind: 'files', id: storedPath, outcome: 'not taken', reason });
      return notTaken(storedPath);
    }
    throw new Error(`The file ${storedPath} cannot be taken over: ${messageOf(cause)}`, { cause });
  }
}

async function place(
  { documents, observer, stores }: Pick<LegacyContext, 'documents' | 'observer' | 'stores'>,
  storedPath: string,
  source: SourceFile,
): Promise<PlacedFile> {
  const existing = await documents.open(storedPath);
  const here = existing && (await digestOf(existing)).sha256;
  const there = existing && (await digestOf(createReadStream(source.path))).sha256;
  if (here !== undefined && here === there) {
    return { key: storedPath, sum: shortDigest(there), digest: shortDigest(here) };
  }
  if (existing && hasRandomName(storedPath)) {
    const reason = 'another document has its path';
    observer.found({ kind: 'files', id: storedPath, outcome: 'conflict', reason });
    return { key: storedPath, sum: shortDigest(there ?? ''), digest: NOT_TAKEN };
  }
  if (existing) {
    // Before the content: a reviewer who looks at the former one must not decide about the new one.
    await stores.doctors.noteNewContent(storedPath);
  }
  const digest = shortDigest((await documents.place(storedPath, source.path)).sha256);
  return { key: storedPath, sum: digest, digest, done: existing ? 'changed' : 'added' };
}
