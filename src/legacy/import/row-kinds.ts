import type { mongo } from 'mongoose';
import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import type { Models } from '../../stores/models.ts';
import { ACCOUNT_RECORD } from '../records/account-record.ts';
import type { RecordKind } from '../records/legacy-record.ts';
import { PROFILE_RECORD } from '../records/profile-record.ts';
import { TOKEN_RECORD } from '../records/token-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** How rows of one kind become records. */
export interface RowKind<T extends { _id: string }> {
  kind: Kind;
  records: RecordKind<T>;
  /** The id of the account of a row; undefined for an account. */
  accountOf(row: LegacyRow): string | null | undefined;
  /** What no two records may have in common besides their id. */
  uniqueKey(record: T): string | undefined;
  /** The collection, without Mongoose's conversion of each value. */
  collection(models: Models): mongo.Collection<T>;
}

const raw = <T extends object>(model: { collection: unknown }) => model.collection as mongo.Collection<T>;

export const ACCOUNT_ROWS: RowKind<StoredAccount> = {
  kind: 'accounts',
  records: ACCOUNT_RECORD,
  accountOf: () => undefined,
  uniqueKey: ({ emailKey }) => emailKey,
  collection: ({ accounts }) => raw(accounts),
};

export const PROFILE_ROWS: RowKind<DoctorProfile> = {
  kind: 'profiles',
  records: PROFILE_RECORD,
  accountOf: ({ key }) => key,
  uniqueKey: () => undefined,
  collection: ({ profiles }) => raw(profiles),
};

export const TOKEN_ROWS: RowKind<StoredAccessToken> = {
  kind: 'tokens',
  records: TOKEN_RECORD,
  accountOf: ({ values }) => values.tokenable_id,
  uniqueKey: () => undefined,
  collection: ({ tokens }) => raw(tokens),
};
