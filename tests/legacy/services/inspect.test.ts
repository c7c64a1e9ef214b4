import { readdir } from 'node:fs/promises';
import { contentOf, inShort, objectsIn, useTarget } from '../support/legacy-command.ts';

const target = useTarget({ isShared: true });
beforeAll(async () => {
  const { query } = target.legacy.database;
  await query('ALTER TABLE accounts ADD COLUMN remember_token varchar(100)');
  await query('ALTER TABLE accounts MODIFY email varchar(255) COLLATE utf8mb4_bin NOT NULL');
  await query(
    `INSERT INTO accounts (id, name, email, phone, role, password) VALUES
     (5000, 'Twin', 'PAT@example.org', '1', 'patient', ''), (5001, 'Odd', 'no address', '2', 'patient', 'md5'),
     (18446744073709551610, 'Large', 'large@example.org', '3', 'patient', '$2y$10$x')`,
  );
});

test('inspect tells what is there and what an import would leave out, and writes nothing', async () => {
  const inspected = await target.run('inspect', '--files', target.legacy.filesDir, '--json');
  expect(inspected).toMatchObject({ code: 0 });
  const lines = objectsIn(inspected);
  const { profiles, accounts, tokens } = target.legacy;
  expect(lines.at(-1)).toMatchObject({
    event: 'inspection',
    rows: { accounts: 18, profiles: 4, tokens: 15 },
    wouldTake: { accounts: 16, profiles: 4, files: 10, tokens: 11 },
    roles: { doctor: 5, patient: 12, admin: 1 },
    hashes: {
      '2y$10': 11,
      '2y$12': 2,
      'argon2id$v=19$m=65536,t=4,p=1': 1,
      'argon2i$v=19$m=65536,t=4,p=1': 1,
      none: 1,
      // One of them is cut off.
      unknown: 2,
    },
    tokens: {
      withExpiry: 2,
      neverUsed: 14,
      oldest: '2024-02-29 12:00:02',
      abilities: { none: 1, restricted: 3 },
    },
    otherTokenTypes: { 'App\\Models\\Device': 1 },
    doctorsWithoutProfile: { count: 1, ids: [String(accounts.doctorWithoutProfile.id)] },
    documentsWithoutFile: 1,
    largeFiles: { count: 1, ids: [profiles.doctorWithLargeFile.license_file_path] },
    files: { count: 10 },
    provenEmails: null,
    refusedEmails: { count: 1, ids: ['5001'] },
    largeIds: { count: 1, ids: ['accounts 18446744073709551610'] },
    droppedColumns: { accounts: ['remember_token'], profiles: ['id', 'updated_at'], tokens: ['updated_at'] },
  });
  expect(inShort(lines.filter(({ event }) => event === 'finding'))).toEqual([
    'accounts 30 not taken: the role is admin',
    'accounts 5000 not taken: its e-mail belongs to another account',
    `files ${profiles.doctorWithMissingFile.diploma_file_path} missing: there is no such file in --files`,
    `tokens ${tokens.brokenAbilities.id} not taken: the abilities are no list of texts`,
    `tokens ${tokens.expired.id} not taken: it has expired`,
    `tokens ${tokens.admin.id} not taken: its account was not taken`,
    `tokens ${tokens.ofNobody.id} not taken: its account does not exist`,
  ]);
  expect(await contentOf(target.database)).toEqual({});
  expect(await readdir(target.folder)).toEqual([]);
});

test('inspect tells a person the same in sentences', async () => {
  const inspected = await target.run('inspect');
  expect(inspected).toMatchObject({ code: 0 });
  expect(inspected.stdout).toContain('Accounts: 18 (');
  expect(inspected.stdout).toContain('proven e-mails: the table has no column for them');
  expect(inspected.stdout).toContain('Files: not looked at (--files)');
  expect(inspected.stdout).toContain('1 accounts not taken: the role is admin (30)');
});
