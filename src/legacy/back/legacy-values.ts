import { LEGACY_FOLDER, NO_DOCUMENT, STORED_PATH } from '../../documents/stored-path.ts';
import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import { ROLES, type StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { textsOf } from '../../stores/doctors/profile-texts.ts';
import { ADMIN } from '../records/legacy-record.ts';
import { columnOf } from '../records/profile-record.ts';
import type { WriteTime } from '../source/legacy-time.ts';

/** Values by the names of the mapping's columns. */
export type ColumnValues = Readonly<Record<string, string | null>>;

/** PHP refuses the spelling `$2b$` of the same hash. */
export const toPhpHash = (hash: string): string => hash.replace(/^\$2b\$/, '$2y$');

/** True if the owner of an account has closed it, so that it waits for its erasure. */
export const isClosed = ({ erasureDueAt }: StoredAccount): boolean => Boolean(erasureDueAt);

/** The columns of an account. */
export function accountValues(account: StoredAccount, writeTime: WriteTime): ColumnValues {
  const { name, email, phone, dateOfBirth = null, role, passwordHash, createdAt, updatedAt } = account;
  return {
    name,
    email,
    phone,
    dob: dateOfBirth,
    role: role === ROLES.REVIEWER ? ADMIN : role,
    password: toPhpHash(passwordHash),
    created_at: writeTime(createdAt),
    updated_at: writeTime(updatedAt ?? createdAt),
  };
}

/** The path of a document in the legacy service: that of a document of this gateway gets the folder before it. */
export function toLegacyPath(storedPath: string): string {
  if (storedPath === NO_DOCUMENT) {
    return '';
  }
  return STORED_PATH.test(storedPath) ? `${LEGACY_FOLDER}/${storedPath}` : storedPath;
}

/** The columns of a profile without the id of its account. */
export function profileValues(profile: DoctorProfile, writeTime: WriteTime): ColumnValues {
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

/**
 * The columns of a token.
 * @param type the class in `tokenable_type`
 * @param accountKey the key of its account in the legacy database
 */
export function tokenValues(
  token: StoredAccessToken,
  type: string,
  accountKey: string,
  writeTime: WriteTime,
): ColumnValues {
  const { name, secretHash, abilities, lastUsedAt, expiresAt, createdAt } = token;
  return {
    tokenable_type: type,
    tokenable_id: accountKey,
    name,
    token: secretHash,
    abilities: JSON.stringify(abilities ?? ['*']),
    last_used_at: writeTime(lastUsedAt),
    expires_at: writeTime(expiresAt),
    created_at: writeTime(createdAt),
  };
}
