import { existsSync } from 'node:fs';
import path from 'node:path';
import { DIGEST_CHARACTERS } from '../../../src/legacy/records/legacy-record.ts';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { contentOf, useTarget } from '../support/legacy-command.ts';
import type { Query } from '../support/mariadb.mjs';

const target = useTarget();
beforeEach(async () => {
  expect(await command('import', '--yes', '--admins', 'skip')).toMatchObject({ code: 0 });
});

const command = (name: string, ...words: string[]) =>
  target.run(name, '--files', target.legacy.filesDir, ...words);
const query: Query = (sql, values) => target.legacy.database.query(sql, values);

/** What the gateway has, without what only the commands remember. */
async function recordsHere() {
  const { accounts, doctor_profiles, access_tokens } = await contentOf(target.database);
  return { accounts, doctor_profiles, access_tokens };
}

test.each([
  ['all accounts are gone', 'DELETE FROM accounts', '14 of 14 accounts'],
  ['all accounts have a role that does not move', "UPDATE accounts SET role = 'admin'", '14 of 14 accounts'],
  [
    'the class of tokens has another name',
    "UPDATE personal_access_tokens SET tokenable_type = 'Person'",
    '11 of 11 tokens',
  ],
])('%s: a sync changes nothing, and names the number that it needs', async (_, change, gone) => {
  const before = await recordsHere();
  await query(change);
  for (const words of [[], ['--watch'], ['--accept-removals', '10']]) {
    const refused = await command('sync', ...words);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`${gone} that were taken over are gone`);
  }
  expect(await recordsHere()).toEqual(before);
  const [number = ''] = gone.split(' ');
  expect(await command('sync', '--accept-removals', number)).toMatchObject({ code: 0 });
});

test('a number that is none is refused', async () => {
  expect(await command('sync', '--accept-removals', 'all')).toMatchObject({ code: 2, stdout: '' });
});

test('finish erases the accounts that are still gone, but none that is there again', async () => {
  const { doctor, patient } = target.legacy.accounts;
  const [row] = await query('SELECT * FROM accounts WHERE id = ?', [patient.id]);
  await query('DELETE FROM accounts WHERE id IN (?, ?)', [doctor.id, patient.id]);
  expect(await command('sync')).toMatchObject({ code: 0 });
  await query('INSERT INTO accounts SET ?', [row]);

  const refused = await target.run('finish', '--yes');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`(${patient.id})`) });
  expect(await command('sync')).toMatchObject({ code: 0 });
  expect(await target.run('finish', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 accounts were erased'),
  });

  const { accounts, profiles, tokens, db } = target.database;
  const [kept, erased] = [String(patient.id), String(doctor.id)];
  expect(await accounts.find({ _id: { $in: [kept, erased] } }).toArray()).toMatchObject([{ _id: kept }]);
  expect([await profiles.findOne({ _id: erased }), await tokens.findOne({ accountId: erased })]).toEqual([
    null,
    null,
  ]);
  expect(await db.collection<{ _id: string }>('erasures').findOne({ _id: erased })).not.toBeNull();
  expect(await db.collection('audit_events').countDocuments({ act: 'erasure', accountId: erased })).toBe(1);
});

test('finish removes the profiles that were deleted there, but none that is there again or was decided on here', async () => {
  const { profiles, db } = target.database;
  const doctors = [target.legacy.profiles.doctor, target.legacy.profiles.doctorWithoutCertification] as const;
  const [removed, decided] = doctors.map(({ user_id }) => String(user_id));
  const [row] = await query('SELECT * FROM doctor_profiles WHERE user_id = ?', [decided]);
  await query('DELETE FROM doctor_profiles WHERE user_id IN (?, ?)', [removed, decided]);
  expect(await command('sync')).toMatchObject({ code: 0 });
  expect(await profiles.countDocuments({ _id: { $in: [removed, decided] } as never })).toBe(2);
  await query('INSERT INTO doctor_profiles SET ?', [row]);
  const refused = await target.run('finish', '--yes');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`1 profiles that were gone`) });

  await query('DELETE FROM doctor_profiles WHERE user_id = ?', [decided]);
  const times = { decidedAt: new Date(), submittedAt: new Date() };
  await profiles.updateOne(
    { _id: decided as string },
    { $set: { verification: { status: 'verified', reason: 'Seen.', ...times } } },
  );
  const finished = await target.run('finish', '--yes');

  expect(finished).toMatchObject({ code: 0 });
  expect(finished.stdout).toContain(`1 profiles were removed that were deleted there: ${removed}.`);
  expect(finished.stdout).toContain(`changed or decided on here: ${decided}.`);
  expect(await profiles.find({ _id: { $in: [removed, decided] } as never }).toArray()).toMatchObject([
    { _id: decided },
  ]);
  expect(await db.collection<{ _id: string }>('accounts').findOne({ _id: removed as string })).not.toBeNull();
  const isStored = ({ license_file_path: one }: { license_file_path: string }) =>
    existsSync(path.join(target.storageDir, one));
  expect(doctors.map(isStored)).toEqual([false, true]);
});

/** Gives the journal the form of the version before: sums without keys, and digests without parts. */
async function makeOld(): Promise<void> {
  const sumsOf: Record<string, string> = {
    accounts:
      'SELECT id AS k, LPAD(HEX(CRC32(CONCAT_WS(CHAR(0), name, email, IFNULL(phone, CHAR(26)), IFNULL(dob, CHAR(26)), role, password,' +
      ' IFNULL(created_at, CHAR(26)), IFNULL(updated_at, CHAR(26))))), 8, "0") AS s FROM accounts',
    tokens:
      'SELECT id AS k, LPAD(HEX(CRC32(CONCAT_WS(CHAR(0), tokenable_id, tokenable_type, name, token, IFNULL(abilities, CHAR(26)),' +
      ' IFNULL(last_used_at, CHAR(26)), IFNULL(expires_at, CHAR(26)), IFNULL(created_at, CHAR(26))))), 8, "0") AS s' +
      ' FROM personal_access_tokens',
  };
  const batches = target.database.db.collection<{ _id: string } & Record<string, unknown>>('legacy_batches');
  for (const [kind, sql] of Object.entries(sumsOf)) {
    const rows = await query<{ k: number; s: string }>(sql);
    const sums = new Map(rows.map(({ k, s }) => [String(k), s]));
    for (const batch of await batches.find({ kind }).toArray()) {
      const keys = String(batch.keys).split('\n');
      const width = Number(batch.digestCharacters);
      const digests = keys.map((__, index) =>
        String(batch.digests).slice(index * width, index * width + DIGEST_CHARACTERS),
      );
      const old = keys.map((key) => sums.get(key) ?? '');
      await batches.updateOne(
        { _id: batch._id },
        {
          $set: {
            sums: old.join(''),
            digests: digests.join(''),
            total: old.reduce((sum, one) => sum + Number.parseInt(one, 16), 0),
          },
          $unset: { withKey: '', waiting: '', digestCharacters: '' },
        },
      );
    }
  }
}

test('sums of the version before are recognised: by verify, by sync, and by back', async () => {
  const changes = 'UPDATE accounts SET name = ? WHERE id = ?';
  const { patient, cost12 } = target.legacy.accounts;
  await makeOld();
  expect(await command('verify')).toMatchObject({ code: 0 });
  await query(changes, ['There', patient.id]);
  await target.database.accounts.updateOne(
    { _id: String(cost12.id) },
    { $set: { email: 'here@example.org', emailKey: 'here@example.org' } },
  );

  const back = await command('back', '--yes');
  expect(back.stdout).toContain('1 accounts changed');
  expect(back.stdout).not.toContain('both sides');
  const synced = await command('sync');
  expect(synced.stdout).toContain('1 accounts changed');
  expect(synced.stdout).not.toContain('both sides');
  expect((await command('sync')).stdout).toContain('nothing was changed');
});

test('an e-mail with blanks at its end that the version before has taken is found from the next sync on', async () => {
  const { patient } = target.legacy.accounts;
  await query('UPDATE accounts SET email = CONCAT(email, " ") WHERE id = ?', [patient.id]);
  expect(await command('sync')).toMatchObject({ code: 0 });
  const { accounts } = target.database;
  const filter = { _id: String(patient.id) };
  await accounts.updateOne(filter, { $set: { emailKey: `${patient.email} ` } });
  await makeOld();
  expect(await command('sync')).toMatchObject({ code: 0 });
  expect(await accounts.findOne(filter)).toMatchObject({
    email: `${patient.email} `,
    emailKey: patient.email,
  });
});

test('services hear of accounts that go and come back, and of tokens that are removed; an import is no event', async () => {
  const { db, accounts } = target.database;
  const events = db.collection<StoredAuditEvent>('audit_events');
  expect(await events.countDocuments({ unpublished: { $exists: true } })).toBe(0);
  const { doctor, patient } = target.legacy.accounts;
  const [row] = await query('SELECT * FROM accounts WHERE id = ?', [patient.id]);
  const [token] = await query('SELECT id, tokenable_id FROM personal_access_tokens LIMIT 1');
  await query('DELETE FROM accounts WHERE id IN (?, ?)', [doctor.id, patient.id]);
  await query('DELETE FROM personal_access_tokens WHERE id = ?', [token?.id]);
  expect(await command('sync')).toMatchObject({ code: 0 });
  await query('INSERT INTO accounts SET ?', [row]);
  expect(await command('sync')).toMatchObject({ code: 0 });

  const found = await events.find({ unpublished: { $exists: true } }).toArray();
  const closed = ({ id }: { id: number }) => ['closing', String(id), 'account.closed'];
  expect(
    found.map(({ act, accountId, unpublished }) => [act, accountId, unpublished?.type]).toSorted(),
  ).toEqual(
    [
      closed(doctor),
      closed(patient),
      ['enabling', String(patient.id), 'account.enabled'],
      ['token removal', String(token?.tokenable_id), 'sessions.revoked'],
    ].toSorted(),
  );
  expect(found.every(({ reason, operator }) => reason === 'legacy sync' && operator === 'legacy sync')).toBe(
    true,
  );
  expect(await accounts.countDocuments({ 'eventNotes.0': { $exists: true } })).toBe(0);
});
