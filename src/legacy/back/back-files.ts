import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { digestOf } from '../../documents/document-digest.ts';
import { hasRandomName, isLegacyPath, isStoredPath } from '../../documents/stored-path.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { toLegacyPath } from '../records/profile-kind.ts';
import type { BackState } from './back-state.ts';

type Places = Pick<LegacyContext, 'documents' | 'filesDir'>;

/** The documents among these that the legacy service may not have: it has its own, unless it uses their names again. */
export const pathsFromHere = (storedPaths: readonly string[]): string[] =>
  storedPaths.filter((storedPath) => !(isLegacyPath(storedPath) && hasRandomName(storedPath)));

/** A path of another form is no document, and may lead out of both folders. */
const documentsAmong = (storedPaths: readonly string[]): string[] => storedPaths.filter(isStoredPath);

/**
 * Looks whether documents can be given to the legacy service, before its row is written.
 * @returns why not, for the operator; undefined if all are there or here, or an imported one is on neither side
 */
export async function reasonAgainstFiles(
  { context: { documents, filesDir } }: Pick<BackState, 'context'>,
  storedPaths: readonly string[],
): Promise<string | undefined> {
  const paths = documentsAmong(storedPaths);
  if (filesDir === undefined) {
    return paths.length > 0 ? 'its documents need --files' : undefined;
  }
  for (const storedPath of paths) {
    const reason = (await isThere(filesDir, storedPath))
      ? await reasonAgainstName({ documents, filesDir }, storedPath)
      : await reasonAgainstMissing({ documents }, storedPath);
    if (reason !== undefined) {
      return reason;
    }
  }
  return undefined;
}

/** A random name says that the file there is the document. Of any other name, the contents are compared. */
async function reasonAgainstName(
  { documents, filesDir = '' }: Places,
  storedPath: string,
): Promise<string | undefined> {
  const content = hasRandomName(storedPath) ? undefined : await documents.open(storedPath);
  const isOther =
    content && !(await isSame(content, createReadStream(path.join(filesDir, toLegacyPath(storedPath)))));
  return isOther ? 'the legacy service has another file with the name of a document' : undefined;
}

async function reasonAgainstMissing(
  { documents }: Pick<Places, 'documents'>,
  storedPath: string,
): Promise<string | undefined> {
  const content = await documents.open(storedPath);
  content?.destroy();
  return content || isLegacyPath(storedPath) ? undefined : 'a document of it is missing here';
}

/** Compares two contents in their size and their bytes. */
async function isSame(one: Readable, other: Readable): Promise<boolean> {
  const [first, second] = await Promise.all([digestOf(one), digestOf(other)]);
  return first.sizeBytes === second.sizeBytes && first.sha256 === second.sha256;
}

/**
 * Copies documents of this gateway to the legacy service, after their row was accepted and before it can be seen. A dry run only
 * counts them. None is overwritten.
 */
export async function writeFilesBack(
  { context, isDryRun, copied }: Pick<BackState, 'context' | 'isDryRun' | 'copied'>,
  storedPaths: readonly string[],
): Promise<void> {
  for (const storedPath of documentsAmong(storedPaths)) {
    if (copied.has(storedPath) || (await isThere(context.filesDir ?? '', storedPath))) {
      continue;
    }
    if (await writeFileBack(context, storedPath, isDryRun)) {
      copied.add(storedPath);
    }
  }
}

const isThere = (filesDir: string, storedPath: string): Promise<boolean> =>
  stat(path.join(filesDir, toLegacyPath(storedPath))).then(
    () => true,
    () => false,
  );

/**
 * Copies a document of this gateway to the legacy service, completely or not at all.
 * @returns false for an imported document that neither side has
 */
async function writeFileBack(
  { documents, filesDir = '' }: Places,
  storedPath: string,
  isDryRun: boolean,
): Promise<boolean> {
  const target = path.join(filesDir, toLegacyPath(storedPath));
  const content = await documents.open(storedPath);
  if (!content && !isLegacyPath(storedPath)) {
    throw new Error(`The document ${storedPath} was removed while it was copied. Run the command again.`);
  }
  if (!content || isDryRun) {
    content?.destroy();
    return content !== undefined;
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
  return true;
}
