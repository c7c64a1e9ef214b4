import { isDeepStrictEqual } from 'node:util';
import { LEGACY_FOLDER, NO_DOCUMENT, STORED_PATH } from '../../documents/stored-path.ts';
import type { BulkRecords } from '../../stores/bulk-records.ts';
import {
  type DoctorProfileTexts,
  type DocumentHash,
  OPTIONAL_TEXTS,
  type ProfileTextName,
  REQUIRED_TEXTS,
  textsOf,
} from '../../stores/doctor-profile-record.ts';
import {
  type DoctorDocumentPaths,
  type DoctorProfile,
  firstTellAt,
  notingReplaced,
  STORED_STATUSES,
} from '../../stores/doctors.ts';
import type { Stores } from '../../stores/stores.ts';
import { dayAfter, isCalendarDate } from '../../system/calendar.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { ReadTime, WriteTime } from '../source/legacy-time.ts';
import {
  ADMIN,
  type ColumnValues,
  type Conversion,
  type Converted,
  digestOfValues,
  isUsableId,
  NO_ACCOUNT_THERE,
  OF_ADMIN,
  partDigests,
  reasonAgainstTexts,
} from './legacy-record.ts';
import { RecordKind } from './record-kind.ts';

const TEXTS: readonly ProfileTextName[] = [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS];

/** The column of a text: `licenseNumber` is `license_number`. */
const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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

/** The documents of a profile. */
const documentsOf = (profile: DoctorDocumentPaths): DoctorDocumentPaths => ({
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
const takenOver = (createdAt: Date, until: Date | undefined) => ({
  status: STORED_STATUSES.VERIFIED,
  decidedAt: null,
  reason: 'Taken over as verified.',
  submittedAt: createdAt,
  ...(until && { until }),
});

/**
 * The end of a verification: of a time that moment, of a day its end.
 * @param text of the column `verified_until`, if the mapping names one
 * @returns undefined if there is none, null for another text
 */
function endIn(text: string | null | undefined, readTime: ReadTime): Date | null | undefined {
  if (!text || text.startsWith('0000')) {
    return undefined;
  }
  return readTime(isCalendarDate(text) ? `${dayAfter(text)} 00:00:00` : text);
}

/** The path of a document in the legacy service: that of a document of this gateway gets the folder before it. */
export function toLegacyPath(storedPath: string): string {
  if (storedPath === NO_DOCUMENT) {
    return '';
  }
  return STORED_PATH.test(storedPath) ? `${LEGACY_FOLDER}/${storedPath}` : storedPath;
}

/** The stored paths of a profile's documents. They are of any form: an imported profile keeps what its row has. */
export const pathsOf = (profile: DoctorDocumentPaths): string[] =>
  Object.values(documentsOf(profile)).filter((path) => path !== null);

/** Rows of doctors' profiles. Each has the id of its account. */
class ProfileKind extends RecordKind<DoctorProfile> {
  readonly name = 'profiles';
  protected readonly ownFields = new Set(['verification', 'tellAt']);

  stored({ doctors }: Pick<Stores, 'doctors'>): BulkRecords<DoctorProfile> {
    return doctors.bulk;
  }

  convert(row: LegacyRow, { readTime, policy, now }: Conversion): Converted<DoctorProfile> {
    const isVerified = policy.doctors === 'verified';
    const until = isVerified ? endIn(row.values.verified_until, readTime) : undefined;
    // Without its end, the doctor would be verified for ever.
    const reason =
      reasonAgainst(row) ?? (until === null ? 'verified_until is no day and no time' : undefined);
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
      ...(isVerified && { verification: takenOver(createdAt, until ?? undefined) }),
      ...(until && { tellAt: firstTellAt(until, now) }),
    };
    return { record, digest: this.digestOf(record) };
  }

  digestOf(profile: DoctorProfile): string {
    const texts = TEXTS.map((name) => profile[name] ?? null);
    const paths = Object.values(documentsOf(profile));
    return digestOfValues([...texts, ...paths]) + partDigests([paths, ...texts.map((text) => [text])]);
  }

  override changedParts({ corrected }: DoctorProfile): boolean[] {
    return [true, ...TEXTS.map((name) => corrected?.[name] === true)];
  }

  accountOf({ key }: LegacyRow): string {
    return key;
  }

  accountIdOf({ _id }: DoctorProfile): string {
    return _id;
  }

  override documentsOf(profile: DoctorProfile): string[] {
    return pathsOf(profile);
  }

  override noteHash(profile: DoctorProfile, hash: DocumentHash): void {
    profile.documentHashes = [...(profile.documentHashes ?? []), hash];
  }

  override isBeingRemoved({ removal }: DoctorProfile): boolean {
    return Boolean(removal);
  }

  /** A decision here stays. A reviewer who looks at the former documents must not decide about the new ones. */
  changed(stored: DoctorProfile, { verification: _, tellAt: __, ...fields }: DoctorProfile): DoctorProfile {
    const isSame = isDeepStrictEqual(documentsOf(stored), documentsOf(fields));
    const revision = (stored.revision ?? 0) + 1;
    return { ...stored, ...fields, ...(!isSame && { ...notingReplaced(stored, fields), revision }) };
  }

  /** A reviewer's decision replaces the documents, and the doctor corrects texts. */
  override merged(
    stored: DoctorProfile,
    record: DoctorProfile,
    [documents, ...texts]: readonly boolean[],
  ): DoctorProfile {
    const corrected = TEXTS.filter((_, index) => texts[index]);
    const kept = Object.fromEntries(corrected.map((name) => [name, stored[name] ?? null]));
    return { ...record, ...kept, ...(documents && documentsOf(stored)) };
  }

  override refreshed(stored: DoctorProfile, { createdAt }: DoctorProfile): DoctorProfile | undefined {
    return isDeepStrictEqual(stored.createdAt, createdAt) ? undefined : { ...stored, createdAt };
  }

  /** A reviewer has decided about the doctor, or the doctor has corrected texts. */
  override wasChangedHere(
    { verification, corrected }: DoctorProfile,
    _record: DoctorProfile,
    fields: readonly string[],
  ): boolean {
    const isDecided = Boolean(verification?.decidedAt);
    return fields.every(
      (field) => (isDecided && isDecidedOn(field)) || Object.hasOwn(corrected ?? {}, field),
    );
  }

  valuesOf(profile: DoctorProfile, writeTime: WriteTime): ColumnValues {
    const texts = Object.entries(textsOf(profile)).map(([name, text]) => [columnOf(name), text]);
    const { licenseFilePath, diplomaFilePath, certificationFilePath, createdAt } = profile;
    return {
      ...Object.fromEntries(texts),
      license_file_path: toLegacyPath(licenseFilePath),
      diploma_file_path: toLegacyPath(diplomaFilePath),
      certification_file_path: certificationFilePath && toLegacyPath(certificationFilePath),
      created_at: writeTime(createdAt),
    };
  }

  override differingFields(stored: DoctorProfile, record: DoctorProfile): string[] {
    const fields = super.differingFields(stored, record);
    return isSameState(stored, record) ? fields : [...fields, 'verification'];
  }

  protected override isSameField(field: string, stored: DoctorProfile, record: DoctorProfile): boolean {
    const here: unknown = Reflect.get(stored, field);
    return field.endsWith('FilePath') && typeof here === 'string'
      ? [here, toLegacyPath(here)].includes(String(Reflect.get(record, field)))
      : super.isSameField(field, stored, record);
  }
}

export const PROFILES = new ProfileKind();

/** A decision sets the state of the doctor, and new documents if there were any. */
const isDecidedOn = (field: string): boolean => field === 'verification' || field.endsWith('FilePath');

/** The import decides on the state of a doctor once. The time of the documents stays if the row gets another time. */
function isSameState({ verification: here }: DoctorProfile, { verification: there }: DoctorProfile): boolean {
  const stateOf = (one: typeof here) => one && [one.status, one.decidedAt, one.reason];
  return isDeepStrictEqual(stateOf(here), stateOf(there));
}
