import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SCHEMA_VERSION, type StoredSchema } from '../../../src/stores/schema-version.ts';
import { allFiles } from '../../documents/support/aftermath.ts';
import { throughEachApi } from '../../support/apis.ts';
import { authenticated } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { accountOf } from '../../support/session.ts';
import { createTestApp } from '../../support/test-app.ts';
import { contentOf, inShort, objectsIn, useTarget } from '../support/legacy-command.ts';

const target = useTarget({ isShared: true });

const everything = () => ['import', '--yes', '--admins', 'skip', '--files', target.legacy.filesDir];

/** What an import of the test data leaves out. */
const leftOut = () => {
  const { admin } = target.legacy.accounts;
  const { brokenAbilities, expired, ofNobody } = target.legacy.tokens;
  return [
    `accounts ${admin.id} not taken: the role is admin`,
    `files ${target.legacy.profiles.doctorWithMissingFile.diploma_file_path} missing: there is no such file in --files`,
    `tokens ${brokenAbilities.id} not taken: the abilities are no list of texts`,
    `tokens ${expired.id} not taken: it has expired`,
    `tokens ${target.legacy.tokens.admin.id} not taken: its account was not taken`,
    `tokens ${ofNobody.id} not taken: its account does not exist`,
  ].sort();
};

test('an import takes accounts, profiles, files and tokens, and reports all others', async () => {
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  const { database, storageDir } = target;
  expect(await database.count()).toEqual({
    accounts: Object.keys(target.legacy.accounts).length - 1,
    profiles: 4,
    // That of the other type is not even looked at.
    tokens: Object.keys(target.legacy.tokens).length - 5,
  });
  const { patient, withoutDates, capitalEmail } = target.legacy.accounts;
  expect(await database.accounts.findOne({ _id: String(patient.id) })).toEqual({
    _id: '10',
    name: patient.name,
    email: patient.email,
    emailKey: patient.email,
    nameWords: ['pat', 'zoe'],
    phone: patient.phone,
    phoneDigits: patient.phone.replace(/\D/g, ''),
    dateOfBirth: patient.dob,
    role: 'patient',
    passwordHash: patient.hash,
    createdAt: new Date('2024-02-29T12:00:00Z'),
    updatedAt: new Date('2024-03-01T08:30:15Z'),
    disabledAt: null,
  });
  expect(await database.accounts.findOne({ _id: String(withoutDates.id) })).toMatchObject({
    createdAt: null,
  });
  expect(await database.accounts.findOne({ _id: String(capitalEmail.id) })).toMatchObject({
    email: 'Palle.Capital@Example.ORG',
    emailKey: 'palle.capital@example.org',
  });
  const stored = (await allFiles(storageDir)).filter((file) => file.startsWith('doctor_profiles/'));
  const named = Object.values(target.legacy.profiles).flatMap((profile) => [
    profile.license_file_path,
    profile.diploma_file_path,
    profile.certification_file_path,
  ]);
  const expected = named.filter(
    (name) => name !== null && name !== target.legacy.profiles.doctorWithMissingFile.diploma_file_path,
  );
  expect(stored).toEqual(expected.sort());
  for (const name of stored) {
    const copy = await readFile(path.join(storageDir, name));
    expect(copy.equals(await readFile(path.join(target.legacy.filesDir, name)))).toBe(true);
  }
  expect(inShort(await target.reported())).toEqual(leftOut());
});

test('the folder of a run has a report and a summary, which only the user of the gateway can read', async () => {
  await target.run(...everything());
  const [run = ''] = await readdir(path.join(target.dataDir, 'legacy'));
  const folder = path.join(target.dataDir, 'legacy', run);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(folder)).sort()).toEqual(['report.ndjson', 'summary.json', 'summary.txt']);
  expect(JSON.parse(await readFile(path.join(folder, 'summary.json'), 'utf8'))).toMatchObject({
    run,
    taken: { accounts: 14, profiles: 4, files: 10, tokens: 11 },
  });
  expect(await readFile(path.join(folder, 'summary.txt'), 'utf8')).toContain('14 accounts taken');
});

throughEachApi((apiOf) => {
  test('imported people log in with the password and the tokens that they have', async () => {
    const app = await createTestApp();
    const settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir };
    const imported = target.start(settings, ...everything());
    expect(await imported.exitCode()).toBe(0);
    const { patient, cost12, doctor } = target.legacy.accounts;
    const api = apiOf(app.url);
    for (const { id, email, password } of [patient, cost12, doctor]) {
      expect(authenticated(await api.login({ email, password })).account.id).toBe(String(id));
    }
    const { plain } = target.legacy.tokens.crc32b;
    expect(await accountOf(app.url, plain)).toMatchObject({ id: String(patient.id), name: patient.name });
    const { license_file_path } = target.legacy.profiles.doctor;
    const document = await send(`${app.url}/storage/${license_file_path}`);
    expect(document.status).toBe(200);
    await app.stop();
  });
});

test('a dry run writes nothing, and finds the same as the import', async () => {
  const words = everything().filter((word) => word !== '--yes');
  const dryRun = await target.run(...words, '--dry-run', '--json');
  expect(dryRun).toMatchObject({ code: 0 });
  expect(await contentOf(target.database)).toEqual({});
  expect(await allFiles(target.folder)).toEqual([]);
  expect(await readdir(target.folder)).toEqual([]);
  const lines = objectsIn(dryRun);
  expect(inShort(lines.filter(({ event }) => event === 'finding'))).toEqual(leftOut());
  expect(lines.at(-1)).toMatchObject({
    event: 'dry run',
    wouldTake: { accounts: 14, profiles: 4, files: 10, tokens: 11 },
  });
});

test('a dry run for the embedded database makes neither the database nor a folder', async () => {
  const settings = { MONGODB_URI: '' };
  const dryRun = target.start(settings, ...everything(), '--dry-run');
  expect(await dryRun.exitCode()).toBe(0);
  expect(dryRun.stdout).toContain('14 accounts');
  expect(await readdir(target.folder)).toEqual([]);
});

test('an import makes the embedded database', async () => {
  const imported = target.start({ MONGODB_URI: '' }, ...everything());
  expect(await imported.exitCode()).toBe(0);
  expect(imported.stdout).toContain('14 accounts taken');
  expect(existsSync(path.join(target.dataDir, 'data.mdb'))).toBe(true);
});

test('a second import changes nothing and says so', async () => {
  await target.run(...everything());
  const before = await contentOf(target.database);
  const files = await allFiles(target.folder);
  const second = await target.run(...everything());
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout).toMatch(/^The import \S+ has ended before. Nothing was changed./);
  expect(await contentOf(target.database)).toEqual(before);
  expect(await allFiles(target.folder)).toEqual(files);
});

test('an import without --files can be followed by one that takes only the files', async () => {
  expect(await target.run('import', '--yes', '--admins', 'skip')).toMatchObject({ code: 0 });
  expect((await allFiles(target.folder)).filter((file) => file.includes('doctor_profiles'))).toEqual([]);
  const before = await target.database.count();
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  expect(await target.database.count()).toEqual(before);
  expect((await allFiles(target.storageDir)).length).toBe(10);
});

test.each([
  ['administrators', ['import', '--yes'], '1 account has the role admin'],
  ['no confirmation', ['import', '--admins', 'skip'], 'without a terminal, the import needs --yes'],
  ['a folder that does not exist', ['import', '--yes', '--files', '/nowhere'], '--files must be a folder'],
  ['an unknown zone', ['import', '--yes', '--timezone', 'Mars'], '--timezone must be'],
  [
    'another word for administrators',
    ['import', '--yes', '--admins', 'keep'],
    '--admins must be skip or refuse',
  ],
  [
    'an address of another kind',
    ['import', '--yes', '--from', 'http://a:secretpw@b/c'],
    '--from must be an address',
  ],
  ['an unknown option', ['import', '--yes', '--all'], 'There is no option --all.'],
  ['an unknown command', ['export'], 'There is no such command'],
])('%s: the import is refused before anything is written', async (_, words, text) => {
  const refused = await target.run(...words);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(text);
  expect(refused.stderr).not.toContain('secretpw');
  expect(await contentOf(target.database)).toEqual({});
  expect(await readdir(target.folder)).toEqual([]);
});

test('what the gateway has already wins, and the profile and tokens of the other account are left out', async () => {
  const { accounts, db } = target.database;
  await accounts.createIndex({ emailKey: 1 }, { unique: true });
  await db.collection<StoredSchema>('schema').insertOne({ _id: 'schema', version: SCHEMA_VERSION });
  const here = {
    name: 'Ida',
    phone: null,
    role: 'patient',
    passwordHash: 'x',
    createdAt: new Date(0),
    disabledAt: null,
  } as const;
  const { doctor, argon2id } = target.legacy.accounts;
  const existing = [
    { ...here, _id: String(doctor.id), email: 'ida@example.org', emailKey: 'ida@example.org' },
    { ...here, _id: 'other', email: argon2id.email, emailKey: argon2id.email.toLowerCase() },
  ];
  await accounts.insertMany(existing);
  const dryRun = await target.run(...everything(), '--dry-run', '--json');
  const lines = objectsIn(dryRun);
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  const reported = inShort(await target.reported());
  expect(reported.filter((line) => !leftOut().includes(line))).toEqual([
    `accounts ${doctor.id} conflict: another record has its id`,
    `accounts ${argon2id.id} not taken: its e-mail belongs to another account`,
    `profiles ${doctor.id} not taken: its account was not taken`,
    `tokens ${target.legacy.tokens.doctor.id} not taken: its account was not taken`,
    `tokens ${target.legacy.tokens.withoutDates.id} not taken: its account was not taken`,
  ]);
  expect(inShort(lines.filter(({ event }) => event === 'finding'))).toEqual(reported);
  expect(
    await accounts
      .find({ _id: { $in: existing.map(({ _id }) => _id) } })
      .sort({ _id: 1 })
      .toArray(),
  ).toEqual(existing);
});

test('an unfinished import continues only with the options that it had', async () => {
  const run = {
    _id: '20260131-120000',
    command: 'import',
    startedAt: new Date(),
    endedAt: null,
    options: { admins: 'skip', timezone: 'Europe/Berlin', files: 'left', map: 'another' },
  };
  await target.database.db.collection<typeof run>('legacy_runs').insertOne(run);
  const refused = await target.run(...everything());
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('had another value of --timezone, --files, --map');
  expect(await target.database.count()).toEqual({ accounts: 0, profiles: 0, tokens: 0 });
});

test('a mapping names other tables and columns, and the zone tells what timestamps mean', async () => {
  const { query } = target.legacy.database;
  await query('CREATE TABLE users LIKE accounts');
  await query('INSERT INTO users SELECT * FROM accounts WHERE id = 10');
  await query('ALTER TABLE users CHANGE phone mobile varchar(255), DROP COLUMN dob');
  const map = path.join(target.folder, 'map.json');
  await writeFile(map, JSON.stringify({ accounts: { table: 'users', columns: { phone: 'mobile' } } }));
  const imported = await target.run('import', '--yes', '--map', map, '--timezone', 'Europe/Berlin');
  await query('DROP TABLE users');
  expect(imported).toMatchObject({ code: 0 });
  expect(await target.database.accounts.find().toArray()).toMatchObject([
    {
      _id: '10',
      phone: target.legacy.accounts.patient.phone,
      dateOfBirth: null,
      createdAt: new Date('2024-02-29T11:00:00Z'),
    },
  ]);
});

test('a mapping of columns that do not exist is refused', async () => {
  const map = path.join(target.folder, 'map.json');
  await writeFile(map, JSON.stringify({ accounts: { columns: { email: 'mail' } } }));
  const failed = await target.run('import', '--yes', '--map', map);
  expect(failed).toMatchObject({ code: 2 });
  expect(failed.stderr).toContain('The table accounts has no column email. Name it with --map.');
  expect(await contentOf(target.database)).toEqual({});
});

test('of two accounts with one e-mail under our rules, the first is taken', async () => {
  const { query } = target.legacy.database;
  await query('ALTER TABLE accounts MODIFY email varchar(255) COLLATE utf8mb4_bin NOT NULL');
  await query(
    "INSERT INTO accounts SELECT 5000, name, UPPER(email), '1', dob, role, password, created_at, updated_at FROM accounts WHERE id = 10",
  );
  const imported = await target.run(...everything());
  await query('DELETE FROM accounts WHERE id = 5000');
  expect(imported).toMatchObject({ code: 0 });
  expect(inShort(await target.reported())).toContain(
    'accounts 5000 not taken: its e-mail belongs to another account',
  );
});

test('a link in --files is not followed', async () => {
  const { license_file_path } = target.legacy.profiles.doctor;
  const filesDir = path.join(target.folder, 'linked');
  await mkdir(path.join(filesDir, path.dirname(license_file_path)), { recursive: true });
  await symlink('/etc/passwd', path.join(filesDir, license_file_path));
  await target.run('import', '--yes', '--admins', 'skip', '--files', filesDir);
  expect(inShort(await target.reported())).toContain(
    `files ${license_file_path} missing: there is no such file in --files`,
  );
  expect((await allFiles(target.storageDir)).filter((file) => file.includes('doctor_profiles'))).toEqual([]);
});
