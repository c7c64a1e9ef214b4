import { createReadStream } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { digestOf } from '../../documents/document-digest.ts';
import { hasRandomName, isLegacyPath } from '../../documents/stored-path.ts';
import { messageOf, systemErrorCode, unlessMissing } from '../../system/system-errors.ts';
import { NOT_TAKEN, type RecordedRow, wasTaken } from '../journal/batch.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import { PROFILES } from '../records/profile-kind.ts';

/** The profiles whose files are copied and recorded together. A kill repeats no more than that. */
const BATCH_PROFILES = 50;
/** How many files are copied at a time: one is read while others are flushed. */
const AT_A_TIME = 4;

/** Copies the files of the imported profiles that are not recorded yet. */
export async function importFiles(context: LegacyContext, run: string): Promise<void> {
  const { journal, stores, observer, signal } = context;
  const next = ((await journal.last('files'))?.number ?? -1) + 1;
  const total = await countFiles(context);
  let number = 0;
  let done = 0;
  for await (const ids of takenProfiles(context)) {
    if (number >= next) {
      const profiles = await PROFILES.stored(stores).byIds(ids);
      const paths = [...profiles.values()].flatMap((profile) => PROFILES.documentsOf(profile));
      for (const path of paths.filter((one) => !isLegacyPath(one))) {
        observer.found(missingFile(path));
      }
      const rows = await placeAll(context, paths.filter(isLegacyPath));
      const hashes = new Map(rows.map(({ key, sha256 }) => [key, sha256]));
      for (const profile of profiles.values()) {
        await stores.doctors.addHashes(profile, async (path) => hashes.get(path));
      }
      await journal.put({ kind: 'files', number, run, rows });
      done += rows.length;
      observer.progress('files', done, total);
      signal.throwIfAborted();
    } else {
      done += 3 * ids.length;
    }
    number += 1;
  }
}

async function countFiles({ source }: LegacyContext): Promise<number> {
  const columns = ['license_file_path', 'diploma_file_path', 'certification_file_path'];
  let count = 0;
  for (const column of columns) {
    count += await source.countGiven('profiles', column);
  }
  return count;
}

/** The ids of the imported profiles, always in the same groups. */
async function* takenProfiles({ journal }: LegacyContext): AsyncGenerator<string[]> {
  for await (const { rows } of journal.batches('profiles')) {
    for (let start = 0; start < rows.length; start += BATCH_PROFILES) {
      const group = rows.slice(start, start + BATCH_PROFILES);
      yield group.filter(wasTaken).map(({ key }) => key);
    }
  }
}

/** Copies files, some at a time. @throws the first failure, after the running copies have ended */
async function placeAll(context: LegacyContext, paths: readonly string[]): Promise<PlacedFile[]> {
  const rows: PlacedFile[] = [];
  const left = paths.entries();
  const work = async () => {
    for (const [index, path] of left) {
      rows[index] = await placeFile(context, path);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    throw failed.reason;
  }
  return rows;
}

/** What has become of a file, and what the journal keeps of it. */
interface PlacedFile extends RecordedRow {
  /** What was done here; undefined if nothing was. */
  done?: 'added' | 'changed';
  /** Of the document that is here now, in hex, if it is this file. */
  sha256?: string;
}

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

/** A disk answers these if it cannot have a file of a name: the name of a folder, one below a file, or one that it does not allow. */
const NAME_ERRORS = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ']);

async function place(
  { documents, observer, stores }: Pick<LegacyContext, 'documents' | 'observer' | 'stores'>,
  storedPath: string,
  source: SourceFile,
): Promise<PlacedFile> {
  const existing = await documents.open(storedPath);
  const here = existing && (await digestOf(existing)).sha256;
  const there = existing && (await digestOf(createReadStream(source.path))).sha256;
  if (here !== undefined && here === there) {
    return { key: storedPath, sum: shortDigest(there), digest: shortDigest(here), sha256: here };
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
  const { sha256 } = await documents.place(storedPath, source.path);
  if (existing) {
    await stores.doctors.noteNewContent(storedPath, 0);
  }
  const digest = shortDigest(sha256);
  return { key: storedPath, sum: digest, digest, sha256, done: existing ? 'changed' : 'added' };
}

const DIGEST_CHARACTERS = NOT_TAKEN.length;

/** The digest of a file in the journal: the beginning of its SHA-256. */
const shortDigest = (sha256: string): string => sha256.slice(0, DIGEST_CHARACTERS);

const notTaken = (storedPath: string): PlacedFile => ({ key: storedPath, sum: NOT_TAKEN, digest: NOT_TAKEN });

/** A file of the legacy service. */
export interface SourceFile {
  path: string;
  sizeBytes: number;
  /** When its content or anything else of it was last changed. Nobody can set this time. */
  changedAt: Date;
}

/**
 * Finds a file of the legacy service. Links are not followed: one of them could lead out of the folder.
 * @param filesDir its folder `storage/app/public`
 * @returns undefined if there is no such file
 */
export async function findSourceFile(filesDir: string, storedPath: string): Promise<SourceFile | undefined> {
  if (!isLegacyPath(storedPath)) {
    return undefined;
  }
  const target = path.join(await realpath(filesDir), storedPath);
  const isHere = (await realpath(target).catch(unlessMissing)) === target;
  const entry = isHere ? await lstat(target).catch(unlessMissing) : undefined;
  return entry?.isFile() ? { path: target, sizeBytes: entry.size, changedAt: entry.ctime } : undefined;
}

/** Longer paths are cut off in reports. */
const SHOWN_CHARACTERS = 255;

/** What is reported of a document whose file {@link findSourceFile} does not find. Its profile keeps the path. */
export const missingFile = (storedPath: string): InvalidRow => ({
  kind: 'files',
  id: storedPath.slice(0, SHOWN_CHARACTERS),
  ...(isLegacyPath(storedPath)
    ? { outcome: 'missing', reason: 'there is no such file in --files' }
    : { outcome: 'not taken', reason: 'its path is not that of a file below doctor_profiles' }),
});
