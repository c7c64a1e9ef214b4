import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOfHash } from '../../../src/stores/account-credentials.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { type Move, reasonsIn, startMove, summaryOf } from '../support/move.ts';

const { patient, doctor, cost12 } = LEGACY_ACCOUNTS;

let move: Move;
beforeAll(async () => {
  move = await startMove();
  await move.import();
});
afterAll(() => move.stop());

test('all rows and files are equal after an import, and a sample says so, too', async () => {
  const result = await move.verify();
  expect(result).toMatchObject({ code: 0, found: [] });
  expect(summaryOf(result)).toMatchObject({
    accounts: { compared: 15, different: 0, notTaken: 1 },
    profiles: { compared: 4, different: 0 },
    tokens: { different: 0 },
  });
  const sample = await move.verify('--sample', '2');
  expect(sample).toMatchObject({ code: 0, found: [] });
  expect(summaryOf(sample)).toMatchObject({ accounts: { compared: 2 }, tokens: { compared: 2 } });
});

test('a token that was only used there since the last sync is no difference', async () => {
  const { query } = move.legacy.database;
  const { id } = LEGACY_TOKENS.used;
  await query(`UPDATE personal_access_tokens SET last_used_at = '2024-03-02 10:11:13' WHERE id = ${id}`);
  const result = await move.verify();
  expect([result.code, reasonsIn(result)]).toEqual([0, [`tokens ${id}: it was used there since`]]);
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
  const result = await move.verify();
  expect([result.code, reasonsIn(result)]).toEqual([
    1,
    [
      `accounts ${patient.id}: emailKey`,
      `profiles ${doctor.id}: publications`,
      `tokens ${LEGACY_TOKENS.used.id}: secretHash`,
    ],
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
  const result = await move.verify();
  expect([result.code, reasonsIn(result)]).toEqual([
    1,
    [`files ${paths[0]}: the content`, `files ${paths[1]}: the size`].toSorted(),
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
  const kept = await move.verify();
  expect(kept.code).toBe(0);
  expect(kept.found.toSorted()).toEqual([
    `accounts ${patient.id} kept`,
    `tokens ${LEGACY_TOKENS.oldest.id} kept`,
  ]);

  await accounts.deleteOne({ _id: String(cost12.id) });
  await tokens.deleteOne({ _id: String(LEGACY_TOKENS.withoutDates.id) });
  await tokens.insertOne({ ...(await tokens.findOne({})), _id: 'stray', imported: true } as never);
  const result = await move.verify();
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
  expect(reasonsIn(result).filter((reason) => reason.includes(' line '))).toEqual([
    // The owner was disabled above.
    'tokens line 3: the gateway answers UNAUTHENTICATED',
    'tokens line 4: the gateway answers UNAUTHENTICATED',
    'tokens line 5: the gateway answers UNAUTHENTICATED',
  ]);
  expect(result.code).toBe(1);
});
