import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { StoredAccount } from '../../stores/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { ACCOUNTS } from './account-kind.ts';
import { PROFILES } from './profile-kind.ts';
import type { RecordKind } from './record-kind.ts';
import { TOKENS } from './token-kind.ts';

export type AnyRecord = StoredAccount | DoctorProfile | StoredAccessToken;

const BY_NAME: Readonly<Record<Kind, RecordKind<AnyRecord>>> = {
  accounts: ACCOUNTS,
  profiles: PROFILES,
  tokens: TOKENS,
};

/** A kind by its name, for code that treats all kinds alike. */
export const kindOf = (name: Kind): RecordKind<AnyRecord> => BY_NAME[name];
