import type { StoredAccessToken } from './access-tokens.ts';
import type { StoredAccount } from './account-record.ts';
import {
  type DoctorProfile,
  OPTIONAL_TEXTS,
  REQUIRED_TEXTS,
  REVIEWED_FIELDS,
} from './doctor-profile-record.ts';
import { PUBLIC_ROLES, type Role } from './roles.ts';
import { STORED_STATUSES } from './verification-record.ts';

/*
 * Other programs (an import, an operator) may store records that neither API can show. Each of these functions says what is
 * wrong with a record, without any of its values. It returns undefined for a record that can be shown.
 */

/** A record as read from the database. The types of the models hold only for records of this service. */
type Raw<T> = { readonly [field in keyof T]?: unknown };

const isText = (value: unknown): boolean => typeof value === 'string';
const isMissing = (value: unknown): boolean => value === undefined || value === null;
const isDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
const isPath = (value: unknown): boolean => isText(value) && value !== '';

/** The rules for the fields of a record. Built once: tokens and accounts are checked at every request. */
type Rules<T> = readonly [isValid: (value: unknown) => boolean, fields: readonly (keyof T & string)[]][];

/** Names the first field of a record that breaks its rule. */
function firstProblem<T>(record: Raw<T>, rules: Rules<T>): string | undefined {
  for (const [isValid, fields] of rules) {
    const invalid = fields.find((field) => !isValid(record[field]));
    if (invalid !== undefined) {
      return `${invalid} is missing or of another type`;
    }
  }
  return undefined;
}

const orMissing = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  isMissing(value) || isValid(value);

const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const KNOWN_STATUSES: readonly unknown[] = Object.values(STORED_STATUSES);

function isVerification(value: unknown): boolean {
  const { status, decidedAt, reason, submittedAt, until } = Object(value) as Record<string, unknown>;
  return (
    KNOWN_STATUSES.includes(status) &&
    orMissing(isDate)(decidedAt) &&
    orMissing(isText)(reason) &&
    orMissing(isDate)(submittedAt) &&
    orMissing(isDate)(until)
  );
}

function isProposal(value: unknown): boolean {
  const { submittedAt, ...fields } = Object(value) as Record<string, unknown>;
  return isDate(submittedAt) && REVIEWED_FIELDS.every((field) => orMissing(isText)(fields[field]));
}

const ACCOUNT_RULES: Rules<StoredAccount> = [
  [isText, ['_id', 'name', 'email']],
  [orMissing(isText), ['phone', 'dateOfBirth', 'language']],
  [orMissing(isDate), ['createdAt', 'updatedAt']],
];

const PROFILE_RULES: Rules<DoctorProfile> = [
  [isText, REQUIRED_TEXTS],
  [isPath, ['licenseFilePath', 'diplomaFilePath']],
  [orMissing(isText), ['certificationFilePath', ...OPTIONAL_TEXTS]],
  [orMissing(isVerification), ['verification']],
  [orMissing(isProposal), ['proposal']],
  [orMissing(Number.isSafeInteger), ['revision']],
];

const TOKEN_RULES: Rules<StoredAccessToken> = [
  [isText, ['name', 'secretHash']],
  [orMissing(isListOfTexts), ['abilities', 'amr']],
  [orMissing(isDate), ['createdAt', 'lastUsedAt', 'expiresAt', 'authTime']],
];

/**
 * Why an account cannot be shown, such as a role that the contract does not have.
 * @param roles that are shown
 */
export function problemOfAccount(
  account: Raw<Omit<StoredAccount, 'passwordHash'>>,
  roles: readonly Role[] = Object.values(PUBLIC_ROLES),
): string | undefined {
  if (!roles.some((role) => role === account.role)) {
    return 'role is unknown';
  }
  return firstProblem<StoredAccount>(account, ACCOUNT_RULES);
}

/** Why a doctor's profile cannot be shown. Its certification may be missing: a legacy service may have none. */
export const problemOfProfile = (profile: Raw<DoctorProfile>): string | undefined =>
  firstProblem<DoctorProfile>(profile, PROFILE_RULES);

/** Why an access token is not valid: its abilities or its lifetime are not certain. */
export const problemOfToken = (token: Raw<StoredAccessToken>): string | undefined =>
  firstProblem<StoredAccessToken>(token, TOKEN_RULES);
