import type { DocumentTrash, StoredDocument } from '../documents/document-store.ts';
import { BATCH_SIZE } from '../stores/ownership.ts';
import { TRASH_DAYS } from '../stores/swept-profile.model.ts';
import { inBatches } from './sweepable.ts';

const TRASH_MILLIS = TRASH_DAYS * 86_400_000;

interface Tidying {
  trash: DocumentTrash;
  /** The stored paths among these that belong to an account. */
  ownedAmong(paths: string[]): Promise<Set<string>>;
  /** The time of day, in milliseconds since the epoch. */
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Brings documents back that belong to an account after all, such as when the database had been an older one, and removes
 * the others after {@link TRASH_DAYS}.
 * @returns the stored paths of the documents that are back
 */
export async function tidyTrash({ trash, ownedAmong, now, signal }: Tidying): Promise<string[]> {
  const restored: string[] = [];
  for await (const batch of inBatches(trash.list(), BATCH_SIZE)) {
    const owned = await ownedAmong(batch.map(({ path }) => path));
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
 * Brings all documents back that the store does not have. The sweep leaves them alone for an hour.
 * @returns their stored paths
 */
export async function restoreAll(trash: DocumentTrash): Promise<string[]> {
  const restored: string[] = [];
  for await (const { path } of trash.list()) {
    if (await trash.restore(path)) {
      restored.push(path);
    }
  }
  return restored;
}
