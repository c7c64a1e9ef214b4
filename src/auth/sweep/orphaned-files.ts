import { DOCUMENT_GROUPS, type DocumentStore } from '../../documents/document-store.ts';
import type { Quarantine } from '../../documents/quarantine.ts';
import type { DoctorStore } from '../../stores/doctors.ts';
import { PAGE_SIZE } from '../../stores/store.ts';
import { collectOrphans, inBatches, type Sweepable } from './sweepable.ts';

/** Uploads that were never accepted. They have no owner, and remain only after a process was killed. */
export const orphanedUploads = (quarantine: Quarantine): Sweepable => ({
  kind: 'upload',
  find: (before, signal) => {
    const orphansOf = async (files: { path: string; modifiedAt: Date }[]) =>
      files.filter(({ modifiedAt }) => modifiedAt < before).map(({ path }) => path);
    return collectOrphans(inBatches(quarantine.list(), PAGE_SIZE), orphansOf, signal);
  },
  remove: async (path) => {
    await quarantine.discard(path);
    return true;
  },
});

/** Documents that are in no profile of an existing account. They go to the trash. */
export function orphanedDocuments(store: DocumentStore, doctors: DoctorStore): Sweepable {
  const orphansOf = async (paths: string[]) => {
    const owned = await doctors.ownedFiles(paths);
    return paths.filter((path) => !owned.has(path));
  };
  return {
    kind: 'document',
    find: (before, signal) =>
      collectOrphans(inBatches(pathsBefore(store, before), PAGE_SIZE), orphansOf, signal),
    remove: async (path) => {
      if ((await orphansOf([path])).length === 0) {
        return false;
      }
      await store.trash.put(path);
      return true;
    },
  };
}

async function* pathsBefore(store: DocumentStore, before: Date): AsyncGenerator<string> {
  for (const group of DOCUMENT_GROUPS) {
    for await (const { path, storedAt } of store.list(group)) {
      if (storedAt < before) {
        yield path;
      }
    }
  }
}
