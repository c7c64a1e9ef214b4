import { isLegacyPath } from '../../documents/document-store.ts';
import {
  type DoctorDocumentPaths,
  type DoctorProfile,
  VERIFICATION_STATUSES,
} from '../../models/doctor-profile.model.ts';
import type { DoctorProfileTexts, ProfileTextName } from '../../models/profile-texts.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS } from '../../models/profile-texts.ts';
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
} from './legacy-record.ts';

const TEXTS: readonly ProfileTextName[] = [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS];

/** The column of a text: `licenseNumber` is `license_number`. */
export const columnOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The stored form of a path: some applications store it with the disk's name or a slash before it. */
const toStoredPath = (text: string): string => text.replace(/^\/?(?:public\/|storage\/)?/, '');

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
function reasonAgainst({ key, hasAccount, accountRole, values }: LegacyRow): string | undefined {
  if (!isUsableId(key) || !hasAccount) {
    return NO_ACCOUNT_THERE;
  }
  if (accountRole === ADMIN) {
    return OF_ADMIN;
  }
  const missing = REQUIRED_TEXTS.map(columnOf).find((column) => !values[column]);
  if (missing !== undefined) {
    return `${missing} is missing`;
  }
  const paths = ['license_file_path', 'diploma_file_path', 'certification_file_path'];
  const flawed = paths.find((column) => !isPath(values[column], column === 'certification_file_path'));
  return flawed === undefined ? undefined : `${flawed} has another form than doctor_profiles/<group>/<name>`;
}

const isPath = (text: string | null | undefined, mayBeMissing: boolean): boolean =>
  text ? isLegacyPath(toStoredPath(text)) : mayBeMissing;

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
