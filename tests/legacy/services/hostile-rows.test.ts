import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inShort, useTarget } from '../support/legacy-command.ts';
import { addToken } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';

const target = useTarget();

const importAll = (...words: string[]) => target.run('import', '--yes', '--admins', 'skip', ...words);
const aToken = (id: number) => ({
  ...LEGACY_TOKENS.used,
  id,
  plain: `${id}|${'p'.repeat(40)}`,
  hash: id.toString(16).padStart(64, '0'),
});

test('tokens of two classes are refused, unless a mapping says that both are accounts', async () => {
  await addToken(target.legacy.database.query, { ...aToken(700), type: 'App\\Models\\User' });
  const refused = await importAll();
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('App\\Models\\Account and App\\Models\\User');
  expect(await target.database.count()).toEqual({ accounts: 0, profiles: 0, tokens: 0 });

  const map = path.join(target.folder, 'map.json');
  await writeFile(map, JSON.stringify({ tokenTypes: ['App\\Models\\Account'] }));
  expect(await importAll('--map', map)).toMatchObject({ code: 0 });
  expect(await target.database.tokens.findOne({ _id: '700' })).toBeNull();
});

test('a sync refuses tokens of a second class, too', async () => {
  expect(await importAll()).toMatchObject({ code: 0 });
  await addToken(target.legacy.database.query, { ...aToken(700), type: 'App\\Models\\User' });
  expect(await target.run('sync')).toMatchObject({ code: 2 });
});

test('an account that was deleted softly is left out with its tokens', async () => {
  const { patient } = target.legacy.accounts;
  await target.legacy.database.query('ALTER TABLE accounts ADD COLUMN deleted_at timestamp NULL');
  await target.legacy.database.query('UPDATE accounts SET deleted_at = NOW() WHERE id = ?', [patient.id]);
  expect(await importAll()).toMatchObject({ code: 0 });
  expect(await target.database.accounts.findOne({ _id: String(patient.id) })).toBeNull();
  expect(await target.database.tokens.findOne({ accountId: String(patient.id) })).toBeNull();
  expect(inShort(await target.reported())).toContain(`accounts ${patient.id} not taken: it was deleted`);
});

test('new ids are above those of accounts and tokens that the legacy service has deleted', async () => {
  await target.legacy.database.query('ALTER TABLE accounts AUTO_INCREMENT = 5000000000');
  await target.legacy.database.query('ALTER TABLE personal_access_tokens AUTO_INCREMENT = 9000');
  expect(await importAll()).toMatchObject({ code: 0 });
  const counters = await target.database.db.collection('counters').find().sort({ _id: 1 }).toArray();
  expect(counters.map(({ _id, value }) => [String(_id), Number(value)])).toEqual([
    ['access_tokens', 8_999],
    ['accounts', 4_999_999_999],
  ]);
});

test('texts are quoted in the same way whatever the mode of the server is', async () => {
  const { query } = target.legacy.database;
  await query("SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
  const imported = await importAll();
  await query('SET GLOBAL sql_mode = DEFAULT');
  expect(imported).toMatchObject({ code: 0 });
  expect((await target.database.count()).tokens).toBe(Object.keys(target.legacy.tokens).length - 5);
});

test('a terminal obeys nothing that a row contains', async () => {
  const { query } = target.legacy.database;
  await query("DELETE FROM accounts WHERE password LIKE '$argon2%'");
  await query('ALTER TABLE accounts MODIFY role varchar(255) NOT NULL');
  await query('UPDATE accounts SET role = ? WHERE id = ?', [
    '\u001b[2J\u009b\n',
    target.legacy.accounts.patient.id,
  ]);
  const forPeople = await target.run('inspect');
  const forPrograms = await target.run('inspect', '--json');
  expect([forPeople.code, forPrograms.code]).toEqual([0, 0]);
  expect(forPeople.stdout).toContain('?[2J??: 1');
  expect(forPeople.stdout + forPrograms.stdout).not.toMatch(/[^\P{Cc}\n]/u);
});
