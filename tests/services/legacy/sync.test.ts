import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StoredAccessToken } from '../../../src/models/access-token.model.ts';
import { digestOfHash } from '../../../src/models/imported-hash.ts';
import { LEGACY_ACCOUNTS, MADE_BY_PHP } from '../support/legacy-people.ts';
import { addAccount, addFile, addProfile, addToken } from '../support/legacy-service.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import type { Query } from '../support/mariadb.mjs';
import { countsIn, killAt, type Move, reportOf, snapshotOf, startMove } from '../support/move.ts';

const { patient, doctor, cost12, argon2id, argon2i, longPassword, admin, largeId, withoutDates } =
  LEGACY_ACCOUNTS;
const idOf = ({ id }: { id: number }) => String(id);

/** Each of its commands is a process of its own, and flushes the disk. */
const LONG_MILLIS = 600_000;

let move: Move;
beforeAll(async () => {
  move = await startMove();
  await move.done('import', '--files', move.legacy.filesDir, '--admins', 'skip', '--yes');
});
afterAll(() => move.stop());

const sync = () => move.done('sync', '--files', move.legacy.filesDir);
const query: Query = (sql, values) => move.legacy.database.query(sql, values);
const accountHere = (account: { id: number }) => move.app.database.accounts.findOne({ _id: idOf(account) });
const tokenHere = (token: { id: number }) => move.app.database.tokens.findOne({ _id: idOf(token) });
const fileHere = (storedPath: string) => existsSync(path.join(move.app.storageDir, storedPath));

test('a sync without changes writes nothing', async () => {
  const before = await snapshotOf(move);
  expect(countsIn(await sync())).toEqual({});
  expect(await snapshotOf(move)).toEqual(before);
});

test('added accounts, profiles, files and tokens are taken, in the range of known rows and behind it', async () => {
  const added = { ...patient, id: 20, email: 'added@example.org', phone: '20' };
  const last = { ...doctor, id: 4_294_967_400, email: 'last@example.org', phone: '21' };
  await addAccount(query, added);
  await addAccount(query, last);
  const profile = await addProfile(query, move.legacy.filesDir, { id: 50, user_id: last.id });
  await addToken(query, {
    ...LEGACY_TOKENS.used,
    id: 50,
    accountId: added.id,
    plain: `50|${'p'.repeat(40)}`,
    hash: 'a'.repeat(64),
  });
  await addToken(query, {
    ...LEGACY_TOKENS.used,
    id: 500,
    accountId: last.id,
    plain: `50|${'p'.repeat(40)}`,
    hash: 'b'.repeat(64),
  });

  const result = await sync();

  expect(countsIn(result)).toEqual({ 'accounts added': 2, 'profiles added': 1, 'tokens added': 2 });
  expect(await accountHere(added)).toMatchObject({ email: 'added@example.org', passwordHash: patient.hash });
  expect(await tokenHere({ id: 50 })).toMatchObject({ accountId: '20', imported: true });
  expect(await tokenHere({ id: 500 })).toMatchObject({ accountId: idOf(last) });
  expect([profile.license_file_path, profile.diploma_file_path].map(fileHere)).toEqual([true, true]);
  expect(countsIn(await sync())).toEqual({});
});

test('changed rows are changed here, and former documents are removed', async () => {
  const license = `doctor_profiles/licenses/${'n'.repeat(40)}.pdf`;
  await addFile(move.legacy.filesDir, license);
  const { license_file_path: former } = move.legacy.profiles.doctor;
  await query('UPDATE accounts SET name = ?, email = ?, dob = NULL WHERE id = ?', [
    'New',
    'new@example.org',
    cost12.id,
  ]);
  await query('UPDATE doctor_profiles SET license_file_path = ?, specialization = ? WHERE user_id = ?', [
    license,
    'Surgery',
    doctor.id,
  ]);
  await query('UPDATE personal_access_tokens SET abilities = ? WHERE id = ?', [
    '["read"]',
    LEGACY_TOKENS.createOnly.id,
  ]);

  const result = await sync();

  expect(countsIn(result)).toEqual({ 'accounts changed': 1, 'profiles changed': 1, 'tokens changed': 1 });
  expect(await accountHere(cost12)).toMatchObject({
    name: 'New',
    emailKey: 'new@example.org',
    dateOfBirth: null,
  });
  expect(await tokenHere(LEGACY_TOKENS.createOnly)).toMatchObject({ abilities: ['read'] });
  expect(await move.app.database.profiles.findOne({ _id: idOf(doctor) })).toMatchObject({
    specialization: 'Surgery',
    licenseFilePath: license,
  });
  expect([license, former].map(fileHere)).toEqual([true, false]);
});

test('a token that was revoked there is revoked here', async () => {
  await query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.crc32.id]);
  expect(countsIn(await sync())).toEqual({ 'tokens removed': 1 });
  expect(await tokenHere(LEGACY_TOKENS.crc32)).toBeNull();
});

test('a token that was revoked here and used there stays revoked', async () => {
  await move.app.database.tokens.deleteOne({ _id: idOf(LEGACY_TOKENS.unchecked) });
  await query('UPDATE personal_access_tokens SET last_used_at = NOW() WHERE id = ?', [
    LEGACY_TOKENS.unchecked.id,
  ]);
  const result = await sync();
  expect([countsIn(result), result.found]).toEqual([{}, []]);
  expect(await tokenHere(LEGACY_TOKENS.unchecked)).toBeNull();
});

test('the later last use counts', async () => {
  const { oldest, prefixed } = LEGACY_TOKENS;
  const used = 'UPDATE personal_access_tokens SET last_used_at = ? WHERE id = ?';
  await query(used, ['2024-05-05 05:05:05', oldest.id]);
  await query(used, ['2024-05-05 05:05:05', prefixed.id]);
  const later = new Date('2025-01-01T00:00:00Z');
  await move.app.database.tokens.updateOne({ _id: idOf(prefixed) }, { $set: { lastUsedAt: later } });
  expect(countsIn(await sync())).toEqual({});
  expect(await tokenHere(oldest)).toMatchObject({ lastUsedAt: new Date('2024-05-05T05:05:05Z') });
  expect(await tokenHere(prefixed)).toMatchObject({ lastUsedAt: later });
});

test('an account that was deleted there goes with all that belongs to it', async () => {
  const owner = move.legacy.profiles.doctorWithoutCertification;
  const { tokens } = move.app.database;
  const token = (await tokenHere(LEGACY_TOKENS.used)) as StoredAccessToken;
  await tokens.insertOne({ ...token, _id: 'fresh', accountId: String(owner.user_id) });
  await query('DELETE FROM accounts WHERE id = ?', [owner.user_id]);
  expect(countsIn(await sync())).toEqual({ 'accounts removed': 1 });
  expect(await accountHere({ id: owner.user_id })).toBeNull();
  expect(await move.app.database.profiles.findOne({ _id: String(owner.user_id) })).toBeNull();
  expect(await tokens.findOne({ _id: 'fresh' })).toBeNull();
  expect(fileHere(owner.license_file_path)).toBe(false);
});

test('what was changed on both sides stays as it is here, and is reported once', async () => {
  const { accounts } = move.app.database;
  await accounts.updateOne({ _id: idOf(argon2id) }, { $set: { name: 'Here' } });
  await accounts.updateOne({ _id: idOf(argon2i) }, { $set: { name: 'Here' } });
  await accounts.deleteOne({ _id: idOf(withoutDates) });
  await query('UPDATE accounts SET name = ? WHERE id IN (?, ?)', ['There', argon2id.id, withoutDates.id]);
  await query('DELETE FROM accounts WHERE id = ?', [argon2i.id]);

  const result = await sync();

  expect(result.found.toSorted()).toEqual(
    [argon2id, argon2i, withoutDates].map((one) => `accounts ${one.id} conflict`).toSorted(),
  );
  expect(await reportOf(result)).toMatch(/changed on both sides/);
  expect([await accountHere(argon2id), await accountHere(argon2i)]).toMatchObject([
    { name: 'Here' },
    { name: 'Here' },
  ]);
  expect(await accountHere(withoutDates)).toBeNull();
  expect((await sync()).found).toEqual([]);
});

test('an upgrade of the hash is no change, and a new password there wins', async () => {
  const upgraded = { passwordHash: `$2b$12$${'x'.repeat(53)}`, upgradedFrom: digestOfHash(patient.hash) };
  for (const { id } of [patient, largeId]) {
    await move.app.database.accounts.updateOne({ _id: String(id) }, { $set: upgraded });
  }
  const password = MADE_BY_PHP.passwords[0]?.hash ?? '';
  await query('UPDATE accounts SET name = ? WHERE id = ?', ['Renamed', patient.id]);
  await query('UPDATE accounts SET password = ? WHERE id = ?', [password, largeId.id]);
  expect(countsIn(await sync())).toEqual({ 'accounts changed': 2 });
  expect(await accountHere(patient)).toMatchObject({ name: 'Renamed', ...upgraded });
  const changed = await accountHere(largeId);
  expect(changed).toMatchObject({ passwordHash: password });
  expect(changed).not.toHaveProperty('upgradedFrom');
});

test('a row that was not taken is tried again when it changes, with what belongs to it', async () => {
  await query('UPDATE accounts SET role = ? WHERE id = ?', ['patient', admin.id]);
  expect(countsIn(await sync())).toEqual({ 'accounts added': 1, 'tokens added': 1 });
  expect(await tokenHere(LEGACY_TOKENS.admin)).toMatchObject({ accountId: idOf(admin) });
  await query('UPDATE accounts SET role = ? WHERE id = ?', ['admin', admin.id]);
  const result = await sync();
  expect(result.found).toContain(`accounts ${admin.id} not taken`);
  expect([await accountHere(admin), await tokenHere(LEGACY_TOKENS.admin)]).toEqual([null, null]);
});

test('e-mails that move from one account to another follow, and a taken e-mail is reported', async () => {
  const { email } = longPassword;
  const free = 'free@example.org';
  const change = 'UPDATE accounts SET email = ? WHERE id = ?';
  await query(change, ['moved@example.org', longPassword.id]);
  await query(change, [email, patient.id]);
  expect(countsIn(await sync())).toEqual({ 'accounts changed': 2 });
  expect(await accountHere(patient)).toMatchObject({ emailKey: email });

  await move.app.database.accounts.updateOne({ _id: idOf(argon2id) }, { $set: { emailKey: free } });
  await query(change, [free, patient.id]);
  expect((await sync()).found).toEqual([`accounts ${patient.id} conflict`]);
  expect(await accountHere(patient)).toMatchObject({ emailKey: email });
});

test(
  'a sync that is killed at any moment ends in the same state when it runs again',
  async () => {
    await addLegacyRows(query, { accounts: 3_000, tokens: 4_000, doctorEvery: 0, firstId: 10_000 });
    await sync();
    await query('UPDATE accounts SET name = CONCAT(name, " changed") WHERE id >= 10000 AND id % 3 = 0');
    await query('DELETE FROM accounts WHERE id >= 10000 AND id % 7 = 0');
    await query('DELETE FROM personal_access_tokens WHERE id >= 10000 AND id % 5 = 0');
    await addLegacyRows(query, { accounts: 2_500, tokens: 3_000, doctorEvery: 0, firstId: 30_000 });
    const { accounts, tokens } = move.app.database;
    const firstTokens = await tokens.countDocuments();
    const moments = [
      async () => (await tokens.countDocuments()) < firstTokens,
      async () => (await accounts.countDocuments({ name: / changed$/ })) > 500,
      async () => (await accounts.countDocuments({ _id: /^3\d{4}$/ })) > 0,
    ];
    for (const moment of moments) {
      await killAt(move.start('sync', '--files', move.legacy.filesDir), moment);
    }
    await sync();
    expect(countsIn(await sync())).toEqual({});
    const many = { _id: /^[1-3]\d{4}$/ };
    const [there] = await query(
      `SELECT COUNT(*) AS accounts, SUM(name LIKE '% changed') AS changed,
      (SELECT COUNT(*) FROM personal_access_tokens t WHERE id >= 10000 AND tokenable_id IN (SELECT id FROM accounts)) AS tokens
     FROM accounts WHERE id BETWEEN 10000 AND 99999`,
    );
    const here = {
      accounts: await accounts.countDocuments(many),
      changed: String(await accounts.countDocuments({ ...many, name: / changed$/ })),
      tokens: await tokens.countDocuments(many),
    };
    expect(here).toEqual(there);
  },
  LONG_MILLIS,
);
