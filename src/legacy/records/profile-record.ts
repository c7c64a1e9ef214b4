import { NO_DOCUMENT, STORED_PATH } from '../../documents/stored-path.ts';
import {
  type DoctorDocumentPaths,
  type DoctorProfile,
  VERIFICATION_STATUSES,
} from '../../stores/doctors/doctors.ts';
import type { DoctorProfileTexts, ProfileTextName } from '../../stores/doctors/profile-texts.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS } from '../../stores/doctors/profile-texts.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import {
  ADMIN,
  type Conversion,
  type Converted,
  digestOfValues,
  isUsableId,
  NO_ACCOUNT_THERE,
  OF_ADMIN,
  partDigests,
  type RecordKind,
  reasonAgainstTexts,
} from './legacy-record.ts';

const TEXTS: readonly ProfileTextName[] = [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS];

/** The column of a text: `licenseNumber` is `license_number`. */
export const columnOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** No column of Laravel has longer paths, and no document. The rest of a longer text is not kept. */
const MAX_PATH_CHARACTERS = 1_000;

/**
 * The stored form of a path: some applications store it with the disk's name or a slash before it. A text that is no path of a
 * document stays, and is not found. The path of a document of this gateway would be that of somebody who has registered here, so
 * it keeps a slash before it, and is not found either.
 */
function toStoredPath(text: string): string {
  const storedPath = text.slice(0, MAX_PATH_CHARACTERS).replace(/^\/?(?:public\/|storage\/)?/, '');
  return STORED_PATH.test(storedPath) ? `/${storedPath}` : storedPath || NO_DOCUMENT;
}

function digestOf(profile: DoctorProfile): string {
  const texts = TEXTS.map((name) => profile[name] ?? null);
  const paths = Object.values(documentsOf(profile));
  return digestOfValues([...texts, ...paths]) + partDigests([paths]);
}

/** The documents of a profile. */
export const documentsOf = (profile: DoctorDocumentPaths): DoctorDocumentPaths => ({
  licenseFilePath: profile.licenseFilePath,
  diplomaFilePath: profile.diplomaFilePath,
  certificationFilePath: profile.certificationFilePath,
});

/** Why a row of profiles cannot be taken. */
function reasonAgainst(row: LegacyRow): string | undefined {
  const { key, hasAccount, accountRole, values } = row;
  if (!isUsableId(key) || !hasAccount) {
    return NO_ACCOUNT_THERE;
  }
  if (accountRole === ADMIN) {
    return OF_ADMIN;
  }
  const missing = REQUIRED_TEXTS.map(columnOf).find((column) => !values[column]);
  return missing === undefined ? reasonAgainstTexts(row) : `${missing} is missing`;
}

/**
 * The state of a doctor whom the legacy service has looked at. It has no time of a decision: nobody here has decided.
 * @param createdAt of the profile: its documents were submitted then
 */
const takenOver = (createdAt: Date) => ({
  status: VERIFICATION_STATUSES.VERIFIED,
  decidedAt: null,
  reason: 'Taken over as verified.',
  submittedAt: createdAt,
});

/** Rows of doctors' profiles. Each has the id of its account. */
export const PROFILE_RECORD: RecordKind<DoctorProfile> = {
  convert(row: LegacyRow, { readTime, policy }: Conversion): Converted<DoctorProfile> {
    const reason = reasonAgainst(row);
    if (reason !== undefined) {
      return { reason };
    }
    const { values } = row;
    const createdAt = readTime(values.created_at) ?? new Date(0);
    const texts = Object.fromEntries(TEXTS.map((name) => [name, values[columnOf(name)] || null]));
    const record: DoctorProfile = {
      _id: row.key,
      ...(texts as DoctorProfileTexts),
      licenseFilePath: toStoredPath(values.license_file_path ?? ''),
      diplomaFilePath: toStoredPath(values.diploma_file_path ?? ''),
      certificationFilePath: values.certification_file_path
        ? toStoredPath(values.certification_file_path)
        : null,
      createdAt,
      ...(policy.doctors === 'verified' && { verification: takenOver(createdAt) }),
    };
    return { record, digest: digestOf(record) };
  },
  digestOf,
  // A reviewer's decision replaces the documents; nobody changes the rest here.
  merge: (stored, record, [documents]) => ({ ...record, ...(documents && documentsOf(stored)) }),
};
