import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { digestOfHash } from '../../../src/stores/account-credentials.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { LEGACY_ACCOUNTS, MADE_BY_PHP } from '../support/legacy-people.ts';
import { addAccount, addFile, addProfile, addToken } from '../support/legacy-service.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, killAt, type Move, reasonsIn, snapshotOf, startMove } from '../support/move.ts';

const { patient, doctor, cost12, argon2id, argon2i, longPassword, admin, largeId, withoutDates } =
  LEGACY_ACCOUNTS;
const idOf = ({ id }: { id: number }) => String(id);

let move: Move;
beforeAll(async () => {
  move = await startMove();
  await move.query('ALTER TABLE accounts ADD deleted_at timestamp NULL');
  await move.import();
});
afterAll(() => move.stop());

const fileHere = (storedPath: string) => existsSync(path.join(move.app.storageDir, storedPath));

test('a sync without changes writes nothing', async () => {
  const before = await snapshotOf(move);
  expect(countsIn(await move.sync())).toEqual({});
  expect(await snapshotOf(move)).toEqual(before);
});

test('added accounts, profiles, files and tokens are taken, in the range of known rows and behind it', async () => {
  const added = { ...patient, id: 20, email: 'added@example.org', phone: '20' };
  const last = { ...doctor, id: 4_294_967_400, email: 'last@example.org', phone: '21' };
  await addAccount(move.query, added);
  await addAccount(move.query, last);
  const profile = await addProfile(move.query, move.legacy.filesDir, { id: 50, user_id: last.id });
  await addToken(move.query, {
    ...LEGACY_TOKENS.used,
    id: 50,
    accountId: added.id,
    plain: `50|${'p'.repeat(40)}`,
    hash: 'a'.repeat(64),
  });
  await addToken(move.query, {
    ...LEGACY_TOKENS.used,
    id: 500,
    accountId: last.id,
    plain: `50|${'p'.repeat(40)}`,
    hash: 'b'.repeat(64),
  });

  const result = await move.sync();

  expect(countsIn(result)).toEqual({ 'accounts added': 2, 'profiles added': 1, 'tokens added': 2 });
  expect(await move.accountHere(added)).toMatchObject({
    email: 'added@example.org',
    passwordHash: patient.hash,
  });
  expect(await move.tokenHere({ id: 50 })).toMatchObject({ accountId: '20', imported: true });
  expect(await move.tokenHere({ id: 500 })).toMatchObject({ accountId: idOf(last) });
  expect([profile.license_file_path, profile.diploma_file_path].map(fileHere)).toEqual([true, true]);
  expect(countsIn(await move.sync())).toEqual({});
});

test('changed rows are changed here, and former documents are removed', async () => {
  const license = `doctor_profiles/licenses/${'n'.repeat(40)}.pdf`;
  await addFile(move.legacy.filesDir, license);
  const { license_file_path: former } = move.legacy.profiles.doctor;
  await move.changeThere('accounts', cost12, { name: 'New', email: 'new@example.org', dob: null });
  await move.changeThere('doctor_profiles', doctor, {
    license_file_path: license,
    specialization: 'Surgery',
  });
  await move.changeThere('personal_access_tokens', LEGACY_TOKENS.createOnly, { abilities: '["read"]' });

  const result = await move.sync();

  expect(countsIn(result)).toEqual({ 'accounts changed': 1, 'profiles changed': 1, 'tokens changed': 1 });
  expect(await move.accountHere(cost12)).toMatchObject({
    name: 'New',
    emailKey: 'new@example.org',
    dateOfBirth: null,
  });
  expect(await move.tokenHere(LEGACY_TOKENS.createOnly)).toMatchObject({ abilities: ['read'] });
  expect(await move.profileHere(doctor)).toMatchObject({
    specialization: 'Surgery',
    licenseFilePath: license,
  });
  expect([license, former].map(fileHere)).toEqual([true, false]);
});

test('a token that was revoked there is revoked here', async () => {
  await move.query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.crc32.id]);
  expect(countsIn(await move.sync())).toEqual({ 'tokens removed': 1 });
  expect(await move.tokenHere(LEGACY_TOKENS.crc32)).toBeNull();
});

test('a token that was revoked here and used there stays revoked', async () => {
  await restApi(move.app.url).logout(`Bearer ${LEGACY_TOKENS.unchecked.plain}`);
  await move.changeThere('personal_access_tokens', LEGACY_TOKENS.unchecked, { last_used_at: new Date() });
  const result = await move.sync();
  expect([countsIn(result), result.found]).toEqual([{}, []]);
  expect(await move.tokenHere(LEGACY_TOKENS.unchecked)).toBeNull();
  // Also if its row is deleted there, and returns, as from a dump.
  const [row] = await move.query('SELECT * FROM personal_access_tokens WHERE id = ?', [
    LEGACY_TOKENS.unchecked.id,
  ]);
  await move.query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.unchecked.id]);
  await move.sync();
  await move.query('INSERT INTO personal_access_tokens SET ?', [row]);
  expect([countsIn(await move.sync()), await move.tokenHere(LEGACY_TOKENS.unchecked)]).toEqual([{}, null]);
});

test('the later last use counts', async () => {
  const { oldest, prefixed } = LEGACY_TOKENS;
  for (const token of [oldest, prefixed]) {
    await move.changeThere('personal_access_tokens', token, { last_used_at: '2024-05-05 05:05:05' });
  }
  const later = new Date('2025-01-01T00:00:00Z');
  await move.app.database.tokens.updateOne({ _id: idOf(prefixed) }, { $set: { lastUsedAt: later } });
  expect(countsIn(await move.sync())).toEqual({});
  expect(await move.tokenHere(oldest)).toMatchObject({ lastUsedAt: new Date('2024-05-05T05:05:05Z') });
  expect(await move.tokenHere(prefixed)).toMatchObject({ lastUsedAt: later });
});

test('an account that was deleted there is closed with all that belongs to it, and returns with its row', async () => {
  const owner = move.legacy.profiles.doctorWithoutCertification;
  const { doctorWithoutCertification: account } = LEGACY_ACCOUNTS;
  const { profiles } = move.app.database;
  const credentials = { email: account.email, password: account.password };
  const api = restApi(move.app.url);
  const { token: issued = '' } = authenticated(await api.login(credentials));
  await move.admin('doctors', 'reject', '--account', idOf(account), '--reason', 'Unreadable.');
  const [row] = await move.query('SELECT * FROM accounts WHERE id = ?', [owner.user_id]);
  const [profile] = await move.query('SELECT * FROM doctor_profiles WHERE user_id = ?', [owner.user_id]);
  await move.query('DELETE FROM accounts WHERE id = ?', [owner.user_id]);

  expect(countsIn(await move.sync())).toEqual({ 'accounts gone': 1 });

  expect(await api.login(credentials)).toMatchObject({ ok: false, kind: 'credentials' });
  expect(await accountOf(move.app.url, issued)).toBeUndefined();
  expect(await move.accountHere(account)).toMatchObject({
    email: account.email,
    legacyAbsence: { disabledAt: null },
  });
  expect(fileHere(owner.license_file_path)).toBe(true);
  expect(countsIn(await move.sync())).toEqual({});
  // Its e-mail is free.
  const newcomer = aPatient({ email: account.email });
  const { account: registered } = authenticated(await api.registerPatient(newcomer));
  await move.query('INSERT INTO accounts SET ?', [row]);
  await move.query('INSERT INTO doctor_profiles SET ?', [profile]);
  expect((await move.sync()).found).toEqual([`accounts ${account.id} conflict`]);
  expect((await move.verify()).code).toBe(1);

  await move.admin('accounts', 'set-email', '--account', registered.id, '--to', 'newcomer@example.org');
  expect(countsIn(await move.sync())).toEqual({ 'accounts returned': 1 });
  expect(authenticated(await api.login(credentials)).account.id).toBe(idOf(account));
  expect(await accountOf(move.app.url, issued)).toMatchObject({ id: idOf(account) });
  expect(await profiles.findOne({ _id: idOf(account) })).toMatchObject({
    verification: { status: 'rejected' },
  });
});

test('what was changed there in a token whose account was gone is taken when the account returns', async () => {
  const { _id, accountId } = (await move.app.database.tokens.findOne({ imported: true })) ?? {};
  const [row] = await move.query('SELECT role FROM accounts WHERE id = ?', [accountId]);
  const setRole = (role: unknown) =>
    move.query('UPDATE accounts SET role = ? WHERE id = ?', [role, accountId]);
  await setRole('admin');
  await move.query("UPDATE personal_access_tokens SET name = 'renamed' WHERE id = ?", [_id]);
  expect(countsIn(await move.sync())).toEqual({ 'accounts gone': 1 });
  expect(countsIn(await move.sync())).toEqual({});
  await setRole(row?.role);
  expect(countsIn(await move.sync())).toEqual({ 'accounts returned': 1, 'tokens changed': 1 });
  expect(await move.app.database.tokens.findOne({ _id: _id ?? '' })).toMatchObject({ name: 'renamed' });
});

test('what was decided here about an account stays while its row is soft-deleted and returns', async () => {
  const deleted = (value: string, { id }: { id: number }) =>
    move.query(`UPDATE accounts SET deleted_at = ${value} WHERE id = ?`, [id]);
  await move.admin('accounts', 'disable', '--account', idOf(cost12));
  await deleted('NOW()', cost12);
  await deleted('NOW()', argon2id);
  expect(countsIn(await move.sync())).toMatchObject({ 'accounts gone': 2 });
  // Only the row decides whether it returns.
  expect(await move.admin('accounts', 'enable', '--account', idOf(argon2id))).toMatchObject({ code: 1 });
  await move.admin('accounts', 'disable', '--account', idOf(argon2id));
  await deleted('NULL', cost12);
  await deleted('NULL', argon2id);
  expect(countsIn(await move.sync())).toEqual({ 'accounts returned': 2 });
  for (const account of [cost12, argon2id]) {
    expect(await move.accountHere(account)).toMatchObject({ disabledAt: expect.any(Date) });
    expect(await move.accountHere(account)).not.toHaveProperty('legacyAbsence');
    await move.admin('accounts', 'enable', '--account', idOf(account));
  }
});

test('what was changed here stays, what was changed there is taken, and a conflict is reported once', async () => {
  const { accounts } = move.app.database;
  await move.setEmail(argon2i, 'here@example.org');
  await move.setEmail(argon2id, 'chosen@example.org');
  await move.admin('accounts', 'erase', '--account', idOf(withoutDates), '--now', '--yes');
  await move.changeThere('accounts', argon2id, { name: 'There' });
  await move.changeThere('accounts', withoutDates, { name: 'There' });
  await move.changeThere('accounts', argon2i, { name: 'There', email: 'there@example.org' });

  const result = await move.sync();

  expect(result.found.toSorted()).toEqual([
    `accounts ${argon2i.id} conflict`,
    `accounts ${withoutDates.id} not taken`,
  ]);
  expect(reasonsIn(result)).toContainEqual(expect.stringMatching(/changed on both sides/));
  expect([await move.accountHere(argon2id), await move.accountHere(argon2i)]).toMatchObject([
    { name: 'There', email: 'chosen@example.org' },
    { name: 'There', email: 'here@example.org', emailKey: 'here@example.org' },
  ]);
  expect(await accounts.findOne({ _id: idOf(withoutDates) })).toBeNull();
  expect(await move.sync()).toMatchObject({ found: [] });
  expect((await move.verify()).code).toBe(0);
});

test('what people correct here stays, field by field, and what else changes there is taken', async () => {
  const corrected = { ...patient, id: 40, email: 'corrected@example.org', phone: '40' };
  const practising = { ...doctor, id: 41, email: 'practising@example.org', phone: '41' };
  const plainOf = (id: number) => `${id}|${String.fromCharCode(id - 500).repeat(40)}`;
  for (const [id, account] of [
    [610, corrected],
    [611, practising],
  ] as const) {
    await addAccount(move.query, account);
    const hash = createHash('sha256').update(plainOf(id).slice(4)).digest('hex');
    const token = { ...LEGACY_TOKENS.used, id, accountId: account.id, plain: plainOf(id), hash };
    await addToken(move.query, token);
  }
  await addProfile(move.query, move.legacy.filesDir, { id: 60, user_id: practising.id });
  await move.sync();
  const correct = async (id: number, fields: object) =>
    succeeded(await restApi(move.app.url).updateMyProfile({ ...fields }, `Bearer ${plainOf(id)}`));
  await correct(610, { name: 'Corrected Here', dateOfBirth: '1999-09-09' });
  await correct(611, { phone: '+1 here', practiceAddress: 'Here 1', licenseNumber: 'HERE-1' });
  expect(countsIn(await move.sync())).toEqual({});
  expect(await move.verify()).toMatchObject({ code: 0 });

  await move.changeThere('accounts', corrected, { phone: '+1 there', dob: '1998-08-08' });
  await move.changeThere('doctor_profiles', practising, {
    work_history: 'There since 1990.',
    license_number: 'THERE-1',
  });
  const result = await move.sync();

  expect(result.found.toSorted()).toEqual([
    `accounts ${corrected.id} conflict`,
    `profiles ${practising.id} conflict`,
  ]);
  expect(await move.accountHere(corrected)).toMatchObject({
    ...{ name: 'Corrected Here', dateOfBirth: '1999-09-09', phone: '+1 there' },
  });
  expect(await move.accountHere(practising)).toMatchObject({ phone: '+1 here' });
  expect(await move.profileHere(practising)).toMatchObject({
    ...{ practiceAddress: 'Here 1', licenseNumber: 'HERE-1', workHistory: 'There since 1990.' },
  });
  expect(await move.sync()).toMatchObject({ found: [] });
  expect(await move.verify()).toMatchObject({ code: 0 });
});

test('an upgrade of the hash is no change, and a new password there wins', async () => {
  const upgraded = { passwordHash: `$2b$12$${'x'.repeat(53)}`, upgradedFrom: digestOfHash(patient.hash) };
  for (const { id } of [patient, largeId]) {
    await move.app.database.accounts.updateOne({ _id: String(id) }, { $set: upgraded });
  }
  const password = MADE_BY_PHP.passwords[0]?.hash ?? '';
  await move.changeThere('accounts', patient, { name: 'Renamed' });
  await move.changeThere('accounts', largeId, { password });
  expect(countsIn(await move.sync())).toEqual({ 'accounts changed': 2 });
  expect(await move.accountHere(patient)).toMatchObject({ name: 'Renamed', ...upgraded });
  const changed = await move.accountHere(largeId);
  expect(changed).toMatchObject({ passwordHash: password });
  expect(changed).not.toHaveProperty('upgradedFrom');
});

test('a row that was not taken is tried again when it changes, with what belongs to it', async () => {
  await move.changeThere('accounts', admin, { role: 'patient' });
  expect(countsIn(await move.sync())).toEqual({ 'accounts added': 1, 'tokens added': 1 });
  expect(await move.tokenHere(LEGACY_TOKENS.admin)).toMatchObject({ accountId: idOf(admin) });
  await move.changeThere('accounts', admin, { role: 'admin' });
  const result = await move.sync();
  expect(result.found).toContain(`accounts ${admin.id} not taken`);
  expect(await move.accountHere(admin)).toMatchObject({ legacyAbsence: { disabledAt: null } });
  expect(await accountOf(move.app.url, LEGACY_TOKENS.admin.plain)).toBeUndefined();
});

test('e-mails that move from one account to another follow, and a taken e-mail is reported', async () => {
  const { email } = longPassword;
  const free = 'free@example.org';
  await move.changeThere('accounts', longPassword, { email: 'moved@example.org' });
  await move.changeThere('accounts', patient, { email });
  expect(countsIn(await move.sync())).toEqual({ 'accounts changed': 2 });
  expect(await move.accountHere(patient)).toMatchObject({ emailKey: email });

  await move.setEmail(argon2id, free);
  await move.changeThere('accounts', patient, { email: free });
  expect((await move.sync()).found).toEqual([`accounts ${patient.id} conflict`]);
  expect(await move.accountHere(patient)).toMatchObject({ emailKey: email });
  // It is tried again without another change there.
  await move.setEmail(argon2id, 'other@example.org');
  expect(await move.sync()).toMatchObject({ found: [] });
  expect(await move.accountHere(patient)).toMatchObject({ emailKey: free });
});

test('e-mails that a pair or a ring of accounts exchanges follow', async () => {
  const ring = [patient, cost12, longPassword];
  const [first = '', ...others] = await Promise.all(
    ring.map(async (one) => (await move.accountHere(one))?.email ?? ''),
  );
  await move.changeThere('accounts', patient, { email: 'exchange@example.org' });
  await move.changeThere('accounts', longPassword, { email: first });
  await move.changeThere('accounts', cost12, { email: others[1] });
  await move.changeThere('accounts', patient, { email: others[0] });
  const result = await move.sync();
  expect([countsIn(result), result.found]).toEqual([{ 'accounts changed': 3 }, []]);
  const emails = await Promise.all(ring.map(async (one) => (await move.accountHere(one))?.emailKey));
  expect(emails).toEqual([others[0], others[1], first].map((email) => email?.toLowerCase()));
});

test('an account that was not taken because of its e-mail is counted by verify, and tried again', async () => {
  const newcomer = aPatient();
  const { account } = authenticated(await restApi(move.app.url).registerPatient(newcomer));
  const added = { ...patient, id: 4_294_967_500, email: newcomer.email, phone: '22' };
  await addAccount(move.query, added);
  const token = { ...LEGACY_TOKENS.used, id: 600, accountId: added.id, hash: 'c'.repeat(64) };
  await addToken(move.query, token);
  expect((await move.sync()).found).toContain(`accounts ${added.id} not taken`);
  expect(await move.verify()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot log in here'),
  });
  await move.admin('accounts', 'set-email', '--account', account.id, '--to', 'moved.on@example.org');
  expect(countsIn(await move.sync())).toEqual({ 'accounts added': 1, 'tokens added': 1 });
  expect((await move.verify()).code).toBe(0);
});

test('a row that moves to another key is found: a renumbered token, and a profile of another account', async () => {
  const { doctor: former, doctorWithoutProfile } = LEGACY_ACCOUNTS;
  await move.changeThere('doctor_profiles', former, { user_id: doctorWithoutProfile.id });
  await move.changeThere('personal_access_tokens', LEGACY_TOKENS.expiring, { id: 111 });
  expect(countsIn(await move.sync())).toEqual({
    'profiles added': 1,
    'tokens added': 1,
    'tokens removed': 1,
  });
  expect(await move.tokenHere({ id: 111 })).toMatchObject({ secretHash: LEGACY_TOKENS.expiring.hash });
  expect(await move.tokenHere(LEGACY_TOKENS.expiring)).toBeNull();
  expect(countsIn(await move.sync())).toEqual({});
});

test('a sync that is killed at any moment ends in the same state when it runs again', async () => {
  await addLegacyRows(move.query, { accounts: 3_000, tokens: 4_000, doctorEvery: 0, firstId: 10_000 });
  await move.sync();
  await move.query('UPDATE accounts SET name = CONCAT(name, " changed") WHERE id >= 10000 AND id % 3 = 0');
  await move.query('DELETE FROM accounts WHERE id >= 10000 AND id % 7 = 0');
  await move.query('DELETE FROM personal_access_tokens WHERE id >= 10000 AND id % 5 = 0');
  const refused = await move.run('sync', '--files', move.legacy.filesDir);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('sync --accept-removals 800') });
  await addLegacyRows(move.query, { accounts: 2_500, tokens: 3_000, doctorEvery: 0, firstId: 30_000 });
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
  await move.sync('--accept-removals', '800');
  expect(countsIn(await move.sync())).toEqual({});
  const many = { _id: /^[1-3]\d{4}$/, legacyAbsence: { $exists: false } };
  const [there] = await move.query(
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
});
