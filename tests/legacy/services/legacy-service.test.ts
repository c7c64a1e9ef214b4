import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type LegacyService, startLegacyService } from '../support/legacy-service.ts';
import { addLegacyRows, legacyTokenOf } from '../support/legacy-tables.mjs';
import { phpHashKind, phpPasswordHash, phpPasswordVerify } from '../support/php.ts';

let legacy: LegacyService;
beforeEach(async () => {
  legacy = await startLegacyService();
});
afterEach(() => legacy.stop());

test('PHP accepts the password of each account of the test data', async () => {
  const rows = await legacy.database.query<{ id: number; password: string }>('SELECT * FROM accounts');
  const accounts = Object.values(legacy.accounts);
  expect(rows.map(({ id }) => id)).toEqual(accounts.map(({ id }) => id));
  for (const [index, { password }] of accounts.entries()) {
    const hash = rows[index]?.password ?? '';
    expect(await phpPasswordVerify(password, hash)).toBe(true);
    expect(await phpPasswordVerify(`another ${password}`, hash)).toBe(false);
  }
  expect(await phpHashKind(legacy.accounts.argon2id.hash)).toBe('argon2id');
  expect(await phpHashKind(await phpPasswordHash('correct horse'))).toBe('bcrypt');
});

test('the database stores the SHA-256 of each token of the test data', async () => {
  for (const { id, secret } of Object.values(legacy.tokens)) {
    const sql = 'SELECT id FROM personal_access_tokens WHERE token = SHA2(?, 256)';
    expect(await legacy.database.query(sql, [secret])).toEqual([{ id }]);
  }
});

test('all files of the profiles exist except the missing one', () => {
  const { doctorWithMissingFile, doctorWithLargeFile } = legacy.profiles;
  const names = Object.values(legacy.profiles).flatMap((profile) =>
    [profile.license_file_path, profile.diploma_file_path, profile.certification_file_path].flatMap(
      (name) => name ?? [],
    ),
  );
  const missing = names.filter((name) => !existsSync(path.join(legacy.filesDir, name)));
  expect(missing).toEqual([doctorWithMissingFile.diploma_file_path]);
  const large = path.join(legacy.filesDir, doctorWithLargeFile.license_file_path);
  expect(statSync(large).size).toBe(10_485_761);
});

test('many rows are consistent, and their tokens known', async () => {
  const { query } = legacy.database;
  await addLegacyRows(query, { accounts: 1000, tokens: 1300, firstId: 1000 });
  const [found] = await query(
    `SELECT a.id, email, role FROM personal_access_tokens t JOIN accounts a ON a.id = t.tokenable_id
     WHERE t.id = 2299 AND t.token = SHA2(?, 256)`,
    [legacyTokenOf(2299).split('|')[1]],
  );
  expect(found).toEqual({ id: 1299, email: 'person.1299@example.org', role: 'patient' });
  const [count] = await query('SELECT COUNT(*) AS doctors FROM doctor_profiles WHERE user_id >= 1000');
  expect(count).toEqual({ doctors: 100 });
});

test('the database keeps its data and address when it is killed and started again', async () => {
  const { database } = legacy;
  await database.kill();
  await expect(database.query('SELECT 1')).rejects.toThrow();
  await database.start();
  expect(await database.query('SELECT COUNT(*) AS accounts FROM accounts')).toEqual([
    { accounts: Object.keys(legacy.accounts).length },
  ]);
});
