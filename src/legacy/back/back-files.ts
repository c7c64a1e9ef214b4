import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isLegacyPath } from '../../documents/document-store.ts';
import type { DoctorProfile } from '../../models/doctor-profile.model.ts';
import { pathsOf } from '../files/import-files.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { BackState } from './back-state.ts';
import { toLegacyPath } from './legacy-values.ts';

type Places = Pick<LegacyContext, 'documents' | 'filesDir'>;

/** The documents that a profile has got here: those on which a reviewer has decided. */
export const pathsFromHere = (profile: DoctorProfile): string[] =>
  pathsOf(profile).filter((storedPath) => !isLegacyPath(storedPath));

/**
 * Looks whether documents can be given to the legacy service, before its row is written.
 * @returns why not, for the operator; undefined if all are there or here
 */
export async function reasonAgainstFiles(
  { context: { documents, filesDir } }: Pick<BackState, 'context'>,
  storedPaths: readonly string[],
): Promise<string | undefined> {
  if (filesDir === undefined) {
    return storedPaths.length > 0 ? 'its documents need --files' : undefined;
  }
  for (const storedPath of storedPaths) {
    if (!(await isThere(filesDir, storedPath)) && !(await isHere({ documents }, storedPath))) {
      return 'a document of it is missing here';
    }
  }
  return undefined;
}

/**
 * Copies documents of this gateway to the legacy service, after their row was accepted and before it can be seen. A dry run only
 * counts them.
 */
export async function writeFilesBack(state: BackState, storedPaths: readonly string[]): Promise<void> {
  const { context, isDryRun, copied } = state;
  for (const storedPath of storedPaths) {
    if (!copied.has(storedPath) && !(await isThere(context.filesDir ?? '', storedPath))) {
      if (!isDryRun) {
        await writeFileBack(context, storedPath);
      }
      copied.add(storedPath);
    }
  }
}

/** The names are random, so a file of this name is this document. */
const isThere = (filesDir: string, storedPath: string): Promise<boolean> =>
  stat(path.join(filesDir, toLegacyPath(storedPath))).then(
    () => true,
    () => false,
  );

async function isHere({ documents }: Pick<Places, 'documents'>, storedPath: string): Promise<boolean> {
  const content = await documents.open(storedPath);
  content?.destroy();
  return content !== undefined;
}

/** Copies a document of this gateway to the legacy service, completely or not at all. */
async function writeFileBack({ documents, filesDir = '' }: Places, storedPath: string): Promise<void> {
  const target = path.join(filesDir, toLegacyPath(storedPath));
  const content = await documents.open(storedPath);
  if (!content) {
    throw new Error(`The document ${storedPath} was removed while it was copied. Run the command again.`);
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
}
