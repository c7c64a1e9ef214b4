import { hash } from 'node:crypto';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { ReadTime } from '../source/legacy-time.ts';

/** What an import makes of administrators and of doctors. Its syncs do the same, and `verify` expects it. */
export interface ImportPolicy {
  /** `reviewer`: administrators become reviewers. Otherwise they are left out. */
  admins: 'skip' | 'reviewer';
  /** `verified`: the legacy service has looked at its doctors. `pending`: reviewers here have to. */
  doctors: 'pending' | 'verified';
}

export const DEFAULT_POLICY: ImportPolicy = { admins: 'skip', doctors: 'pending' };

/**
 * The policy of an import.
 * @param options of its run. Those of earlier versions have no word about doctors
 */
export const policyOf = (options: Readonly<Record<string, string>>): ImportPolicy => ({
  admins: options.admins === 'reviewer' ? 'reviewer' : 'skip',
  doctors: options.doctors === 'verified' ? 'verified' : 'pending',
});

/** What the conversion of a row needs besides the row. */
export interface Conversion {
  readTime: ReadTime;
  /** The time of the import. */
  now: Date;
  policy: ImportPolicy;
  /** The ids of the accounts that were erased here. */
  erased: ReadonlySet<string>;
}

/** Why a row is not taken that cannot be taken as it is. Its text contains no value of the row. */
export type Reason = string;

/** A row as the gateway stores it, or the reason why it is not taken. The reason contains no value of the row. */
export type Converted<T> =
  | { record: T; digest: string; reason?: undefined }
  | { record?: undefined; digest?: undefined; reason: Reason };

/** Values by the names of the mapping's columns. */
export type ColumnValues = Readonly<Record<string, string | null>>;

/**
 * The reason against a row with a text that cannot be stored as it is; undefined if there is none. BSON would have U+FFFD in
 * place of each half of a surrogate pair, and the row would look changed for ever.
 */
export function reasonAgainstTexts({ values }: LegacyRow): Reason | undefined {
  for (const name in values) {
    if (values[name]?.isWellFormed() === false) {
      return `${name} is no valid UTF-8`;
    }
  }
  return undefined;
}

/** Ids are part of tokens and of addresses. Numbers, UUIDs and ULIDs fit. */
const ID = /^[0-9A-Za-z_-]{1,64}$/;

/** True if the gateway can store a row under its key. */
export const isUsableId = (key: string): boolean => ID.test(key);

/** The reason against a profile or token whose account is not in the gateway. */
export const NO_ACCOUNT = 'its account was not taken';

/** The reason against a profile or token whose account is not in the legacy database. */
export const NO_ACCOUNT_THERE = 'its account does not exist';

/** The role of administrators in the legacy service. */
export const ADMIN = 'admin';

/**
 * The reason against a profile or token of an administrator. A reviewer has no profile, and a token that was issued for
 * another service gives no power over doctors here: reviewers log in.
 */
export const OF_ADMIN = 'its account is an administrator';

/** The reason against an account that was erased here. */
export const ERASED = 'it was erased here';

/** The reasons that may be gone although the row has not changed. */
const OUTSIDE: ReadonlySet<Reason> = new Set([NO_ACCOUNT, NO_ACCOUNT_THERE, OF_ADMIN]);

/** True if the reason against a profile or token is its account, so that the row is tried again when accounts have changed. */
export const isAboutAccount = (reason: Reason): boolean => OUTSIDE.has(reason);

/** 64 bits are enough to notice a change. They are no defence against a record that is made to have the same digest. */
export const DIGEST_CHARACTERS = 16;
/** Of a part that can be changed here. It is only looked at if the whole record was changed on both sides. */
const PART_CHARACTERS = 8;

/** A short digest of values, in hexadecimal digits. Null and undefined are the same. */
export const digestOfValues = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(values.map(withoutDate))).slice(0, DIGEST_CHARACTERS);

/** JSON's text of a date costs more than all the rest of a digest. */
const withoutDate = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/** The end of a record's digest: a digest for each part that can be changed here. */
export const partDigests = (parts: readonly (readonly unknown[])[]): string =>
  parts.map((part) => digestOfValues(part).slice(0, PART_CHARACTERS)).join('');

/** In place of the digest of a part that is not known, because an earlier version has read the row. */
const UNKNOWN_PART = 'f'.repeat(PART_CHARACTERS);

/** The digests of the parts of a record, in their order. Those that are not known are undefined or missing at the end. */
const partsOf = (digest: string): (string | undefined)[] =>
  (digest.slice(DIGEST_CHARACTERS).match(new RegExp(`.{${PART_CHARACTERS}}`, 'g')) ?? []).map((part) =>
    part === UNKNOWN_PART ? undefined : part,
  );

/** True if two digests are of the same record. Those of earlier versions have no parts. */
export const isSameDigest = (one: string | undefined, other: string | undefined): boolean =>
  one?.slice(0, DIGEST_CHARACTERS) === other?.slice(0, DIGEST_CHARACTERS);

/**
 * For each part of a record, whether it is another one.
 * @param ifUnknown the answer for each part that the known digest does not have, because it is of an earlier version
 */
export function otherParts(known: string, digest: string, ifUnknown: readonly boolean[] = []): boolean[] {
  const former = partsOf(known);
  return partsOf(digest).map((part, index) =>
    former[index] === undefined ? (ifUnknown[index] ?? true) : part !== former[index],
  );
}

/** In place of the digest of all values, if only the parts are known. No record has it, so the row is merged. */
const UNKNOWN_VALUES = 'f'.repeat(DIGEST_CHARACTERS);

/**
 * The digest that is known of a record that a killed round was about to change, and that is not as the round would have left it:
 * somebody here has changed it since, or the round has not. The parts that are as the round would have written them were not changed
 * here. Whether it has written the values that belong to no part is not known.
 * @param known the digest from before the round
 * @param change what the round would have written, and the digest of its row
 * @returns the known one if nobody has changed the record
 */
export function withAppliedParts(
  known: string,
  change: { after: string; digest: string },
  stored: string,
): string {
  if (isSameDigest(known, stored) || partsOf(stored).length === 0) {
    return known;
  }
  const [former, wanted] = [partsOf(known), partsOf(change.digest)];
  const parts = otherParts(change.after, stored).map(
    (isOther, part) => (isOther ? former[part] : wanted[part]) ?? UNKNOWN_PART,
  );
  return UNKNOWN_VALUES + parts.join('');
}
