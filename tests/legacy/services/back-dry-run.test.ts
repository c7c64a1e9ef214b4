import { readdirSync } from 'node:fs';
import { jest } from '@jest/globals';
import { authenticated } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import type { Query } from '../support/mariadb.mjs';
import { type CommandResult, countsIn, type Move, startMove } from '../support/move.ts';

const { patient, cost12, argon2id, argon2i, withoutDates, longPassword } = LEGACY_ACCOUNTS;

/** Each of its commands is a process of its own, and flushes the disk. */
jest.setTimeout(600_000);

let move: Move;
beforeEach(async () => {
  move = await startMove({ ID_FORMAT: 'integer' });
  await move.done('import', '--files', move.legacy.filesDir, '--admins', 'skip', '--yes');
});
afterEach(() => move.stop());

const query: Query = (sql, values) => move.legacy.database.query(sql, values);
const back = (...words: string[]) => move.run('back', '--files', move.legacy.filesDir, ...words);
const setEmail = ({ id }: { id: number }, to: string) =>
  move.admin('accounts', 'set-email', '--account', String(id), '--to', to);
const filesThere = () =>
  readdirSync(move.legacy.filesDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length;
const reasonsIn = ({ lines }: CommandResult) =>
  lines
    .filter(({ event }) => event === 'finding')
    .map(({ kind, reason }) => `${kind}: ${reason}`)
    .toSorted();
const summaryOf = ({ lines }: CommandResult) => lines.find(({ event }) => event === 'summary');

/** All rows there, in the order of their keys. */
const rowsThere = async () => ({
  accounts: await query('SELECT * FROM accounts ORDER BY id'),
  profiles: await query('SELECT * FROM doctor_profiles ORDER BY id'),
  tokens: await query('SELECT * FROM personal_access_tokens ORDER BY id'),
});

test('a dry run foresees keys, nulls, references, chains and files, and leaves nothing', async () => {
  const api = restApi(move.app.url);
  const { license_number: taken } = move.legacy.profiles.doctor;
  authenticated(await api.registerDoctor(aDoctor({ licenseNumber: taken })));
  authenticated(await api.registerDoctor(aDoctor({ phone: '+1 555 8888', licenseNumber: 'MD-888' })));
  authenticated(await api.registerPatient(aPatient()));
  authenticated(await api.registerPatient(aPatient({ phone: patient.phone ?? '' })));
  await setEmail(patient, 'chain@example.org');
  await setEmail(cost12, patient.email);
  await setEmail(argon2id, 'ring@example.org');
  await setEmail(argon2i, argon2id.email);
  await setEmail(argon2id, argon2i.email);
  await query('CREATE TABLE visits (account_id bigint unsigned REFERENCES accounts (id)) ENGINE=InnoDB');
  for (const { id } of [withoutDates, longPassword]) {
    await move.admin('accounts', 'erase', '--account', String(id), '--now', '--yes');
  }
  await query('INSERT INTO visits VALUES (?)', [withoutDates.id]);
  const before = [await rowsThere(), filesThere()] as const;

  const dryRun = await back('--dry-run');

  expect([await rowsThere(), filesThere()]).toEqual(before);
  expect(summaryOf(dryRun)).toMatchObject({ dryRun: true, onlyCountedBecause: null });
  expect(reasonsIn(dryRun)).toEqual([
    'accounts: its profile: the legacy database has another row with its value of doctor_profiles_license_number_unique',
    'accounts: other tables of the legacy database refer to it',
    'accounts: the legacy database does not take its value of phone (ER_BAD_NULL_ERROR)',
    'accounts: the legacy database has another row with its value of accounts_phone_unique',
    'profiles: its account is not in the legacy database',
    ...Array(3).fill('tokens: its account is not in the legacy database'),
  ]);
  const written = await back('--yes');
  expect([written.code, countsIn(written), reasonsIn(written)]).toEqual([
    1,
    countsIn(dryRun),
    reasonsIn(dryRun),
  ]);
  expect(countsIn(written)).toEqual({
    'accounts added': 1,
    'accounts changed': 4,
    'accounts removed': 1,
    'profiles added': 1,
    'tokens added': 1,
    'files copied': 3,
  });
  // No file of a doctor who is not written.
  expect(filesThere()).toBe(before[1] + 3);
  // One is added and one removed: no account without its profile.
  expect((await rowsThere()).accounts).toHaveLength(before[0].accounts.length);
  expect(await back('--yes')).toMatchObject({ code: 1 });
  expect(await back('--yes', '--accept')).toMatchObject({ code: 0 });
});

test('a ring of e-mails of which one account is refused is not written, and no e-mail is lost', async () => {
  const { accounts } = move.app.database;
  await setEmail(patient, 'ring@example.org');
  await setEmail(cost12, patient.email);
  await setEmail(patient, cost12.email);
  await accounts.updateOne({ _id: String(cost12.id) }, { $set: { phone: argon2i.phone } });
  const before = await rowsThere();

  const dryRun = await back('--dry-run');
  const written = await back('--yes');
  expect([written.code, countsIn(written), reasonsIn(written)]).toEqual([1, {}, reasonsIn(dryRun)]);
  expect(written.found.toSorted()).toEqual(
    [patient, cost12].map(({ id }) => `accounts ${id} not written`).toSorted(),
  );
  expect(await rowsThere()).toEqual(before);
});

test.each([
  [
    'a table of MyISAM',
    ['ALTER TABLE personal_access_tokens MODIFY tokenable_type varchar(191) NOT NULL, ENGINE=MyISAM'],
    'the table personal_access_tokens has no transactions (MyISAM)',
  ],
  [
    'a table of Aria',
    [
      'ALTER TABLE doctor_profiles DROP FOREIGN KEY doctor_profiles_user_id_foreign',
      'ALTER TABLE accounts ENGINE=Aria',
    ],
    'the table accounts has no transactions (Aria)',
  ],
  [
    'a trigger that writes to such a table',
    [
      'CREATE TABLE log (id bigint unsigned) ENGINE=MyISAM',
      'CREATE TRIGGER logged AFTER INSERT ON accounts FOR EACH ROW INSERT INTO log VALUES (NEW.id)',
      'CREATE TRIGGER log_change AFTER UPDATE ON accounts FOR EACH ROW INSERT INTO log VALUES (NEW.id)',
    ],
    'the table accounts has the trigger log',
  ],
])('%s is never written by a dry run, which only counts and says why', async (_, changes, reason) => {
  const log = "SELECT COUNT(*) AS tables FROM information_schema.tables WHERE table_name = 'log'";
  for (const change of changes) {
    await query(change);
  }
  const [{ tables } = { tables: 0 }] = await query<{ tables: number }>(log);
  authenticated(await restApi(move.app.url).registerPatient(aPatient({ phone: '+1 555 9999' })));
  authenticated(await restApi(move.app.url).registerPatient(aPatient()));
  await setEmail(patient, 'here@example.org');
  const before = await rowsThere();

  const dryRun = await back('--dry-run');

  expect(summaryOf(dryRun)).toMatchObject({ onlyCountedBecause: expect.stringContaining(reason) });
  expect(await rowsThere()).toEqual(before);
  expect(tables === 0 ? [] : await query('SELECT * FROM log')).toEqual([]);
  // It counts what the columns tell: the patient without a phone is not announced.
  expect(countsIn(dryRun)).toEqual({ 'accounts added': 1, 'accounts changed': 1, 'tokens added': 1 });
  expect(reasonsIn(dryRun)).toEqual([
    'accounts: the legacy database does not take its value of phone (ER_BAD_NULL_ERROR)',
    'tokens: its account is not in the legacy database',
  ]);
});

test.each([
  ['may only read', 'SELECT', 'the user of the legacy database has no right to write'],
  ['does not see triggers', 'SELECT, INSERT, UPDATE, DELETE', 'GRANT TRIGGER ON accounts'],
])('with a user that %s, a dry run only counts', async (_, rights, reason) => {
  await query(`GRANT ${rights} ON legacy.* TO 'move'@'%' IDENTIFIED BY 'secret-of-move'`);
  await setEmail(patient, 'here@example.org');
  const uri = new URL(move.legacy.database.uri);

  const dryRun = await back('--dry-run', '--from', `mysql://move:secret-of-move@${uri.host}${uri.pathname}`);

  expect(dryRun.code).toBe(0);
  expect(summaryOf(dryRun)).toMatchObject({ onlyCountedBecause: expect.stringContaining(reason) });
  expect(countsIn(dryRun)).toEqual({ 'accounts changed': 1 });
});
