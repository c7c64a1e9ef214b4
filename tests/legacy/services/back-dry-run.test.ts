import { readdirSync } from 'node:fs';
import { authenticated } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { type CommandResult, countsIn, rowsThere, summaryOf, useMove } from '../support/move.ts';

const { patient, cost12, argon2id, argon2i, withoutDates, longPassword } = LEGACY_ACCOUNTS;

const move = useMove({ ID_FORMAT: 'integer' });

const filesThere = () =>
  readdirSync(move.legacy.filesDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length;
const reasonsIn = ({ lines }: CommandResult) =>
  lines
    .filter(({ event }) => event === 'finding')
    .map(({ kind, reason }) => `${kind}: ${reason}`)
    .toSorted();

test('a dry run foresees keys, nulls, references, chains and files, and leaves nothing', async () => {
  const api = restApi(move.app.url);
  const { license_number: taken } = move.legacy.profiles.doctor;
  authenticated(await api.registerDoctor(aDoctor({ licenseNumber: taken })));
  authenticated(await api.registerDoctor(aDoctor({ phone: '+1 555 8888', licenseNumber: 'MD-888' })));
  authenticated(await api.registerPatient(aPatient()));
  authenticated(await api.registerPatient(aPatient({ phone: patient.phone ?? '' })));
  await move.setEmail(patient, 'chain@example.org');
  await move.setEmail(cost12, patient.email);
  await move.setEmail(argon2id, 'ring@example.org');
  await move.setEmail(argon2i, argon2id.email);
  await move.setEmail(argon2id, argon2i.email);
  await move.query('CREATE TABLE visits (account_id bigint unsigned REFERENCES accounts (id)) ENGINE=InnoDB');
  for (const { id } of [withoutDates, longPassword]) {
    await move.admin('accounts', 'erase', '--account', String(id), '--now', '--yes');
  }
  await move.query('INSERT INTO visits VALUES (?)', [withoutDates.id]);
  const before = [await rowsThere(move), filesThere()] as const;

  const dryRun = await move.back('--dry-run');

  expect([await rowsThere(move), filesThere()]).toEqual(before);
  expect(summaryOf(dryRun)).toMatchObject({ dryRun: true, onlyCountedBecause: null });
  expect(reasonsIn(dryRun)).toEqual([
    'accounts: its profile: the legacy database has another row with its value of doctor_profiles_license_number_unique',
    'accounts: other tables of the legacy database refer to it',
    'accounts: the legacy database does not take its value of phone (ER_BAD_NULL_ERROR)',
    'accounts: the legacy database has another row with its value of accounts_phone_unique',
    'profiles: its account is not in the legacy database',
    ...Array(3).fill('tokens: its account is not in the legacy database'),
  ]);
  const written = await move.back('--yes');
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
  expect((await rowsThere(move)).accounts).toHaveLength(before[0].accounts.length);
  expect(await move.back('--yes')).toMatchObject({ code: 1 });
  expect(await move.back('--yes', '--accept')).toMatchObject({ code: 0 });
});

test('a ring of e-mails of which one account is refused is not written, and no e-mail is lost', async () => {
  const { accounts } = move.app.database;
  await move.setEmail(patient, 'ring@example.org');
  await move.setEmail(cost12, patient.email);
  await move.setEmail(patient, cost12.email);
  await accounts.updateOne({ _id: String(cost12.id) }, { $set: { phone: argon2i.phone } });
  const before = await rowsThere(move);

  const dryRun = await move.back('--dry-run');
  const written = await move.back('--yes');
  expect([written.code, countsIn(written), reasonsIn(written)]).toEqual([1, {}, reasonsIn(dryRun)]);
  expect(written.found.toSorted()).toEqual(
    [patient, cost12].map(({ id }) => `accounts ${id} not written`).toSorted(),
  );
  expect(await rowsThere(move)).toEqual(before);
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
    await move.query(change);
  }
  const [{ tables } = { tables: 0 }] = await move.query<{ tables: number }>(log);
  authenticated(await restApi(move.app.url).registerPatient(aPatient({ phone: '+1 555 9999' })));
  authenticated(await restApi(move.app.url).registerPatient(aPatient()));
  await move.setEmail(patient, 'here@example.org');
  const before = await rowsThere(move);

  const dryRun = await move.back('--dry-run');

  expect(summaryOf(dryRun)).toMatchObject({ onlyCountedBecause: expect.stringContaining(reason) });
  expect(await rowsThere(move)).toEqual(before);
  expect(tables === 0 ? [] : await move.query('SELECT * FROM log')).toEqual([]);
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
  await move.query(`GRANT ${rights} ON legacy.* TO 'move'@'%' IDENTIFIED BY 'secret-of-move'`);
  await move.setEmail(patient, 'here@example.org');
  const uri = new URL(move.legacy.database.uri);

  const dryRun = await move.back(
    '--dry-run',
    '--from',
    `mysql://move:secret-of-move@${uri.host}${uri.pathname}`,
  );

  expect(dryRun.code).toBe(0);
  expect(summaryOf(dryRun)).toMatchObject({ onlyCountedBecause: expect.stringContaining(reason) });
  expect(countsIn(dryRun)).toEqual({ 'accounts changed': 1 });
});
