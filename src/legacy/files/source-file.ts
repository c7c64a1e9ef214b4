import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isLegacyPath } from '../../documents/stored-path.ts';
import { unlessMissing } from '../../system/system-errors.ts';
import type { Finding } from '../legacy-context.ts';

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
export const missingFile = (storedPath: string): Finding => ({
  kind: 'files',
  id: storedPath.slice(0, SHOWN_CHARACTERS),
  ...(isLegacyPath(storedPath)
    ? { outcome: 'missing', reason: 'there is no such file in --files' }
    : { outcome: 'not taken', reason: 'its path is not that of a file below doctor_profiles' }),
});
