import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOfHash } from '../../../src/stores/account-credentials.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { type CommandResult, type Move, startMove } from '../support/move.ts';

const { patient, doctor, cost12 } = LEGACY_ACCOUNTS;

let move: Move;
beforeAll(async () => {
  move = await startMove();
  await move.done('import', '--files', move.legacy.filesDir, '--admins', 'skip', '--yes');
});
afterAll(() => move.stop());

const verify = (...words: string[]) => move.run('verify', '--files', move.legacy.filesDir, ...words);
const summaryOf = ({ lines }: CommandResult) => lines.find(({ event }) => event === 'summary');
const reasonsIn = ({ lines }: CommandResult) =>
  lines.filter(({ event }) => event === 'finding').map(({ id, reason }) => `${id} ${reason}`);

test('all rows and files are equal after an import, and a sample says so, too', async () => {
  const result = await verify();
  expect(result).toMatchObject({ code: 0, found: [] });
  expect(summaryOf(result)).toMatchObject({
    accounts: { compared: 15, different: 0, notTaken: 1 },
    profiles: { compared: 4, different: 0 },
    tokens: { different: 0 },
  });
  const sample = await verify('--sample', '2');
  expect(sample).toMatchObject({ code: 0, found: [] });
  expect(summaryOf(sample)).toMatchObject({ accounts: { compared: 2 }, tokens: { compared: 2 } });
});

test('one changed value in any column of the legacy database is found', async () => {
  const changes: [table: string, key: string, id: number, columns: Record<string, string>][] = [
    [
      'accounts',
      'id',
      patient.id,
      {
        name: "'Other'",
        email: "'Pat@example.org'",
        phone: "'1'",
        dob: "'1984-02-28'",
        role: "'doctor'",
        password: "REPLACE(password, '$10$', '$11$')",
        created_at: 'created_at + INTERVAL 1 SECOND',
        updated_at: 'updated_at + INTERVAL 1 SECOND',
      },
    ],
    [
      'doctor_profiles',
      'user_id',
      doctor.id,
      {
        specialization: "'cardiology'",
        license_number: "'1'",
        license_file_path: 'REPLACE(license_file_path, ".pdf", ".png")',
        diploma_file_path: 'REPLACE(diploma_file_path, ".pdf", ".png")',
        certification_file_path: 'NULL',
        current_institution: "'Charite'",
        work_history: "'1'",
        publications: 'NULL',
        practice_address: "'1 main Street'",
        created_at: 'created_at + INTERVAL 1 SECOND',
      },
    ],
    [
      'personal_access_tokens',
      'id',
      LEGACY_TOKENS.used.id,
      {
        tokenable_id: String(cost12.id),
        tokenable_type: "'App'",
        name: "'Auth-token'",
        token: 'REVERSE(token)',
        abilities: '\'["read"]\'',
        last_used_at: 'last_used_at + INTERVAL 1 SECOND',
        expires_at: "'2037-12-31 23:59:59'",
        created_at: 'created_at + INTERVAL 1 SECOND',
      },
    ],
  ];
  const { query } = move.legacy.database;
  // One column of each table at a time: a comparison starts a process.
  const rounds = Math.max(...changes.map(([, , , columns]) => Object.keys(columns).length));
  for (let round = 0; round < rounds; round += 1) {
    const changed = changes.flatMap(([table, key, id, columns]) => {
      const entry = Object.entries(columns)[round];
      return entry ? [{ table, where: `${key} = ${id}`, id, column: entry[0], value: entry[1] }] : [];
    });
    const before = await Promise.all(
      changed.map(({ table, where }) => query(`SELECT * FROM ${table} WHERE ${where}`)),
    );
    for (const { table, where, column, value } of changed) {
      await query(`UPDATE ${table} SET ${column} = ${value} WHERE ${where}`);
    }
    const result = await verify();
    expect([result.code, result.found.filter((one) => /differs$/.test(one)).length]).toEqual([
      1,
      expect.any(Number),
    ]);
    for (const { id, column } of changed) {
      expect([column, reasonsIn(result).filter((reason) => reason.startsWith(`${id} `)).length]).toEqual([
        column,
        1,
      ]);
    }
    for (const [index, { table, where }] of changed.entries()) {
      await query(`UPDATE ${table} SET ? WHERE ${where}`, [before[index]?.[0]]);
    }
  }
}, 600_000);

test('a token that was only used there since the last sync is no difference', async () => {
  const { query } = move.legacy.database;
  const { id } = LEGACY_TOKENS.used;
  await query(`UPDATE personal_access_tokens SET last_used_at = '2024-03-02 10:11:13' WHERE id = ${id}`);
  const result = await verify();
  expect([result.code, reasonsIn(result)]).toEqual([0, [`${id} it was used there since`]]);
  await query(`UPDATE personal_access_tokens SET last_used_at = '2024-03-02 10:11:12' WHERE id = ${id}`);
});

test('one changed field of a stored record is found', async () => {
  const { accounts, profiles, tokens } = move.app.database;
  const [account, profile, token] = [
    await accounts.findOne({ _id: String(patient.id) }),
    await profiles.findOne({ _id: String(doctor.id) }),
    await tokens.findOne({ _id: String(LEGACY_TOKENS.used.id) }),
  ];
  await accounts.updateOne({ _id: String(patient.id) }, { $set: { emailKey: 'other@example.org' } });
  await profiles.updateOne({ _id: String(doctor.id) }, { $set: { publications: 'None' } });
  await tokens.updateOne({ _id: String(LEGACY_TOKENS.used.id) }, { $set: { secretHash: 'a'.repeat(64) } });
  const result = await verify();
  expect([result.code, reasonsIn(result)]).toEqual([
    1,
    [`${patient.id} emailKey`, `${doctor.id} publications`, `${LEGACY_TOKENS.used.id} secretHash`],
  ]);
  await accounts.replaceOne({ _id: String(patient.id) }, account as never);
  await profiles.replaceOne({ _id: String(doctor.id) }, profile as never);
  await tokens.replaceOne({ _id: String(LEGACY_TOKENS.used.id) }, token as never);
});

test('one flipped byte, one byte more and a missing document are found', async () => {
  const paths = Object.values(move.legacy.profiles.doctor)
    .filter((value) => String(value).endsWith('.pdf'))
    .map(String);
  const files = paths.map((name) => path.join(move.app.storageDir, name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const flipped = Buffer.from(contents[0] ?? []);
  flipped[7] = (flipped[7] ?? 0) ^ 1;
  await writeFile(files[0] ?? '', flipped);
  await appendFile(files[1] ?? '', 'x');
  const result = await verify();
  expect([result.code, reasonsIn(result).toSorted()]).toEqual([
    1,
    [`${paths[0]} the content`, `${paths[1]} the size`].toSorted(),
  ]);
  for (const [index, file] of files.entries()) {
    await writeFile(file, contents[index] ?? '');
  }
});

test('rows that only one side has are found, and what was done here on purpose is kept', async () => {
  const { accounts, tokens } = move.app.database;
  await restApi(move.app.url).logout(`Bearer ${LEGACY_TOKENS.oldest.plain}`);
  const upgraded = { passwordHash: `$2b$12$${'x'.repeat(53)}`, upgradedFrom: digestOfHash(patient.hash) };
  await accounts.updateOne({ _id: String(patient.id) }, { $set: { disabledAt: new Date(), ...upgraded } });
  const kept = await verify();
  expect(kept.code).toBe(0);
  expect(kept.found.toSorted()).toEqual([
    `accounts ${patient.id} kept`,
    `tokens ${LEGACY_TOKENS.oldest.id} kept`,
  ]);

  await accounts.deleteOne({ _id: String(cost12.id) });
  await tokens.deleteOne({ _id: String(LEGACY_TOKENS.withoutDates.id) });
  await tokens.insertOne({ ...(await tokens.findOne({})), _id: 'stray', imported: true } as never);
  const result = await verify();
  expect(result.code).toBe(1);
  expect(result.found).toEqual(
    expect.arrayContaining([
      `accounts ${cost12.id} missing`,
      `tokens ${LEGACY_TOKENS.withoutDates.id} lost`,
      'tokens stray differs',
    ]),
  );
});

test('tokens of a file log in through the real door, and a refused one is named by its line', async () => {
  const file = path.join(move.app.storageDir, '..', `tokens-${process.pid}`);
  const { doctor: accepted, crc32b, expired } = LEGACY_TOKENS;
  await writeFile(file, `${accepted.plain}\n\n${crc32b.plain}\n${expired.plain}\nno token\n`);
  const result = await move.run('verify', '--tokens', file, '--url', move.app.url, '--sample', '1');
  expect(reasonsIn(result).filter((reason) => reason.startsWith('line'))).toEqual([
    // The owner was disabled above.
    'line 3 the gateway answers UNAUTHENTICATED',
    'line 4 the gateway answers UNAUTHENTICATED',
    'line 5 the gateway answers UNAUTHENTICATED',
  ]);
  expect(result.code).toBe(1);
});
