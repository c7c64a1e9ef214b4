import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { jest } from '@jest/globals';
import { digestOfHash } from '../../../src/stores/account-credentials.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
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
  await query('ALTER TABLE accounts ADD deleted_at timestamp NULL');
  await move.done('import', '--files', move.legacy.filesDir, '--admins', 'skip', '--yes');
});
afterAll(() => move.stop());
jest.setTimeout(LONG_MILLIS);

const sync = (...words: string[]) => move.done('sync', '--files', move.legacy.filesDir, ...words);
const verify = () => move.run('verify', '--files', move.legacy.filesDir);
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
  await restApi(move.app.url).logout(`Bearer ${LEGACY_TOKENS.unchecked.plain}`);
  await query('UPDATE personal_access_tokens SET last_used_at = NOW() WHERE id = ?', [
    LEGACY_TOKENS.unchecked.id,
  ]);
  const result = await sync();
  expect([countsIn(result), result.found]).toEqual([{}, []]);
  expect(await tokenHere(LEGACY_TOKENS.unchecked)).toBeNull();
  // Also if its row is deleted there, and returns, as from a dump.
  const [row] = await query('SELECT * FROM personal_access_tokens WHERE id = ?', [
    LEGACY_TOKENS.unchecked.id,
  ]);
  await query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.unchecked.id]);
  await sync();
  await query('INSERT INTO personal_access_tokens SET ?', [row]);
  expect([countsIn(await sync()), await tokenHere(LEGACY_TOKENS.unchecked)]).toEqual([{}, null]);
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

test('an account that was deleted there is closed with all that belongs to it, and returns with its row', async () => {
  const owner = move.legacy.profiles.doctorWithoutCertification;
  const { doctorWithoutCertification: account } = LEGACY_ACCOUNTS;
  const { profiles } = move.app.database;
  const credentials = { email: account.email, password: account.password };
  const api = restApi(move.app.url);
  const { token: issued = '' } = authenticated(await api.login(credentials));
  await move.admin('doctors', 'reject', '--account', idOf(account), '--reason', 'Unreadable.');
  const [row] = await query('SELECT * FROM accounts WHERE id = ?', [owner.user_id]);
  const [profile] = await query('SELECT * FROM doctor_profiles WHERE user_id = ?', [owner.user_id]);
  await query('DELETE FROM accounts WHERE id = ?', [owner.user_id]);

  expect(countsIn(await sync())).toEqual({ 'accounts gone': 1 });

  expect(await api.login(credentials)).toMatchObject({ ok: false, kind: 'credentials' });
  expect(await accountOf(move.app.url, issued)).toBeUndefined();
  expect(await accountHere(account)).toMatchObject({
    email: account.email,
    legacyAbsence: { disabledAt: null },
  });
  expect(fileHere(owner.license_file_path)).toBe(true);
  expect(countsIn(await sync())).toEqual({});
  // Its e-mail is free.
  const newcomer = aPatient({ email: account.email });
  const { account: registered } = authenticated(await api.registerPatient(newcomer));
  await query('INSERT INTO accounts SET ?', [row]);
  await query('INSERT INTO doctor_profiles SET ?', [profile]);
  expect((await sync()).found).toEqual([`accounts ${account.id} conflict`]);
  expect((await verify()).code).toBe(1);

  await move.admin('accounts', 'set-email', '--account', registered.id, '--to', 'newcomer@example.org');
  expect(countsIn(await sync())).toEqual({ 'accounts returned': 1 });
  expect(authenticated(await api.login(credentials)).account.id).toBe(idOf(account));
  expect(await accountOf(move.app.url, issued)).toMatchObject({ id: idOf(account) });
  expect(await profiles.findOne({ _id: idOf(account) })).toMatchObject({
    verification: { status: 'rejected' },
  });
});

test('what was changed there in a token whose account was gone is taken when the account returns', async () => {
  const { _id, accountId } = (await move.app.database.tokens.findOne({ imported: true })) ?? {};
  const [row] = await query('SELECT role FROM accounts WHERE id = ?', [accountId]);
  const setRole = (role: unknown) => query('UPDATE accounts SET role = ? WHERE id = ?', [role, accountId]);
  await setRole('admin');
  await query("UPDATE personal_access_tokens SET name = 'renamed' WHERE id = ?", [_id]);
  expect(countsIn(await sync())).toEqual({ 'accounts gone': 1 });
  expect(countsIn(await sync())).toEqual({});
  await setRole(row?.role);
  expect(countsIn(await sync())).toEqual({ 'accounts returned': 1, 'tokens changed': 1 });
  expect(await move.app.database.tokens.findOne({ _id: _id ?? '' })).toMatchObject({ name: 'renamed' });
});

test('what was decided here about an account stays while its row is soft-deleted and returns', async () => {
  const deleted = (value: string, { id }: { id: number }) =>
    query(`UPDATE accounts SET deleted_at = ${value} WHERE id = ?`, [id]);
  await move.admin('accounts', 'disable', '--account', idOf(cost12));
  await deleted('NOW()', cost12);
  await deleted('NOW()', argon2id);
  expect(countsIn(await sync())).toMatchObject({ 'accounts gone': 2 });
  // Only the row decides whether it returns.
  expect(await move.admin('accounts', 'enable', '--account', idOf(argon2id))).toMatchObject({ code: 1 });
  await move.admin('accounts', 'disable', '--account', idOf(argon2id));
  await deleted('NULL', cost12);
  await deleted('NULL', argon2id);
  expect(countsIn(await sync())).toEqual({ 'accounts returned': 2 });
  for (const account of [cost12, argon2id]) {
    expect(await accountHere(account)).toMatchObject({ disabledAt: expect.any(Date) });
    expect(await accountHere(account)).not.toHaveProperty('legacyAbsence');
    await move.admin('accounts', 'enable', '--account', idOf(account));
  }
});

test('what was changed here stays, what was changed there is taken, and a conflict is reported once', async () => {
  const { accounts } = move.app.database;
  await move.admin('accounts', 'set-email', '--account', idOf(argon2i), '--to', 'here@example.org');
  await move.admin('accounts', 'set-email', '--account', idOf(argon2id), '--to', 'chosen@example.org');
  await move.admin('accounts', 'erase', '--account', idOf(withoutDates), '--now', '--yes');
  await query('UPDATE accounts SET name = ? WHERE id IN (?, ?)', ['There', argon2id.id, withoutDates.id]);
  await query('UPDATE accounts SET name = ?, email = ? WHERE id = ?', [
    'There',
    'there@example.org',
    argon2i.id,
  ]);

  const result = await sync();

  expect(result.found.toSorted()).toEqual([
    `accounts ${argon2i.id} conflict`,
    `accounts ${withoutDates.id} not taken`,
  ]);
  expect(await reportOf(result)).toMatch(/changed on both sides/);
  expect([await accountHere(argon2id), await accountHere(argon2i)]).toMatchObject([
    { name: 'There', email: 'chosen@example.org' },
    { name: 'There', email: 'here@example.org', emailKey: 'here@example.org' },
  ]);
  expect(await accounts.findOne({ _id: idOf(withoutDates) })).toBeNull();
  expect(await sync()).toMatchObject({ found: [] });
  expect((await verify()).code).toBe(0);
});

test('what people correct here stays, field by field, and what else changes there is taken', async () => {
  const corrected = { ...patient, id: 40, email: 'corrected@example.org', phone: '40' };
  const practising = { ...doctor, id: 41, email: 'practising@example.org', phone: '41' };
  const plainOf = (id: number) => `${id}|${String.fromCharCode(id - 500).repeat(40)}`;
  for (const [id, account] of [
    [610, corrected],
    [611, practising],
  ] as const) {
    await addAccount(query, account);
    const hash = createHash('sha256').update(plainOf(id).slice(4)).digest('hex');
    const token = { ...LEGACY_TOKENS.used, id, accountId: account.id, plain: plainOf(id), hash };
    await addToken(query, token);
  }
  await addProfile(query, move.legacy.filesDir, { id: 60, user_id: practising.id });
  await sync();
  const correct = async (id: number, fields: object) =>
    succeeded(await restApi(move.app.url).updateMyProfile({ ...fields }, `Bearer ${plainOf(id)}`));
  await correct(610, { name: 'Corrected Here', dateOfBirth: '1999-09-09' });
  await correct(611, { phone: '+1 here', practiceAddress: 'Here 1', licenseNumber: 'HERE-1' });
  expect(countsIn(await sync())).toEqual({});
  expect(await verify()).toMatchObject({ code: 0 });

  await query('UPDATE accounts SET phone = ?, dob = ? WHERE id = ?', [
    '+1 there',
    '1998-08-08',
    corrected.id,
  ]);
  await query('UPDATE doctor_profiles SET work_history = ?, license_number = ? WHERE user_id = ?', [
    'There since 1990.',
    'THERE-1',
    practising.id,
  ]);
  const result = await sync();

  expect(result.found.toSorted()).toEqual([
    `accounts ${corrected.id} conflict`,
    `profiles ${practising.id} conflict`,
  ]);
  expect(await accountHere(corrected)).toMatchObject({
    ...{ name: 'Corrected Here', dateOfBirth: '1999-09-09', phone: '+1 there' },
  });
  expect(await accountHere(practising)).toMatchObject({ phone: '+1 here' });
  expect(await move.app.database.profiles.findOne({ _id: idOf(practising) })).toMatchObject({
    ...{ practiceAddress: 'Here 1', licenseNumber: 'HERE-1', workHistory: 'There since 1990.' },
  });
  expect(await sync()).toMatchObject({ found: [] });
  expect(await verify()).toMatchObject({ code: 0 });
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
  expect(await accountHere(admin)).toMatchObject({ legacyAbsence: { disabledAt: null } });
  expect(await accountOf(move.app.url, LEGACY_TOKENS.admin.plain)).toBeUndefined();
});

test('e-mails that move from one account to another follow, and a taken e-mail is reported', async () => {
  const { email } = longPassword;
  const free = 'free@example.org';
  const change = 'UPDATE accounts SET email = ? WHERE id = ?';
  await query(change, ['moved@example.org', longPassword.id]);
  await query(change, [email, patient.id]);
  expect(countsIn(await sync())).toEqual({ 'accounts changed': 2 });
  expect(await accountHere(patient)).toMatchObject({ emailKey: email });

  await move.admin('accounts', 'set-email', '--account', idOf(argon2id), '--to', free);
  await query(change, [free, patient.id]);
  expect((await sync()).found).toEqual([`accounts ${patient.id} conflict`]);
  expect(await accountHere(patient)).toMatchObject({ emailKey: email });
  // It is tried again without another change there.
  await move.admin('accounts', 'set-email', '--account', idOf(argon2id), '--to', 'other@example.org');
  expect(await sync()).toMatchObject({ found: [] });
  expect(await accountHere(patient)).toMatchObject({ emailKey: free });
});

test('e-mails that a pair or a ring of accounts exchanges follow', async () => {
  const ring = [patient, cost12, longPassword];
  const [first = '', ...others] = await Promise.all(
    ring.map(async (one) => (await accountHere(one))?.email ?? ''),
  );
  const change = 'UPDATE accounts SET email = ? WHERE id = ?';
  await query(change, ['exchange@example.org', patient.id]);
  await query(change, [first, longPassword.id]);
  await query(change, [others[1], cost12.id]);
  await query(change, [others[0], patient.id]);
  const result = await sync();
  expect([countsIn(result), result.found]).toEqual([{ 'accounts changed': 3 }, []]);
  const emails = await Promise.all(ring.map(async (one) => (await accountHere(one))?.emailKey));
  expect(emails).toEqual([others[0], others[1], first].map((email) => email?.toLowerCase()));
});

test('an account that was not taken because of its e-mail is counted by verify, and tried again', async () => {
  const newcomer = aPatient();
  const { account } = authenticated(await restApi(move.app.url).registerPatient(newcomer));
  const added = { ...patient, id: 4_294_967_500, email: newcomer.email, phone: '22' };
  await addAccount(query, added);
  const token = { ...LEGACY_TOKENS.used, id: 600, accountId: added.id, hash: 'c'.repeat(64) };
  await addToken(query, token);
  expect((await sync()).found).toContain(`accounts ${added.id} not taken`);
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot log in here') });
  await move.admin('accounts', 'set-email', '--account', account.id, '--to', 'moved.on@example.org');
  expect(countsIn(await sync())).toEqual({ 'accounts added': 1, 'tokens added': 1 });
  expect((await verify()).code).toBe(0);
});

test('a row that moves to another key is found: a renumbered token, and a profile of another account', async () => {
  const { doctor: former, doctorWithoutProfile } = LEGACY_ACCOUNTS;
  await query('UPDATE doctor_profiles SET user_id = ? WHERE user_id = ?', [
    doctorWithoutProfile.id,
    former.id,
  ]);
  await query('UPDATE personal_access_tokens SET id = 111 WHERE id = ?', [LEGACY_TOKENS.expiring.id]);
  expect(countsIn(await sync())).toEqual({ 'profiles added': 1, 'tokens added': 1, 'tokens removed': 1 });
  expect(await tokenHere({ id: 111 })).toMatchObject({ secretHash: LEGACY_TOKENS.expiring.hash });
  expect(await tokenHere(LEGACY_TOKENS.expiring)).toBeNull();
  expect(countsIn(await sync())).toEqual({});
});

test(
  'a sync that is killed at any moment ends in the same state when it runs again',
  async () => {
    await addLegacyRows(query, { accounts: 3_000, tokens: 4_000, doctorEvery: 0, firstId: 10_000 });
    await sync();
    await query('UPDATE accounts SET name = CONCAT(name, " changed") WHERE id >= 10000 AND id % 3 = 0');
    await query('DELETE FROM accounts WHERE id >= 10000 AND id % 7 = 0');
    await query('DELETE FROM personal_access_tokens WHERE id >= 10000 AND id % 5 = 0');
    const refused = await move.run('sync', '--files', move.legacy.filesDir);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('sync --accept-removals 800') });
    await addLegacyRows(query, { accounts: 2_500, tokens: 3_000, doctorEvery: 0, firstId: 30_000 });
    const { accounts, tokens } = move.app.database;
    const firstTokens = await tokens.countDocuments();
    const moments = [
      async () => (await tokens.countDocuments()) < firstTokens,
      async () => (await accounts.countDocuments({ name: / changed$/ })) > 500,
      async () => (await accounts.countDocuments({ _id: /^3\d{4}$/ })) > 0,
    ];
    for (const moment of moments) {
      await killAt(move.start('sync', '--files', move.legacy.filesDir, '--accept-removals', '800'), moment);
    }
    await sync('--accept-removals', '800');
    expect(countsIn(await sync())).toEqual({});
    const many = { _id: /^[1-3]\d{4}$/, legacyAbsence: { $exists: false } };
    const [there] = await query(
      `SELECT COUNT(*) AS accounts, SUM(name LIKE '% changed') AS changed,
      (SELECT COUNT(*) FROM personal_access_tokens t WHERE id >= 10000) AS tokens
     FROM accounts WHERE id BETWEEN 10000 AND 99999`,
    );
    const here = {
      accounts: await accounts.countDocuments(many),
      changed: String(await accounts.countDocuments({ ...many, name: / changed$/ })),
      tokens: await tokens.countDocuments({ _id: /^[1-3]\d{4}$/ }),
    };
    expect(here).toEqual(there);
  },
  LONG_MILLIS,
);
