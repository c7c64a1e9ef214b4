import type { DocumentTrash, StoredDocument } from '../../documents/document-store.ts';
import { isLegacyPath } from '../../documents/stored-path.ts';
import { type DoctorStore, TRASH_DAYS } from '../../stores/doctors.ts';
import { PAGE_SIZE } from '../../stores/store.ts';
import { inBatches } from './sweepable.ts';

const TRASH_MILLIS = TRASH_DAYS * 86_400_000;

interface Tidying {
  trash: DocumentTrash;
  doctors: DoctorStore;
  /** The time of day, in milliseconds since the epoch. */
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Brings documents back that belong to an account after all, such as when the database had been an older one, and removes
 * the others after {@link TRASH_DAYS}.
 * @returns the stored paths of the documents that are back
 */
export async function tidyTrash({ trash, doctors, now, signal }: Tidying): Promise<string[]> {
  const restored: string[] = [];
  for await (const batch of inBatches(trash.list(), PAGE_SIZE)) {
    const owned = await doctors.ownedFiles(batch.map(({ path }) => path));
    for (const document of batch) {
      if (signal?.aborted) {
        return restored;
      }
      if (owned.has(document.path) && (await trash.restore(document.path))) {
        restored.push(document.path);
      } else if (isOver(document, now)) {
        // Not `store.remove`: if the document is owned, the store has it, too.
        await trash.remove(document.path);
      }
    }
  }
  return restored;
}

const isOver = ({ storedAt }: StoredDocument, now: number): boolean =>
  storedAt.getTime() < now - TRASH_MILLIS;

/**
 * Brings all documents back that the store does not have. The sweep leaves them alone for an hour. It lists no imported documents,
 * so only those come back that belong to an account.
 * @returns their stored paths
 */
export async function restoreAll(trash: DocumentTrash, doctors: DoctorStore): Promise<string[]> {
  const restored: string[] = [];
  for await (const page of inBatches(trash.list(), PAGE_SIZE)) {
    const paths = page.map(({ path }) => path);
    const owned = await doctors.ownedFiles(paths.filter(isLegacyPath));
    for (const path of paths) {
      const comesBack = owned.has(path) || !isLegacyPath(path);
      if (comesBack && (await trash.restore(path))) {
        restored.push(path);
      }
    }
  }
  return restored;
}
