// Texts that a legacy database may have, and UTF-8 or BSON may not.
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addProfile, addToken } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, useMove } from '../support/move.ts';

const { patient } = LEGACY_ACCOUNTS;
/** No UTF-8: half of a letter, half of a surrogate pair, a byte that is in no text. */
const BROKEN = ['c3', 'eda080', '61ff62'];

const ACCOUNT_COLUMNS = ['name', 'email', 'phone', 'password'];
const PROFILE_COLUMNS = [
  'specialization',
  'license_number',
  'license_file_path',
  'diploma_file_path',
  'certification_file_path',
  'current_institution',
  'work_history',
  'publications',
  'practice_address',
];
const TOKEN_COLUMNS = ['name', 'token', 'abilities'];

/** JSON of abilities, and whether the gateway takes them. */
const ABILITIES: [json: string, isTaken: boolean][] = [
  ['["\\ud800"]', false],
  ['["read", "\\udfff"]', false],
  ['["\\ude00\\ud83d"]', false],
  ['["a\\ud83db"]', false],
  ['["\\ud83d\\ude00"]', true],
  ['["\\ufffd"]', true],
  ['["read\\u0000"]', true],
  ['["*", "\\ud800"]', true],
];

const move = useMove({}, { isImported: false });

const addAToken = (id: number, abilities = '["*"]', accountId: number = patient.id) =>
  addToken(move.query, {
    ...{ ...LEGACY_TOKENS.used, id, accountId, abilities },
    ...{ plain: `${id}|${'p'.repeat(40)}`, hash: id.toString(16).padStart(64, '0') },
  });

/** Adds a person with a profile and a token. */
async function addDoctor(id: number): Promise<void> {
  const fields = { email: `text.${id}@example.org`, phone: `text ${id}` };
  await addAccount(move.query, { ...LEGACY_ACCOUNTS.doctor, ...fields, id });
  await addProfile(move.query, move.legacy.filesDir, { id, user_id: id });
  await addAToken(id, '["*"]', id);
}

/** Every text column of the three tables, the table's key, and the id of the row that gets a broken text. */
const COLUMNS = [
  ...ACCOUNT_COLUMNS.map((column) => ({ table: 'accounts', key: 'id', column })),
  ...PROFILE_COLUMNS.map((column) => ({ table: 'doctor_profiles', key: 'user_id', column })),
  ...TOKEN_COLUMNS.map((column) => ({ table: 'personal_access_tokens', key: 'id', column })),
].map((one, index) => ({ ...one, id: 6000 + index }));

const KINDS: Record<string, string> = {
  accounts: 'accounts',
  doctor_profiles: 'profiles',
  personal_access_tokens: 'tokens',
};

test('a row with a text that is no UTF-8 is refused with its column, once, and taken when the text is right', async () => {
  for (const [index, { table, key, column, id }] of COLUMNS.entries()) {
    await addDoctor(id);
    await move.query(`ALTER TABLE ${table} MODIFY ${column} varbinary(512) NULL`);
    await move.query(
      `CREATE TABLE right_${id} AS SELECT ${column} AS text FROM ${table} WHERE ${key} = ${id}`,
    );
    const broken = BROKEN[index % BROKEN.length];
    await move.query(`UPDATE ${table} SET ${column} = X'${broken}' WHERE ${key} = ${id}`);
  }
  const imported = await move.import();
  const refused = COLUMNS.map(({ table, id }) => `${KINDS[table]} ${id} not taken`);
  expect(imported.found).toEqual(expect.arrayContaining(refused));
  const reasons = imported.lines.filter(({ event }) => event === 'finding').map((one) => one.reason);
  expect(reasons).toEqual(
    expect.arrayContaining(['name', 'work_history', 'abilities'].map((name) => `${name} is no valid UTF-8`)),
  );
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
  expect(countsIn(await move.sync())).toEqual({});

  for (const { table, key, column, id } of COLUMNS) {
    await move.query(`UPDATE ${table} SET ${column} = (SELECT text FROM right_${id}) WHERE ${key} = ${id}`);
  }
  expect(await move.sync()).toMatchObject({ found: [] });
  const { accounts, profiles, tokens } = move.app.database;
  const ids = { $in: COLUMNS.map(({ id }) => String(id)) };
  for (const collection of [accounts, profiles, tokens]) {
    expect(await collection.countDocuments({ _id: ids } as object)).toBe(COLUMNS.length);
  }
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
}, 120_000);

test('abilities with half a surrogate pair are refused, also by a sync, and all others are the same here', async () => {
  await move.import();
  for (const [index, [json]] of ABILITIES.entries()) {
    await addAToken(7000 + index, json);
  }
  const synced = await move.sync();
  const refused = ABILITIES.flatMap(([, isTaken], index) =>
    isTaken ? [] : [`tokens ${7000 + index} not taken`],
  );
  expect(synced.found).toEqual(refused);
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
  expect(await move.sync()).toMatchObject({ found: [] });
  const stored = await move.app.database.tokens
    .find({ _id: /^70/ } as object, { sort: { _id: 1 } })
    .toArray();
  expect(stored.map(({ abilities }) => abilities)).toEqual([['😀'], ['\ufffd'], ['read\0'], null]);
});

test('NUL and other control characters are the same here', async () => {
  const strange = "CONCAT('a', CHAR(0), CHAR(26), CHAR(127), 'b')";
  await addDoctor(6500);
  const texts = PROFILE_COLUMNS.filter((column) => !column.endsWith('_path'));
  await move.query(
    `UPDATE accounts SET name = ${strange}, phone = ${strange}, email = CONCAT(${strange}, '@x') WHERE id = 6500`,
  );
  const profile = texts.map((column) => `${column} = ${strange}`).join(', ');
  await move.query(`UPDATE doctor_profiles SET ${profile} WHERE user_id = 6500`);
  await move.query(`UPDATE personal_access_tokens SET name = ${strange} WHERE id = 6500`);
  await move.import();
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
  const { accounts, profiles, tokens } = move.app.database;
  const text = 'a\0\u001a\u007fb';
  expect(await accounts.findOne({ _id: '6500' })).toMatchObject({
    name: text,
    phone: text,
    email: `${text}@x`,
  });
  expect(await profiles.findOne({ _id: '6500' })).toMatchObject({ specialization: text, workHistory: text });
  expect(await tokens.findOne({ _id: '6500' })).toMatchObject({ name: text });
  expect(countsIn(await move.sync())).toEqual({});
});

test('letters are the same here, whatever character set the server wants its connections to have', async () => {
  await move.query('ALTER TABLE doctor_profiles MODIFY work_history text CHARACTER SET latin1');
  await addDoctor(6500);
  await move.query(
    "UPDATE doctor_profiles SET work_history = CONCAT('ü€', CHAR(0x81 USING latin1)) WHERE user_id = 6500",
  );
  // For all users but root, whom the tests are.
  await move.query("SET GLOBAL init_connect = 'SET NAMES latin1'");
  await move.import();
  const { accounts, profiles } = move.app.database;
  expect(await accounts.findOne({ _id: String(patient.id) })).toMatchObject({ name: patient.name });
  expect(await profiles.findOne({ _id: '6500' })).toMatchObject({ workHistory: 'ü€\u0081' });

  await move.query("SET GLOBAL init_connect = 'SET NAMES utf8mb3'");
  await move.query("UPDATE accounts SET name = '🙂' WHERE id = 6500");
  await move.sync();
  expect(await accounts.findOne({ _id: '6500' })).toMatchObject({ name: '🙂' });
  await move.query("SET GLOBAL init_connect = ''");
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
});

test('keys that are no texts are refused before anything is imported', async () => {
  await move.query('DELETE FROM personal_access_tokens');
  await move.query('ALTER TABLE personal_access_tokens MODIFY id binary(16) NOT NULL');
  await move.query(
    "INSERT INTO personal_access_tokens (id, tokenable_type, tokenable_id, name, token) VALUES (X'ff00ff00ff00ff00ff00ff00ff00ff00', ?, ?, 'x', ?)",
    [LEGACY_TOKENS.used.type, patient.id, 'a'.repeat(64)],
  );
  expect(await move.run('inspect')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The keys in id of personal_access_tokens are no texts or numbers.'),
  });
});
