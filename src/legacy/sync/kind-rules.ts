import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import { newId, type StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
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
    const { _id, passwordHash, upgradedFrom, disabledAt: _disabled, ...fields } = record;
    const isSamePassword =
      passwordHash === stored.passwordHash || stored.upgradedFrom === digestOfHash(passwordHash);
    const { set, unset } = returning(stored);
    const password = { passwordHash, ...(upgradedFrom !== undefined && { upgradedFrom }) };
    const isForgotten = !isSamePassword && upgradedFrom === undefined;
    const $unset = { ...unset, ...(isForgotten && { upgradedFrom: '' }) };
    const $set: mongo.Document = { ...fields, ...set, ...(!isSamePassword && password) };
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
    const update = { $set: fields, ...(!isSame && { $inc: { revision: 1 } }) };
    return asChange({ _id: stored._id, ...documentsOf(stored) }, update);
  },
  isBroken: () => false,
  mend: ({ _id }) => asChange({ _id }, {}),
  beside({ _id, createdAt: former }, { createdAt }) {
    return isDeepStrictEqual(former, createdAt) ? undefined : asChange({ _id }, { $set: { createdAt } });
  },
  stays: () => true,
};

/**
 * True if a token was used there after its last use here. Then the end of its idle time is not that of its last use any more, and
 * the database would remove it too early.
 */
const isUsedLater = (stored: StoredAccessToken, lastUsedAt: Date | null): boolean =>
  lastUsedAt !== null && (stored.lastUsedAt === null || stored.lastUsedAt < lastUsedAt);

const TOKENS: KindRules<StoredAccessToken> = {
  change(stored, { _id, lastUsedAt, idleExpiresAt, ...fields }) {
    const $set = { ...fields, ...(isUsedLater(stored, lastUsedAt) && { idleExpiresAt }) };
    return asChange({ _id: stored._id }, { $set, ...(lastUsedAt && { $max: { lastUsedAt } }) });
  },
  isBroken: () => false,
  mend: ({ _id }) => asChange({ _id }, {}),
  beside(stored, { lastUsedAt, idleExpiresAt }) {
    const update = { $max: { lastUsedAt }, $set: { idleExpiresAt } };
    return isUsedLater(stored, lastUsedAt) ? asChange({ _id: stored._id }, update) : undefined;
  },
  // While its account is absent, it is not valid. Of another account, it is another token.
  stays: (stored, { values }, reason) => isAboutAccount(reason) && values.tokenable_id === stored.accountId,
};

const RULES = { accounts: ACCOUNTS, profiles: PROFILES, tokens: TOKENS };

/** The rules of a kind, for code that treats all kinds alike. */
export const rulesOf = (kind: Kind): KindRules<AnyRecord> => RULES[kind] as unknown as KindRules<AnyRecord>;
