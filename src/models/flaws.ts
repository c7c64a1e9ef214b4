import type { StoredAccessToken } from './access-token.model.ts';
import { ROLES, type StoredAccount } from './account.model.ts';
import type { DoctorProfile } from './doctor-profile.model.ts';

/*
 * Records that other programs have written (an import, an operator) may hold what neither API can show. Each of these
 * functions says what is wrong with a record, without any value of it, or gives undefined for a record that can be shown.
 */

/** As the database gives it: the types of the models are what this service writes, no more. */
type Raw<T> = { readonly [field in keyof T]?: unknown };

const isText = (value: unknown): boolean => typeof value === 'string';
const isMissing = (value: unknown): boolean => value === undefined || value === null;
const isDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
const isPath = (value: unknown): boolean => isText(value) && value !== '';

/** The first field of a record that is not as it must be. */
function firstFlaw<T>(record: Raw<T>, rules: [(value: unknown) => boolean, (keyof T & string)[]][]) {
  for (const [isAsItMustBe, fields] of rules) {
    const flawed = fields.find((field) => !isAsItMustBe(record[field]));
    if (flawed !== undefined) return `${flawed} is missing or of another type`;
  }
  return undefined;
}

const orMissing = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  isMissing(value) || isRight(value);

const KNOWN_ROLES: readonly unknown[] = Object.values(ROLES);

/** What keeps an account from being shown, such as a role that the contract does not have (its section 2). */
export function flawOfAccount(account: Raw<Omit<StoredAccount, 'passwordHash'>>): string | undefined {
  if (!KNOWN_ROLES.includes(account.role)) return 'role is neither doctor nor patient';
  return firstFlaw<StoredAccount>(account, [
    [isText, ['_id', 'name', 'email']],
    [orMissing(isText), ['phone']],
    [isDate, ['createdAt']],
  ]);
}

/** What keeps a doctor's profile from being shown. The certification alone may be missing: a legacy service may not have it. */
export const flawOfProfile = (profile: Raw<DoctorProfile>): string | undefined =>
  firstFlaw<DoctorProfile>(profile, [
    [isText, ['specialization', 'licenseNumber']],
    [isPath, ['licenseFilePath', 'diplomaFilePath']],
    [
      orMissing(isText),
      ['certificationFilePath', 'currentInstitution', 'workHistory', 'publications', 'practiceAddress'],
    ],
  ]);

const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** What keeps an access token from being honoured: what it may do, or until when, is not certain. */
export const flawOfToken = (token: Raw<StoredAccessToken>): string | undefined =>
  firstFlaw<StoredAccessToken>(token, [
    [isText, ['name', 'secretHash']],
    [orMissing(isListOfTexts), ['abilities']],
    [orMissing(isDate), ['createdAt', 'lastUsedAt', 'expiresAt']],
  ]);
