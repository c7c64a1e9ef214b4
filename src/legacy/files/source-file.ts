import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isLegacyPath } from '../../documents/document-store.ts';
import { systemErrorCode } from '../../system/system-errors.ts';

/** A file of the legacy service. */
export interface SourceFile {
  path: string;
  sizeBytes: number;
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
  try {
    const entry = (await realpath(target)) === target ? await lstat(target) : undefined;
    return entry?.isFile() ? { path: target, sizeBytes: entry.size } : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemErrorCode(error) ?? '')) {
      return undefined;
    }
    throw error;
  }
}
