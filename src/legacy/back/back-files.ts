import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LegacyContext } from '../legacy-context.ts';
import { toLegacyPath } from '../records/profile-kind.ts';
import type { BackState } from './back-state.ts';

/** A document that cannot be given to the legacy service. The text is for the operator. */
class FileNotWritten extends Error {}

/**
 * Copies documents of this gateway to the legacy service.
 * @param state counts those that were copied
 * @returns why one of them could not be copied; undefined if all are there
 */
export async function writeFilesBack(
  state: Pick<BackState, 'context' | 'files'>,
  storedPaths: readonly string[],
): Promise<string | undefined> {
  try {
    for (const storedPath of storedPaths) {
      state.files += await writeFileBack(state.context, storedPath);
    }
    return undefined;
  } catch (error) {
    if (error instanceof FileNotWritten) {
      return error.message;
    }
    throw error;
  }
}

/**
 * Copies a document of this gateway to the legacy service, completely or not at all.
 * @returns 1 if it was copied, 0 if the legacy service has it
 * @throws FileNotWritten
 */
async function writeFileBack(
  { documents, filesDir }: Pick<LegacyContext, 'documents' | 'filesDir'>,
  storedPath: string,
): Promise<0 | 1> {
  if (filesDir === undefined) {
    throw new FileNotWritten('its documents need --files');
  }
  const target = path.join(filesDir, toLegacyPath(storedPath));
  // The names are random, so a file of this name is this document.
  const exists = await stat(target).then(
    () => true,
    () => false,
  );
  if (exists) {
    return 0;
  }
  const content = await documents.open(storedPath);
  if (!content) {
    throw new FileNotWritten('a document of it is missing here');
  }
  const folder = path.dirname(target);
  await mkdir(folder, { recursive: true });
  const copy = path.join(folder, `.${randomUUID()}`);
  try {
    await writeFile(copy, content, { flag: 'wx', flush: true });
    await rename(copy, target);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
  return 1;
}
