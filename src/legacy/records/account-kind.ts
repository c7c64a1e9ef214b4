import { digestOfHash, isSpelledAsOwn } from '../../stores/account-credentials.ts';
import { renewed } from '../../stores/account-endings.ts';
import type { EmailProof } from '../../stores/account-record.ts';
import {
  asReturned,
  emailVerifiedAtOf,
  ROLES,
  type Role,
  type StoredAccount,
} from '../../stores/accounts.ts';
import type { BulkRecords } from '../../stores/bulk-records.ts';
import { emailKey } from '../../stores/email-key.ts';
import type { Stores } from '../../stores/stores.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { ReadTime, WriteTime } from '../source/legacy-time.ts';
import {
  ADMIN,
  type ColumnValues,
  type Conversion,
  type Converted,
  digestOfValues,
  ERASED,
  isUsableId,
  partDigests,
  reasonAgainstTexts,
} from './legacy-record.ts';
import { RecordKind } from './record-kind.ts';

const MAX_EMAIL_CHARACTERS = 255;
const DATE = /^\d{4}-\d\d-\d\d/;

/** The role that an account gets here; undefined if it is not taken. Nobody is a reviewer by the name of a legacy role. */
function roleOf({ values: { role } }: LegacyRow, { policy }: Pick<Conversion, 'policy'>): Role | undefined {
  if (role === ADMIN) {
    return policy.admins === 'reviewer' ? ROLES.REVIEWER : undefined;
  }
  return [ROLES.DOCTOR, ROLES.PATIENT].find((known) => known === role);
}

/** What a person can correct here. Each is a part of the digest. */
const CORRECTED = ['name', 'phone', 'dateOfBirth'] as const;

/** The digest of an account's hash. An upgrade at a login is no change: it remembers the hash that it replaced. */
const passwordOf = ({ upgradedFrom, passwordHash }: StoredAccount): string =>
  upgradedFrom ?? digestOfHash(passwordHash);

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
  return email.length > MAX_EMAIL_CHARACTERS ? 'the e-mail is too long' : reasonAgainstTexts(row);
}

/** Rows of accounts. The hash of the password is stored as it is: the gateway verifies what PHP has made. */
class AccountKind extends RecordKind<StoredAccount> {
  readonly name = 'accounts';
  override readonly counter = 'accounts';
  protected readonly ownFields = new Set(['disabledAt', 'upgradedFrom']);

  stored({ accounts }: Pick<Stores, 'accounts'>): BulkRecords<StoredAccount> {
    return accounts.bulk;
  }

  convert(row: LegacyRow, conversion: Conversion): Converted<StoredAccount> {
    const reason = reasonAgainst(row, conversion);
    const role = roleOf(row, conversion);
    if (reason !== undefined || role === undefined) {
      return { reason: reason ?? '' };
    }
    const { readTime } = conversion;
    const { name, email, phone, dob, password, created_at, updated_at } = row.values;
    const emailProof = proofOf(row, readTime);
    const record: StoredAccount = {
      _id: row.key,
      name: name ?? '',
      email: email ?? '',
      emailKey: emailKey(email ?? ''),
      phone: phone || null,
      dateOfBirth: toDate(dob),
      role,
      passwordHash: password ?? '',
      // PHP does not make such hashes, but other programs may have. A login does not see that they are imported.
      ...(password && isSpelledAsOwn(password) && { upgradedFrom: digestOfHash(password) }),
      createdAt: readTime(created_at),
      updatedAt: readTime(updated_at),
      disabledAt: null,
      ...(emailProof && { emailProof }),
    };
    return { record, digest: this.digestOf(record) };
  }

  digestOf(account: StoredAccount): string {
    const { name, email, phone, dateOfBirth, role, createdAt, updatedAt } = account;
    const password = passwordOf(account);
    const provenSeconds = secondsOfProof(account);
    // An account without a proof keeps the digest that it has in moves of earlier versions.
    const proof = provenSeconds === 0 ? [] : [provenSeconds];
    return (
      digestOfValues([name, email, phone, dateOfBirth, role, createdAt, updatedAt, password, ...proof]) +
      partDigests([[email], [password], ...CORRECTED.map((field) => [account[field] ?? null])])
    );
  }

  override changedParts({ corrected }: StoredAccount): boolean[] {
    return [true, true, ...CORRECTED.map((field) => corrected?.[field] === true)];
  }

  accountOf(): undefined {
    return undefined;
  }

  accountIdOf({ _id }: StoredAccount): string {
    return _id;
  }

  override uniqueKey(account: StoredAccount): string {
    return account.emailKey;
  }

  override holdersOf(stores: Stores, emailKeys: readonly string[]): Promise<StoredAccount[]> {
    return this.stored(stores).byValues('emailKey', emailKeys);
  }

  override isMarked({ legacyAbsence }: StoredAccount): boolean {
    return legacyAbsence !== undefined;
  }

  override isBeingRemoved({ erasingSince }: StoredAccount): boolean {
    return Boolean(erasingSince);
  }

  changed(stored: StoredAccount, record: StoredAccount): StoredAccount {
    const { passwordHash: _hash, upgradedFrom: _from, disabledAt: _disabled, emailProof, ...fields } = record;
    const isSamePassword =
      record.passwordHash === stored.passwordHash ||
      stored.upgradedFrom === digestOfHash(record.passwordHash);
    const isSame = isSamePassword && stored.email === record.email;
    const changed = {
      ...withPassword({ ...asReturned(stored), ...fields }, isSamePassword ? stored : record),
      ...(emailProof && hasLaterProof(record, stored) && { emailProof }),
    };
    return isSame ? changed : renewed(changed, 'legacy password or e-mail');
  }

  /** People and operators change the e-mail, the password and what a person can correct. Each sets a later time of change. */
  override merged(
    stored: StoredAccount,
    record: StoredAccount,
    [email, password, ...others]: readonly boolean[],
  ): StoredAccount {
    const corrected = CORRECTED.filter((_, index) => others[index]);
    const isOther =
      (email && stored.email !== record.email) ||
      (password && passwordOf(stored) !== passwordOf(record)) ||
      corrected.some((field) => (stored[field] ?? null) !== (record[field] ?? null));
    const changedAt = Math.max(Number(stored.updatedAt ?? 0), Number(record.updatedAt ?? 0) + 1);
    return {
      ...withPassword(record, password ? stored : record),
      ...(email && { email: stored.email, emailKey: emailKey(stored.email) }),
      ...Object.fromEntries(corrected.map((field) => [field, stored[field] ?? null])),
      // Later than there, so that everybody sees that it was changed here.
      ...(isOther && { updatedAt: new Date(changedAt) }),
    };
  }

  /** An account that its e-mail does not find: it is marked, or a `sync` was killed while it exchanged e-mails. */
  override repaired(stored: StoredAccount): StoredAccount | undefined {
    const key = emailKey(stored.email);
    return this.isMarked(stored) || stored.emailKey !== key
      ? { ...asReturned(stored), emailKey: key }
      : undefined;
  }

  /** The owner or an operator sets a later time of change. */
  override wasChangedHere(stored: StoredAccount, record: StoredAccount): boolean {
    return Number(stored.updatedAt ?? 0) > Number(record.updatedAt ?? 0);
  }

  /** A new row has the hash, too: {@link newValuesOf}. */
  valuesOf(account: StoredAccount, writeTime: WriteTime, row?: LegacyRow): ColumnValues {
    const { password, email_verified_at: provenAt = null, ...others } = this.newValuesOf(account, writeTime);
    const { email, email_verified_at: provenThere } = row?.values ?? {};
    const isOtherEmail = row !== undefined && emailKey(email ?? '') !== emailKey(account.email);
    // Of one e-mail the later proof counts, also one that no sync has read. That of the former e-mail must not become the new one's.
    const isWritten = isOtherEmail || (provenAt !== null && provenAt > (provenThere ?? ''));
    const values = { ...others, ...(isWritten && { email_verified_at: provenAt }) };
    // The hash that a login here has replaced still fits, and is in the form that the legacy service is set to.
    return account.upgradedFrom === undefined ? { ...values, password: password ?? null } : values;
  }

  newValuesOf(account: StoredAccount, writeTime: WriteTime): ColumnValues {
    const { name, email, phone, dateOfBirth = null, role, passwordHash, createdAt, updatedAt } = account;
    return {
      name,
      email,
      phone,
      dob: dateOfBirth,
      role: role === ROLES.REVIEWER ? ADMIN : role,
      password: toPhpHash(passwordHash),
      created_at: writeTime(createdAt),
      updated_at: writeTime(updatedAt ?? createdAt),
      ...(secondsOfProof(account) > 0 && { email_verified_at: writeTime(account.emailProof?.at) }),
    };
  }

  protected override isSameField(field: string, stored: StoredAccount, record: StoredAccount): boolean {
    switch (field) {
      case 'emailKey':
        return stored.emailKey === emailKey(stored.email);
      case 'passwordHash':
        return stored.upgradedFrom === undefined
          ? toPhpHash(stored.passwordHash) === toPhpHash(record.passwordHash)
          : stored.upgradedFrom === digestOfHash(record.passwordHash);
      case 'emailProof':
        // A later proof here is no difference, and one of another e-mail says nothing about this one.
        return emailKey(stored.email) !== record.emailKey || !hasLaterProof(record, stored);
      default:
        return super.isSameField(field, stored, record);
    }
  }
}

export const ACCOUNTS = new AccountKind();

/** An account with the password of another state of it. Only the hash of an imported password may have been upgraded. */
function withPassword(
  { upgradedFrom: _former, ...account }: StoredAccount,
  { passwordHash, upgradedFrom }: StoredAccount,
): StoredAccount {
  return { ...account, passwordHash, ...(upgradedFrom !== undefined && { upgradedFrom }) };
}

/** The proof that a row has of its e-mail. A time at or before the epoch is none: {@link WriteTime}. */
function proofOf(
  { values: { email, email_verified_at } }: LegacyRow,
  readTime: ReadTime,
): EmailProof | undefined {
  const at = readTime(email_verified_at);
  return at && secondsOf(at) > 0 ? { emailKey: emailKey(email ?? ''), at } : undefined;
}

/** Whole seconds, as Laravel stores them: a proof that `back` has written is no other one. */
const secondsOf = (at: Date | null): number => Math.floor(Number(at) / 1_000);

/** When the present e-mail of an account was proven, in seconds since the epoch; 0 if it is not. A marked account has no key. */
const secondsOfProof = ({ email, emailProof }: StoredAccount): number =>
  emailProof ? secondsOf(emailVerifiedAtOf({ emailKey: emailKey(email), emailProof })) : 0;

/**
 * True if a row has a later proof than the account, of whatever e-mail that is: an application may leave the time as it is when it
 * changes the e-mail, and the proof is then that of the former one.
 */
function hasLaterProof(record: StoredAccount, { emailProof }: StoredAccount): boolean {
  const known = emailProof ? secondsOf(emailVerifiedAtOf({ ...emailProof, emailProof })) : 0;
  return secondsOfProof(record) > known;
}

/** True for an account that an operator or its owner has closed. The absence of its row closes no account on purpose. */
export function isDisabledHere({ disabledAt, legacyAbsence }: StoredAccount): boolean {
  return Boolean(legacyAbsence ? legacyAbsence.disabledAt : disabledAt);
}

/** PHP refuses the spelling `$2b$` of the same hash. */
export const toPhpHash = (hash: string): string => hash.replace(/^\$2b\$/, '$2y$');

/** A date of MySQL; null for its zero date. */
const toDate = (text: string | null | undefined): string | null =>
  text && DATE.test(text) && !text.startsWith('0000') ? text.slice(0, 10) : null;
