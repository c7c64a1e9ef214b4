import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { newId, type StoredAccount } from '../../stores/accounts/accounts.ts';
import { type DoctorProfile, notingReplaced } from '../../stores/doctors/doctors.ts';
import { emailKey } from '../../stores/email-key.ts';
import { digestOfHash } from '../../stores/imported-hash.ts';
import { isAboutAccount } from '../records/legacy-record.ts';
import { documentsOf } from '../records/profile-record.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { isWithoutEmail, returning } from './absence.ts';
import { asRead } from './removals.ts';

/** A change of one stored record that has no effect if the record was changed since it was read. */
export interface Change {
  filter: mongo.Filter<AnyRecord>;
  update: mongo.UpdateFilter<AnyRecord>;
}

/** How the records of a kind are changed. */
export interface KindRules<T> {
  /** Changes a stored record to another one. */
  change(stored: T, record: T): Change;
  /** True if the record needs {@link mend}, although its values are right. */
  isBroken(stored: T): boolean;
  mend(stored: T): Change;
  /** Changes what no digest has, such as a later use; undefined if it is right. */
  beside(stored: T, record: T): Change | undefined;
  /** True: the record of a row that cannot be taken any more stays. False: it is removed. */
  stays(stored: T, row: LegacyRow, reason: string): boolean;
}

const asChange = (filter: object, update: object): Change => ({ filter, update }) as Change;

const ACCOUNTS: KindRules<StoredAccount> = {
  change(stored, record) {
    const { _id, passwordHash, upgradedFrom: _from, disabledAt: _disabled, ...fields } = record;
    const isSamePassword =
      passwordHash === stored.passwordHash || stored.upgradedFrom === digestOfHash(passwordHash);
    const { set, unset } = returning(stored);
    const $unset = { ...unset, ...(!isSamePassword && { upgradedFrom: '' }) };
    const $set: mongo.Document = { ...fields, ...set, ...(!isSamePassword && { passwordHash }) };
    // Reset tokens from before a new password or e-mail are not valid any more.
    if (!isSamePassword || stored.email !== record.email) {
      $set['passwordChange.id'] = newId();
    }
    return asChange(asRead(stored), { $set, ...(Object.keys($unset).length > 0 && { $unset }) });
  },
  isBroken: isWithoutEmail,
  mend(stored) {
    const { set, unset } = returning(stored);
    const $set = { emailKey: emailKey(stored.email), ...set };
    return asChange(asRead(stored), { $set, ...(stored.legacyAbsence && { $unset: unset }) });
  },
  beside: () => undefined,
  stays: () => true,
};

const PROFILES: KindRules<DoctorProfile> = {
  change(stored, { _id, verification: _, ...fields }) {
    // A decision here stays. A reviewer who looks at the former documents must not decide about the new ones.
    const isSame = isDeepStrictEqual(documentsOf(stored), documentsOf(fields as DoctorProfile));
    const set = isSame ? fields : { ...fields, ...notingReplaced(stored, fields as DoctorProfile) };
    const update = { $set: set, ...(!isSame && { $inc: { revision: 1 } }) };
    return asChange({ _id: stored._id, ...documentsOf(stored), removal: null }, update);
  },
  isBroken: () => false,
  mend: ({ _id }) => asChange({ _id }, {}),
  beside({ _id, createdAt: former }, { createdAt }) {
    return isDeepStrictEqual(former, createdAt) ? undefined : asChange({ _id }, { $set: { createdAt } });
  },
  stays: () => true,
};

const TOKENS: KindRules<StoredAccessToken> = {
  change(stored, { _id, lastUsedAt, idleExpiresAt: _, ...fields }) {
    return asChange({ _id: stored._id }, { $set: fields, ...(lastUsedAt && { $max: { lastUsedAt } }) });
  },
  isBroken: () => false,
  mend: ({ _id }) => asChange({ _id }, {}),
  beside(stored, { lastUsedAt }) {
    const isLater = lastUsedAt !== null && (stored.lastUsedAt === null || stored.lastUsedAt < lastUsedAt);
    return isLater ? asChange({ _id: stored._id }, { $max: { lastUsedAt } }) : undefined;
  },
  // While its account is absent, it is not valid. Of another account, it is another token.
  stays: (stored, { values }, reason) => isAboutAccount(reason) && values.tokenable_id === stored.accountId,
};

const RULES = { accounts: ACCOUNTS, profiles: PROFILES, tokens: TOKENS };

/** The rules of a kind, for code that treats all kinds alike. */
export const rulesOf = (kind: Kind): KindRules<AnyRecord> => RULES[kind] as unknown as KindRules<AnyRecord>;
