import { GONE, NOT_TAKEN, WAITING } from '../../src/legacy/journal/batch.ts';
import { ACCOUNTS } from '../../src/legacy/records/account-kind.ts';
import {
  DEFAULT_POLICY,
  NO_ACCOUNT,
  otherParts,
  withAppliedParts,
} from '../../src/legacy/records/legacy-record.ts';
import { PROFILES } from '../../src/legacy/records/profile-kind.ts';
import { timeReader } from '../../src/legacy/source/legacy-time.ts';
import { decide } from '../../src/legacy/sync/plan-row.ts';
import { emailVerifiedAtOf, type StoredAccount } from '../../src/stores/accounts.ts';

const recorded = { key: '1', sum: '00000000', digest: 'old' };
const taken = (digest: string) => ({ record: {}, digest });
const refused = { reason: 'the role is admin' };

const notTaken = { ...recorded, digest: NOT_TAKEN };

test.each([
  ['a new row is inserted', undefined, taken('new'), undefined, 'insert'],
  ['a row that was not taken is tried again', notTaken, taken('new'), undefined, 'insert'],
  ['a row that changed there alone is changed here', recorded, taken('new'), 'old', 'update'],
  ['a row that was only used there is remembered', recorded, taken('old'), 'old', 'remember'],
  ['a row that was removed here and used there stays removed', recorded, taken('old'), undefined, 'remember'],
  ['a row that changed here and was used there stays', recorded, taken('old'), 'here', 'remember'],
  ['a row that is equal on both sides is remembered', recorded, taken('new'), 'new', 'remember'],
  ['a row that changed on both sides is merged', recorded, taken('new'), 'here', 'merge'],
  ['a row changed there and removed here is a conflict', recorded, taken('new'), undefined, 'conflict'],
  ['a row that cannot be taken any more is lost', recorded, refused, 'old', 'lose'],
  ['a row that cannot be taken any more and changed here is lost', recorded, refused, 'here', 'lose'],
  ['a row that cannot be taken and was removed here is refused', recorded, refused, undefined, 'refuse'],
  ['a new row that cannot be taken is refused', undefined, refused, undefined, 'refuse'],
] as const)('%s', (_name, known, converted, storedDigest, act) => {
  expect(decide({ recorded: known, converted, storedDigest })).toMatchObject({ act });
});

test.each([
  ['another name', { name: 'Ada B.' }, false],
  ['another e-mail', { email: 'other@example.org' }, true],
  ['another password', { passwordHash: '$2y$10$other' }, true],
])('a sync with %s ends the reset tokens of an account or not', (_what, fields, ends) => {
  const stored = { _id: '7', name: 'Ada', email: 'ada@example.org', passwordHash: '$2y$10$imported' };
  const own = { ...stored, language: 'de' };
  const changed = ACCOUNTS.changed(own as never, { ...stored, ...fields } as never);
  const { passwordChange, accessVersion } = changed;
  expect([passwordChange, accessVersion].map((id) => id !== undefined)).toEqual([ends, ends]);
  // No row has it.
  expect(changed.language).toBe('de');
});

/** What is known of a whole record that somebody has changed since, or of a part of it. */
const UNKNOWN = 'f';

test('of a digest of an earlier version, an account or a profile says itself what was corrected', () => {
  const here = { _id: '7', name: 'Here', email: 'ada@example.org', phone: '1', dateOfBirth: null };
  const stored = {
    ...here,
    passwordHash: '$2y$10$imported',
    corrected: { name: true },
    updatedAt: new Date(9),
  };
  const there = { ...stored, corrected: undefined, name: 'There', phone: '2', updatedAt: new Date(8) };
  const earlier = ACCOUNTS.digestOf(stored as never).slice(0, 32);
  const isKept = otherParts(
    earlier,
    ACCOUNTS.digestOf(stored as never),
    ACCOUNTS.changedParts(stored as never),
  );
  expect(isKept).toEqual([false, false, true, false, false]);
  const merged = ACCOUNTS.merged(stored as never, there as never, isKept);
  expect(merged).toMatchObject({ name: 'Here', phone: '2', updatedAt: new Date(9) });

  const profile = { licenseNumber: 'HERE', workHistory: 'Here', licenseFilePath: 'a', diplomaFilePath: 'b' };
  const mine = { ...profile, corrected: { licenseNumber: true } } as never;
  const parts = otherParts(
    PROFILES.digestOf(mine).slice(0, 24),
    PROFILES.digestOf(mine),
    PROFILES.changedParts(mine),
  );
  const row = { ...profile, licenseNumber: 'THERE', workHistory: 'There' } as never;
  expect(PROFILES.merged(mine, row, parts)).toMatchObject({ licenseNumber: 'HERE', workHistory: 'There' });
});

test('a part that a killed sync of this version cannot know does not take the place of another one', () => {
  const [e, p, a, b] = ['e', 'p', 'a', 'b'].map((part) => part.repeat(8)) as [string, string, string, string];
  const written = 'B'.repeat(16) + e + p + a + b;
  const stored = 'C'.repeat(16) + e + p + 'x'.repeat(8) + b;
  const known = withAppliedParts(
    'A'.repeat(16) + 'o'.repeat(8) + p,
    { after: written, digest: written },
    stored,
  );
  expect(known).toBe(UNKNOWN.repeat(16) + e + p + UNKNOWN.repeat(8) + b);
  expect(otherParts(known, stored, [true, true, false, true])).toEqual([false, false, false, false]);
  expect(otherParts(known, stored, [true, true, true, true])).toEqual([false, false, true, false]);
});

/** A row of accounts, as the legacy database has it. */
const rowWith = (email_verified_at?: string | null, email = 'ada@example.org') => ({
  ...{ key: '7', sum: '00000000', hasAccount: true, accountRole: null },
  values: {
    ...{ name: 'Ada', email, role: 'patient', password: '$2y$10$imported', dob: '1984-02-29', phone: '1' },
    ...{ created_at: '2024-02-29 12:00:00', updated_at: null, email_verified_at: email_verified_at ?? null },
  },
});
const accountOf = (...row: Parameters<typeof rowWith>) => {
  const conversion = {
    readTime: timeReader('UTC'),
    now: new Date(),
    policy: DEFAULT_POLICY,
    erased: new Set<string>(),
  };
  const { record, digest } = ACCOUNTS.convert(rowWith(...row), conversion);
  return { record: record as StoredAccount, digest };
};

test('an account without a proof has the digest that earlier versions remember, and a proof is another one', () => {
  // The parts that follow may become more with a version.
  const known = 'ef9c44d99b52da6f';
  const wholeOf = (text: string | null) => accountOf(text).digest?.slice(0, known.length);
  const without = ['0000-00-00 00:00:00', '2024-00-00 00:00:00', '1969-12-31 23:00:00', 'now', '', null];
  expect(without.map(wholeOf)).toEqual(without.map(() => known));
  const proven = ['2024-03-01 00:00:00', '2024-03-01 00:00:01'].map(wholeOf);
  expect(new Set([known, ...proven]).size).toBe(3);
});

test.each([
  ['a later one there', '2024-01-01', '2024-03-01', undefined, '2024-03-01'],
  ['an earlier one there', '2024-03-01', '2024-01-01', undefined, '2024-03-01'],
  ['none there', '2024-03-01', null, undefined, '2024-03-01'],
  ['none here', null, '2024-03-01', undefined, '2024-03-01'],
  ['the time of the former e-mail', '2024-03-01', '2024-03-01', 'new@example.org', undefined],
  ['a later time of another e-mail', '2024-01-01', '2024-03-01', 'new@example.org', '2024-03-01'],
  ['the same e-mail in capitals', '2024-03-01', null, 'ADA@example.org', '2024-03-01'],
])('of proofs, a sync with %s keeps or takes the right one', (_what, here, there, email, proven) => {
  const at = (day: string | null) => day && `${day} 00:00:00`;
  const changed = ACCOUNTS.changed(accountOf(at(here)).record, accountOf(at(there), email).record);
  expect(emailVerifiedAtOf(changed)?.toISOString().slice(0, 10)).toBe(proven);
});

test('what was removed here is remembered, whatever its row becomes there', () => {
  const gone = { ...recorded, sum: GONE };
  expect(decide({ recorded: gone, converted: taken('old'), storedDigest: undefined })).toEqual({
    act: 'remember',
    digest: 'old',
  });
  expect(decide({ recorded: gone, converted: refused, storedDigest: undefined })).toMatchObject({
    digest: 'old',
  });
});

test('a row that is not taken because of its account waits for it, any other for its own change', () => {
  const digestOf = (reason: string) =>
    decide({ recorded: undefined, converted: { reason }, storedDigest: undefined });
  expect(digestOf(NO_ACCOUNT)).toMatchObject({ act: 'refuse', digest: WAITING });
  expect(digestOf('it has expired')).toMatchObject({ act: 'refuse', digest: NOT_TAKEN });
});

/** A digest of an account, with its parts: the e-mail and the password. */
const digestWith = (whole: string, email: string, password: string) =>
  whole.repeat(16) + email.repeat(8) + password.repeat(8);

test.each([
  ['and a password was changed here since', digestWith('C', 'e', 'n'), digestWith(UNKNOWN, 'e', 'p')],
  ['and the e-mail was changed here since', digestWith('C', 'n', 'p'), digestWith(UNKNOWN, 'o', 'p')],
  ['and both were changed here since', digestWith('C', 'n', 'n'), digestWith(UNKNOWN, 'o', 'p')],
  ['and that was undone here', digestWith('A', 'o', 'p'), digestWith('A', 'o', 'p')],
])('of an e-mail that a killed sync has written, %s, it is known who wrote it', (_what, stored, known) => {
  const written = digestWith('B', 'e', 'p');
  const change = { after: written, digest: written };
  expect(withAppliedParts(digestWith('A', 'o', 'p'), change, stored)).toBe(known);
});

test('a digest of an earlier version has no parts, so each part counts as changed here', () => {
  const written = digestWith('B', 'e', 'p');
  const known = withAppliedParts(
    'A'.repeat(16),
    { after: written, digest: written },
    digestWith('C', 'n', 'p'),
  );
  expect(otherParts(known, digestWith('C', 'n', 'p'))).toEqual([true, false]);
});
