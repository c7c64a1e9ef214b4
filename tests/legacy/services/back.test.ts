import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { authenticated } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addProfile, addToken } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, killAt, rowsThere, useMove } from '../support/move.ts';
import { phpPasswordVerify } from '../support/php.ts';

const { patient, cost12, argon2id, withoutDates } = LEGACY_ACCOUNTS;

const move = useMove({ ID_FORMAT: 'integer' });

test('new, changed and removed accounts and tokens are written, and PHP accepts the new hashes', async () => {
  const api = graphqlApi(move.app.url);
  const doctor = aDoctor({ phone: '+1 555 7777', licenseNumber: 'MD-777' });
  const registered = await api.registerDoctor(doctor);
  const withoutPhone = await api.registerPatient(aPatient());
  const { accounts, profiles, tokens } = move.app.database;
  await accounts.updateOne(
    { _id: String(cost12.id) },
    { $set: { name: 'Here', passwordHash: patient.hash.replace('$2y$', '$2b$') } },
  );
  await move.admin('accounts', 'erase', '--account', String(withoutDates.id), '--now', '--yes');
  await move.admin('accounts', 'disable', '--account', String(argon2id.id));
  await restApi(move.app.url).logout(`Bearer ${LEGACY_TOKENS.oldest.plain}`);
  const account = await accounts.findOne({ email: doctor.email });
  const profile = await profiles.findOne({ _id: account?._id ?? '' });
  const token = await tokens.findOne({ accountId: account?._id ?? '' });
  expect([registered, withoutPhone]).toMatchObject([{ ok: true }, { ok: true }]);
  const before = await rowsThere(move);

  const dryRun = await move.back('--dry-run');
  expect(await rowsThere(move)).toEqual(before);

  const result = await move.back();
  expect([result.code, result.stderr]).toEqual([
    1,
    expect.stringContaining('1 account could not be written'),
  ]);
  expect([dryRun.code, countsIn(dryRun), dryRun.found]).toEqual([1, countsIn(result), result.found]);
  expect(countsIn(result)).toEqual({
    'accounts added': 1,
    'accounts changed': 1,
    'accounts removed': 1,
    'profiles added': 1,
    'tokens added': 1,
    'tokens removed': 2,
    'files copied': 3,
  });
  const there = await rowsThere(move);
  const row = there.accounts.find(({ email }) => email === doctor.email);
  expect(row).toMatchObject({ id: Number(account?._id), phone: doctor.phone, role: 'doctor' });
  expect(String(row?.password).startsWith('$2y$')).toBe(true);
  expect(await phpPasswordVerify(doctor.password, String(row?.password))).toBe(true);
  const changed = there.accounts.find(({ id }) => id === cost12.id);
  expect(changed).toMatchObject({ name: 'Here', password: patient.hash });
  expect(there.accounts.some(({ id }) => id === withoutDates.id)).toBe(false);
  expect(there.tokens.some(({ id }) => id === LEGACY_TOKENS.oldest.id)).toBe(false);
  expect(there.tokens.find(({ token: hash }) => hash === token?.secretHash)).toMatchObject({
    id: Number(token?._id),
    tokenable_id: row?.id,
    tokenable_type: LEGACY_TOKENS.crc32b.type,
    abilities: '["create","update","delete"]',
  });
  const profileThere = there.profiles.find(({ user_id }) => user_id === row?.id);
  expect(profileThere).toMatchObject({
    license_number: 'MD-777',
    license_file_path: `doctor_profiles/${profile?.licenseFilePath}`,
  });
  const file = path.join(move.legacy.filesDir, String(profileThere?.license_file_path));
  expect(
    existsSync(file) &&
      readFileSync(file).equals(readFileSync(path.join(move.app.storageDir, profile?.licenseFilePath ?? ''))),
  ).toBe(true);
  const outcomes = result.lines
    .filter(({ event }) => event === 'finding')
    .map(({ kind, reason }) => `${kind}: ${reason}`);
  expect(outcomes.toSorted()).toEqual([
    'accounts: it is disabled here; the legacy service lets its owner log in',
    'accounts: the legacy database does not take its value of phone (ER_BAD_NULL_ERROR)',
    'tokens: its account is not in the legacy database',
  ]);

  expect(countsIn(await move.back())).toEqual({});
  expect(await rowsThere(move)).toEqual(there);
  const synced = await move.sync();
  expect([countsIn(synced), synced.found]).toEqual([{}, []]);
  expect((await move.verify()).code).toBe(0);
});

test('an exchange of e-mails and a chain that were made here are written in one run', async () => {
  const ring = [patient, cost12, argon2id];
  const { accounts } = move.app.database;
  await move.setEmail(patient, 'away@example.org');
  await move.setEmail(argon2id, patient.email);
  await move.setEmail(cost12, argon2id.email);
  await move.setEmail(patient, cost12.email);
  const chain = [withoutDates, LEGACY_ACCOUNTS.longPassword];
  await move.setEmail(withoutDates, 'chain@example.org');
  await move.setEmail(LEGACY_ACCOUNTS.longPassword, withoutDates.email);

  const result = await move.back();

  expect([result.code, countsIn(result), result.found]).toEqual([0, { 'accounts changed': 5 }, []]);
  const there = (await rowsThere(move)).accounts;
  for (const { id } of [...ring, ...chain]) {
    const here = await accounts.findOne({ _id: String(id) });
    expect(there.find((row) => row.id === id)).toMatchObject({ email: here?.email });
  }
  expect(countsIn(await move.back())).toEqual({});
});

test('nothing is deleted there because it is not here, but a token that has ended is revoked', async () => {
  const { accounts, profiles, tokens } = move.app.database;
  const { doctor } = LEGACY_ACCOUNTS;
  const [gone] = await move.query('SELECT * FROM accounts WHERE id = ?', [cost12.id]);
  await move.query('DELETE FROM accounts WHERE id = ?', [cost12.id]);
  await move.sync();
  // Records that are lost: no act of a person or operator removes them so.
  await accounts.deleteOne({ _id: String(withoutDates.id) });
  await profiles.deleteOne({ _id: String(doctor.id) });
  // The time of a token is over, and the database has not removed it yet.
  await tokens.updateOne({ _id: String(LEGACY_TOKENS.used.id) }, { $set: { idleExpiresAt: new Date(0) } });
  const before = await rowsThere(move);

  const result = await move.back();

  expect(countsIn(result)).toEqual({ 'tokens removed': 1 });
  expect(result.found.toSorted()).toEqual([
    `accounts ${withoutDates.id} not written`,
    `profiles ${doctor.id} not written`,
  ]);
  const after = await rowsThere(move);
  expect([after.accounts, after.profiles]).toEqual([before.accounts, before.profiles]);
  expect(after.accounts.some(({ id }) => id === gone?.id)).toBe(false);
});

test('the profile of an account that was erased here and deleted there is deleted there, too', async () => {
  const { doctor } = LEGACY_ACCOUNTS;
  await move.admin('accounts', 'erase', '--account', String(doctor.id), '--now', '--yes');
  // Not every legacy database deletes a profile with its account.
  await move.query('SET FOREIGN_KEY_CHECKS = 0');
  await move.query(`DELETE FROM accounts WHERE id = ${doctor.id}`);
  await move.query('SET FOREIGN_KEY_CHECKS = 1');
  const isThere = async () => (await rowsThere(move)).profiles.some(({ user_id }) => user_id === doctor.id);
  expect(await isThere()).toBe(true);

  expect((await move.back()).code).toBe(0);
  expect(await isThere()).toBe(false);
  expect(countsIn(await move.back())).toEqual({});
});

test('a doctor gets empty texts for what the table requires, and nothing if it requires something else', async () => {
  const api = restApi(move.app.url);
  const files = () => readdirSync(move.legacy.filesDir, { recursive: true }).length;
  const doctor = aDoctor({ phone: '+1 555 7777', licenseNumber: 'MD-777', publications: undefined });
  authenticated(await api.registerDoctor(doctor));
  await move.query("UPDATE doctor_profiles SET publications = 'None.' WHERE publications IS NULL");
  await move.sync();
  await move.query('ALTER TABLE doctor_profiles MODIFY publications text NOT NULL, ADD grade int NOT NULL');
  const [before, filesBefore] = [await rowsThere(move), files()];

  const refused = await move.back();

  expect([refused.code, countsIn(refused), await rowsThere(move), files()]).toEqual([
    1,
    {},
    before,
    filesBefore,
  ]);
  const missing = 'the legacy database requires a value of grade, which the gateway does not have';
  expect(refused.stdout).toContain(`its profile: ${missing}`);
  const counted = await move.back('--dry-run');
  expect(counted.stdout).toContain(`its profile: ${missing}`);

  await move.query('ALTER TABLE doctor_profiles ALTER grade SET DEFAULT 1');
  const result = await move.back();
  expect(result.code).toBe(0);
  expect(countsIn(result)).toMatchObject({ 'accounts added': 1, 'profiles added': 1, 'files copied': 3 });
  expect(result.stdout).toContain('the legacy database requires publications, so an empty text is written');
  expect((await rowsThere(move)).profiles.at(-1)).toMatchObject({ publications: '', grade: 1 });
  expect(countsIn(await move.back())).toEqual({});
  expect(countsIn(await move.sync())).toEqual({});
  expect((await move.verify()).code).toBe(0);
});

test('ids that are no numbers become new numbers, once, and their tokens stay here', async () => {
  const { accounts, tokens } = move.app.database;
  const stored = await accounts.findOne({ _id: String(patient.id) });
  const fresh = {
    ...stored,
    _id: 'a1b2',
    email: 'new@example.org',
    emailKey: 'new@example.org',
    phone: '+1',
  };
  await accounts.insertOne(fresh as never);
  const { imported: _, ...token } = { ...(await tokens.findOne({})), _id: 'c3d4', accountId: 'a1b2' };
  await tokens.insertOne(token as never);
  const result = await move.back();
  expect(countsIn(result)).toEqual({ 'accounts added': 1 });
  expect(result.found).toEqual(['tokens c3d4 not written']);
  expect(countsIn(await move.back())).toEqual({});
  const rows = (await rowsThere(move)).accounts.filter(({ email }) => email === 'new@example.org');
  expect(rows).toMatchObject([{ password: patient.hash }]);
});

test('nobody gets the tokens or the profile of another account with the same id', async () => {
  const { account } = authenticated(await restApi(move.app.url).registerPatient(aPatient()));
  const id = Number(account.id);
  await addAccount(move.query, { ...LEGACY_ACCOUNTS.doctor, id, email: 'there@example.org', phone: 'there' });
  await addProfile(move.query, move.legacy.filesDir, { id: 77, user_id: id });
  const token = { ...LEGACY_TOKENS.used, id: 700, accountId: id, plain: `700|${'p'.repeat(40)}` };
  await addToken(move.query, { ...token, hash: 'c'.repeat(64) });

  expect((await move.back()).found).toContain(`accounts ${id} not written`);
  const there = await move.query('SELECT id FROM personal_access_tokens WHERE tokenable_id = ?', [id]);
  expect(there).toEqual([{ id: 700 }]);
  const conflict = [`accounts ${id} conflict`, `profiles ${id} not taken`, 'tokens 700 not taken'];
  for (const found of [conflict, []]) {
    expect(await move.sync()).toMatchObject({ found });
    expect([await move.profileHere({ id }), await move.tokenHere({ id: 700 })]).toEqual([null, null]);
  }
});

test('a row that was changed on both sides is not written', async () => {
  await move.app.database.accounts.updateOne({ _id: String(patient.id) }, { $set: { name: 'Here' } });
  await move.changeThere('accounts', patient, { name: 'There' });
  const result = await move.back();
  expect([countsIn(result), result.found]).toEqual([{}, [`accounts ${patient.id} not written`]]);
  expect((await rowsThere(move)).accounts.find(({ id }) => id === patient.id)).toMatchObject({
    name: 'There',
  });
});

test('a way back that is killed at any moment continues when it runs again', async () => {
  const { accounts, tokens } = move.app.database;
  const account = await accounts.findOne({ _id: String(patient.id) });
  const { imported: _, ...token } = (await tokens.findOne({ _id: String(LEGACY_TOKENS.used.id) })) ?? {};
  const numbers = Array.from({ length: 1_000 }, (_none, index) => 5_000_000_000 + index);
  await accounts.insertMany(
    numbers.map((id) => ({
      ...account,
      _id: `${id}`,
      email: `${id}@x.org`,
      emailKey: `${id}@x.org`,
      phone: `${id}`,
    })) as never,
  );
  await tokens.insertMany(
    numbers.map((id) => ({
      ...token,
      _id: `${id}`,
      accountId: `${id}`,
      secretHash: `${id}`.padStart(64, '0'),
    })) as never,
  );
  const count = async (table: string) => {
    const [row] = await move.query<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE id >= 5000000000`,
    );
    return row?.n ?? 0;
  };
  for (const isReached of [
    async () => (await count('accounts')) > 200,
    async () => (await count('personal_access_tokens')) > 200,
  ]) {
    await killAt(move.start('back', '--files', move.legacy.filesDir, '--yes'), isReached);
  }
  expect((await move.back()).code).toBe(0);
  expect([await count('accounts'), await count('personal_access_tokens')]).toEqual([1_000, 1_000]);
  expect(countsIn(await move.back())).toEqual({});
  expect(countsIn(await move.sync())).toEqual({});
});
