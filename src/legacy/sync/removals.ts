import type { LegacyContext } from '../legacy-context.ts';

/** Finishes the removals of profiles and documents that a kill of an earlier command has interrupted. */
export async function finishRemovals({
  stores,
  documents,
}: Pick<LegacyContext, 'stores' | 'documents'>): Promise<void> {
  for (const id of await stores.doctors.unfinishedRemovals()) {
    await stores.doctors.finishRemoval(id, documents);
  }
}
