import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import type { StoredAccessToken } from '../../models/access-token.model.ts';
import { newId, type StoredAccount } from '../../models/account.model.ts';
import type { DoctorDocumentPaths, DoctorProfile } from '../../models/doctor-profile.model.ts';
import { digestOfHash } from '../../models/imported-hash.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { asRead, removeAccount, removeProfile } from './removals.ts';

/** A change of one stored record that has no effect if the record was changed since it was read. */
export interface Change {
  filter: mongo.Filter<AnyRecord>;
  update: mongo.UpdateFilter<AnyRecord>;
}

/** How the records of a kind are changed and removed. */
export interface KindRules<T> {
  /** Changes a stored record to that of the legacy database. */
  change(stored: T, record: T): Change;
  /** The later last use counts; undefined if nothing is later. */
  laterUse?(stored: T, record: T): Change | undefined;
  /** @returns false if the record was changed since it was read, and so was not removed */
  remove(context: LegacyContext, stored: T): Promise<boolean>;
}

const documentsOf = (profile: DoctorDocumentPaths): DoctorDocumentPaths => ({
  licenseFilePath: profile.licenseFilePath,
  diplomaFilePath: profile.diplomaFilePath,
  certificationFilePath: profile.certificationFilePath,
});

const asChange = (filter: object, update: object): Change => ({ filter, update }) as Change;

const ACCOUNTS: KindRules<StoredAccount> = {
  change(stored, record) {
    const { _id, passwordHash, disabledAt: _, ...fields } = record;
    const isSamePassword = stored.upgradedFrom === digestOfHash(passwordHash);
    // Reset tokens from before a new password or e-mail are not valid any more.
    const isKept = isSamePassword || stored.passwordHash === passwordHash;
    const set =
      isKept && stored.email === record.email ? fields : { ...fields, 'passwordChange.id': newId() };
    const update = isSamePassword
      ? { $set: set }
      : { $set: { ...set, passwordHash }, $unset: { upgradedFrom: '' } };
    return asChange(asRead(stored), update);
  },
  remove: removeAccount,
};

const PROFILES: KindRules<DoctorProfile> = {
  change(stored, { _id, verification: _, ...fields }) {
    // A decision here stays. A reviewer who looks at the former documents must not decide about the new ones.
    const isSame = isDeepStrictEqual(documentsOf(stored), documentsOf(fields));
    const update = { $set: fields, ...(!isSame && { $inc: { revision: 1 } }) };
    return asChange({ _id: stored._id, ...documentsOf(stored) }, update);
  },
  async remove(context, stored) {
    await removeProfile(context, stored);
    return true;
  },
};

const TOKENS: KindRules<StoredAccessToken> = {
  change(stored, { _id, lastUsedAt, idleExpiresAt: _, ...fields }) {
    return asChange({ _id: stored._id }, { $set: fields, ...(lastUsedAt && { $max: { lastUsedAt } }) });
  },
  laterUse(stored, { lastUsedAt }) {
    const isLater = lastUsedAt !== null && (stored.lastUsedAt === null || stored.lastUsedAt < lastUsedAt);
    return isLater ? asChange({ _id: stored._id }, { $max: { lastUsedAt } }) : undefined;
  },
  async remove({ models }, { _id }) {
    await models.tokens.collection.deleteOne({ _id } as object);
    return true;
  },
};

const RULES = { accounts: ACCOUNTS, profiles: PROFILES, tokens: TOKENS };

/** The rules of a kind, for code that treats all kinds alike. */
export const rulesOf = (kind: Kind): KindRules<AnyRecord> => RULES[kind] as unknown as KindRules<AnyRecord>;
