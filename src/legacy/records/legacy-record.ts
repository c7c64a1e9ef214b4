import { hash } from 'node:crypto';
import type { ImportPolicy } from '../policy.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { ReadTime } from '../source/legacy-time.ts';

/** What the conversion of a row needs besides the row. */
export interface Conversion {
  readTime: ReadTime;
  /** The time of the import. */
  now: Date;
  policy: ImportPolicy;
  /** The ids of the accounts that were erased here. */
  erased: ReadonlySet<string>;
}

/** A row as the gateway stores it, or the reason why it is not taken. The reason contains no value of the row. */
export type Converted<T> =
  | { record: T; digest: string; reason?: undefined }
  | { record?: undefined; reason: string };

/** A kind of rows, and how they are stored. */
export interface RecordKind<T extends { _id: string }> {
  /** Converts a row. The same row always gives the same record. */
  convert(row: LegacyRow, conversion: Conversion): Converted<T>;
  /** The digest of a stored record. It is that of the conversion until somebody changes the record here. */
  digestOf(stored: T): string;
}

/** 64 bits are enough to notice a change. They are no defence against a record that is made to have the same digest. */
export const DIGEST_CHARACTERS = 16;

/** A short digest of values, in hexadecimal digits. Null and undefined are the same. */
export const digestOfValues = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(values.map(withoutDate))).slice(0, DIGEST_CHARACTERS);

/** JSON's text of a date costs more than all the rest of a digest. */
const withoutDate = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/** Ids are part of tokens and of addresses. Numbers, UUIDs and ULIDs fit. */
const ID = /^[0-9A-Za-z_-]{1,64}$/;

/** True if the gateway can store a row under its key. */
export const isUsableId = (key: string): boolean => ID.test(key);

/** The reason against a profile or token whose account is not in the gateway. */
export const NO_ACCOUNT = 'its account was not taken';

/** The role of administrators in the legacy service. */
export const ADMIN = 'admin';

/**
 * The reason against a profile or token of an administrator. A reviewer has no profile, and a token that was issued for
 * another service gives no power over doctors here: reviewers log in.
 */
export const OF_ADMIN = 'its account is an administrator';

/** The reason against an account that was erased here. */
export const ERASED = 'it was erased here';
