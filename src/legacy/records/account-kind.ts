import { ROLES, type Role, type StoredAccount } from '../../models/account.model.ts';
import { emailKey } from '../../models/email-key.ts';
import { digestOfHash } from '../../models/imported-hash.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import {
  ADMIN,
  type Conversion,
  type Converted,
  digestOfValues,
  ERASED,
  isUsableId,
  partDigests,
  type RecordKind,
} from './legacy-record.ts';

const MAX_EMAIL_CHARACTERS = 255;
const DATE = /^\d{4}-\d\d-\d\d/;

/** The role that an account gets here; undefined if it is not taken. Nobody is a reviewer by the name of a legacy role. */
function roleOf({ values: { role } }: LegacyRow, { policy }: Pick<Conversion, 'policy'>): Role | undefined {
  if (role === ADMIN) {
    return policy.admins === 'reviewer' ? ROLES.REVIEWER : undefined;
  }
  return [ROLES.DOCTOR, ROLES.PATIENT].find((known) => known === role);
}

function digestOfAccount(account: StoredAccount): string {
  const { name, email, phone, dateOfBirth, role, createdAt, updatedAt } = account;
  const password = passwordOf(account);
  return (
    digestOfValues([name, email, phone, dateOfBirth, role, createdAt, updatedAt, password]) +
    partDigests([[email], [password]])
  );
}

/** The digest of an account's hash. An upgrade at a login is no change: it remembers the hash that it replaced. */
const passwordOf = ({ upgradedFrom, passwordHash }: StoredAccount): string =>
  upgradedFrom ?? digestOfHash(passwordHash);

/** People and operators change nothing here but the e-mail and the password. Each sets a later time of change. */
function merge(
  stored: StoredAccount,
  record: StoredAccount,
  [email, password]: readonly boolean[],
): StoredAccount {
  const isOther =
    (email && stored.email !== record.email) || (password && passwordOf(stored) !== passwordOf(record));
  const { passwordHash, upgradedFrom } = stored;
  const changedAt = Math.max(Number(stored.updatedAt ?? 0), Number(record.updatedAt ?? 0) + 1);
  return {
    ...record,
    ...(email && { email: stored.email, emailKey: emailKey(stored.email) }),
    ...(password && { passwordHash, ...(upgradedFrom !== undefined && { upgradedFrom }) }),
    // Later than there, so that everybody sees that it was changed here.
    ...(isOther && { updatedAt: new Date(changedAt) }),
  };
}

/** Why a row of accounts cannot be taken. */
function reasonAgainst(row: LegacyRow, conversion: Conversion): string | undefined {
  const { key, values } = row;
  const { name, email, role, deleted_at = null } = values;
  if (!isUsableId(key)) {
    return 'the id has another form than the gateway uses';
  }
  if (conversion.erased.has(key)) {
    return ERASED;
  }
  if (deleted_at !== null) {
    return 'it was deleted';
  }
  if (roleOf(row, conversion) === undefined) {
    return `the role is ${role === ADMIN ? ADMIN : 'neither doctor nor patient'}`;
  }
  if (!name || !email) {
    return 'the name or the e-mail is missing';
  }
  return email.length > MAX_EMAIL_CHARACTERS ? 'the e-mail is too long' : undefined;
}

/** Rows of accounts. The hash of the password is stored as it is: the gateway verifies what PHP has made. */
export const ACCOUNT_RECORD: RecordKind<StoredAccount> = {
  convert(row: LegacyRow, conversion: Conversion): Converted<StoredAccount> {
    const reason = reasonAgainst(row, conversion);
    if (reason !== undefined) {
      return { reason };
    }
    const { readTime } = conversion;
    const { name, email, phone, dob, password, created_at, updated_at } = row.values;
    const record: StoredAccount = {
      _id: row.key,
      name: name ?? '',
      email: email ?? '',
      emailKey: emailKey(email ?? ''),
      phone: phone || null,
      dateOfBirth: toDate(dob),
      role: roleOf(row, conversion) as Role,
      passwordHash: password ?? '',
      createdAt: readTime(created_at),
      updatedAt: readTime(updated_at),
      disabledAt: null,
    };
    return { record, digest: digestOfAccount(record) };
  },
  digestOf: digestOfAccount,
  merge,
};

/** A date of MySQL; null for its zero date. */
const toDate = (text: string | null | undefined): string | null =>
  text && DATE.test(text) && !text.startsWith('0000') ? text.slice(0, 10) : null;
