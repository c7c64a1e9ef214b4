import type { DoctorProfile } from '../../stores/doctors.ts';
import type { KeySet } from '../import/key-set.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { Additions, isIn, newRecords, ownerThere } from './additions.ts';
import { reasonAgainstFiles, writeFilesBack } from './back-files.ts';
import { type BackState, legacyKeyOf, reportEmptied } from './back-state.ts';
import type { Written } from './legacy-writer.ts';
import { withEmptyTexts } from './required-columns.ts';

/**
 * Adds the profiles of accounts that were there before them. Those of new accounts go with these.
 * @param known the keys of the rows of earlier runs
 */
export async function addProfiles(state: BackState, known: KeySet): Promise<void> {
  const { added, writer } = state;
  const wasKnown = isIn(known);
  const isKnown = (id: string) => wasKnown(id) || added.profiles.has(legacyKeyOf(state, id) ?? id);
  for await (const profiles of newRecords(state, PROFILES, isKnown)) {
    const additions = new Additions(state, PROFILES);
    await writer.transaction(async () => {
      for (const profile of profiles) {
        const key = await ownerThere(state, profile._id);
        const written: Written =
          key === undefined
            ? { reason: 'its account is not in the legacy database' }
            : await addProfile(state, profile, key);
        additions.note(profile, written);
      }
    });
    await additions.remember();
  }
}

/**
 * Adds a profile and then its documents, in the transaction that runs: documents without a row would stay behind.
 * @param key of its account in the legacy database
 */
export async function addProfile(state: BackState, profile: DoctorProfile, key: string): Promise<Written> {
  const { context, writer, writeTime, required } = state;
  const [existing] = await context.source.rows('profiles', [key]);
  if (existing) {
    return { id: key, isOld: true };
  }
  const paths = PROFILES.documentsOf(profile);
  const reason = await reasonAgainstFiles(state, paths);
  if (reason !== undefined) {
    return { reason };
  }
  const { values, emptied } = withEmptyTexts(PROFILES.valuesOf(profile, writeTime), required.profiles);
  const written = await writer.insert('profiles', key, values);
  if (written.id !== undefined) {
    await writeFilesBack(state, paths);
    reportEmptied(state, profile._id, emptied);
  }
  return written;
}
