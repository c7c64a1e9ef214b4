import type { Replacement } from '../../stores/bulk-records.ts';
import { placeFile } from '../files/place-file.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { RecordKind } from '../records/record-kind.ts';

/** A record as it is if it exists, and as it will be. */
type Wanted<T> = { before?: T; after: T };

/**
 * Copies the documents that records are about to name, so that no profile names one that is not here yet.
 * @returns the stored paths of those that were not here before
 */
export async function prepareDocuments<T extends { _id: string }>(
  context: LegacyContext,
  kind: RecordKind<T>,
  wanted: readonly Wanted<T>[],
): Promise<string[]> {
  if (context.filesDir === undefined) {
    return [];
  }
  const added: string[] = [];
  for (const { before, after } of wanted) {
    const known = before ? kind.documentsOf(before) : [];
    for (const storedPath of kind.documentsOf(after).filter((path) => !known.includes(path))) {
      const { done } = await placeFile(context, storedPath);
      if (done === 'added') {
        added.push(storedPath);
      }
    }
  }
  return added;
}

/** Removes the documents that the profiles do not name any more. The change has noted them (profile-kind.ts). */
export async function removeFormerDocuments<T extends { _id: string }>(
  context: LegacyContext,
  kind: RecordKind<T>,
  replacements: readonly Replacement<T>[],
): Promise<void> {
  for (const { before, after } of replacements) {
    const named = kind.documentsOf(after);
    if (kind.documentsOf(before).some((path) => !named.includes(path))) {
      await context.stores.doctors.finishRemoval(after._id, context.documents);
    }
  }
}
