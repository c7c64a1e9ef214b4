import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { pathsOf } from '../files/import-files.ts';
import { placeFile } from '../files/place-file.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** A record as it will be, and as it is if it exists. */
interface Replacement {
  record: AnyRecord;
  stored?: AnyRecord;
}

/** Copies the documents that profiles are about to name, so that no profile names one that is not here yet. */
export async function prepareDocuments(
  context: LegacyContext,
  kind: Kind,
  replacements: readonly Replacement[],
): Promise<void> {
  if (kind !== 'profiles' || context.filesDir === undefined) {
    return;
  }
  for (const { record, stored } of replacements) {
    for (const storedPath of withoutThose(pathsOf(record as DoctorProfile), stored)) {
      await placeFile(context, storedPath);
    }
  }
}

/** Removes the documents that the profiles do not name any more. The change has noted them (kind-rules.ts). */
export async function removeFormerDocuments(
  context: LegacyContext,
  kind: Kind,
  replacements: readonly Required<Replacement>[],
): Promise<void> {
  if (kind !== 'profiles') {
    return;
  }
  for (const { record, stored } of replacements) {
    if (withoutThose(pathsOf(stored as DoctorProfile), record).length > 0) {
      await context.stores.doctors.finishRemoval(record._id, context.documents);
    }
  }
}

function withoutThose(paths: readonly string[], other: AnyRecord | undefined): string[] {
  const known = other ? pathsOf(other as DoctorProfile) : [];
  return paths.filter((path) => !known.includes(path));
}
