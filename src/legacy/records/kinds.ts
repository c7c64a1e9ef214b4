import type { mongo } from 'mongoose';
import type { StoredAccessToken } from '../../models/access-token.model.ts';
import type { StoredAccount } from '../../models/account.model.ts';
import type { DoctorProfile } from '../../models/doctor-profile.model.ts';
import type { Models } from '../../models/models.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { ACCOUNT_RECORD } from './account-record.ts';
import type { RecordKind } from './legacy-record.ts';
import { PROFILE_RECORD } from './profile-record.ts';
import { TOKEN_RECORD } from './token-record.ts';

/** The stored records by their kind. */
export interface StoredRecords {
  accounts: StoredAccount;
  profiles: DoctorProfile;
  tokens: StoredAccessToken;
}
export type AnyRecord = StoredRecords[Kind];

const RECORDS: { readonly [kind in Kind]: RecordKind<StoredRecords[kind]> } = {
  accounts: ACCOUNT_RECORD,
  profiles: PROFILE_RECORD,
  tokens: TOKEN_RECORD,
};

/** The conversion of a kind, for code that treats all kinds alike. */
export const recordKindOf = (kind: Kind): RecordKind<AnyRecord> =>
  RECORDS[kind] as unknown as RecordKind<AnyRecord>;

/** The raw collection of a kind: Mongoose would cast and validate every record. */
export const collectionOf = <K extends Kind>(models: Models, kind: K): mongo.Collection<StoredRecords[K]> =>
  models[kind].collection as unknown as mongo.Collection<StoredRecords[K]>;

/** Finds stored records. The driver's types do not follow a kind that is a parameter. */
export const findRecords = <K extends Kind>(
  models: Models,
  kind: K,
  filter: object,
  options: mongo.FindOptions = {},
): Promise<StoredRecords[K][]> =>
  collectionOf(models, kind)
    .find(filter as mongo.Filter<StoredRecords[K]>, options)
    .toArray() as Promise<unknown> as Promise<StoredRecords[K][]>;

/** The stored records with these ids. */
export async function storedWithIds<K extends Kind>(
  models: Models,
  kind: K,
  ids: readonly string[],
): Promise<Map<string, StoredRecords[K]>> {
  if (ids.length === 0) {
    return new Map();
  }
  const found = await findRecords(models, kind, { _id: { $in: [...ids] } });
  return new Map(found.map((record) => [record._id, record]));
}
