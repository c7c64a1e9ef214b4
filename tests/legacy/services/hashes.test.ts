import { authenticated, refused } from '../../support/expectations.ts';
import { CHEAP_PHP_MADE_PASSWORDS } from '../../support/php-made.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount } from '../support/legacy-service.ts';
import { type Move, startMove } from '../support/move.ts';

const [COST_6, COST_4, , , ARGON2ID, ARGON2I] = CHEAP_PHP_MADE_PASSWORDS;
const password: string = COST_4.password;
const SALT_AND_DIGEST = COST_4.hash.slice(7);

/** Hashes, what `inspect` calls them, and how those begin that a login leaves. */
const KNOWN: [hash: string, kind: string, afterwards: string][] = [
  [COST_6.hash, '2y$06', '$2y$06$'],
  [`$2a$04$${SALT_AND_DIGEST}`, '2a$04', '$2b$05$'],
  [`$2b$04$${SALT_AND_DIGEST}`, '2b$04', '$2b$05$'],
  [ARGON2ID.hash, ARGON2ID.hash.split('$', 4).slice(1).join('$'), '$2b$05$'],
  [ARGON2I.hash, ARGON2I.hash.split('$', 4).slice(1).join('$'), '$2b$05$'],
];

/** Hashes that nobody can log in with. */
const UNKNOWN = [
  `$2x$04$${SALT_AND_DIGEST}`,
  `$2$04$${SALT_AND_DIGEST}`,
  `$2c$04$${SALT_AND_DIGEST}`,
  `$2y$04$${SALT_AND_DIGEST.slice(1)}`,
  `$2y$04$${SALT_AND_DIGEST}x`,
  ` $2y$04$${SALT_AND_DIGEST}`,
  `$2y$03$${SALT_AND_DIGEST}`,
  `$2y$21$${SALT_AND_DIGEST}`,
  `$2y$31$${SALT_AND_DIGEST}`,
  `$2y$4$${SALT_AND_DIGEST}`,
  ARGON2I.hash.replace('argon2i', 'argon2d'),
  ARGON2ID.hash.replace('$v=19', ''),
  ARGON2ID.hash.replace(/m=\d+/, 'm=999999'),
  ARGON2ID.hash.slice(0, -1),
  // MD5 and SHA-1 of the password, then crypt's MD5 and SHA-512, phpass, and the password itself.
  '92b8b61ce81b6b1b2f9ff0c5fb2ad8a0',
  'abf7aad6438836dbe526aa231abde2d0eef74d42',
  '$1$rasmusle$rISCgZzpwk3UhDidwXvin0',
  `$6$rounds=5000$usesomesillystri$${'x'.repeat(86)}`,
  '$P$984478476IagS59wHZvyQMArzfx58u.',
  password,
];

const people = [...KNOWN.map(([hash]) => hash), ...UNKNOWN, ''].map((hash, index) => ({
  ...LEGACY_ACCOUNTS.patient,
  ...{ id: 5000 + index, email: `hash.${index}@example.org`, phone: `hash ${index}`, password, hash },
}));

let move: Move;
beforeAll(async () => {
  move = await startMove({ BCRYPT_COST: '5', RATE_LIMIT: 'off', ID_FORMAT: 'integer' });
  rememberPassword(password);
  await move.query('DELETE FROM accounts');
  for (const person of people) {
    await addAccount(move.query, person);
  }
  await move.done('import', '--yes');
});
afterAll(() => move.stop());

const login = (index: number, typed = password) =>
  restApi(move.app.url).login({ email: people[index]?.email ?? '', password: typed });
const storedOf = (index: number) =>
  move.app.database.accounts.findOne({ _id: String(people[index]?.id ?? '') });

test('inspect calls every hash unknown that no login can compare with', async () => {
  const { lines } = await move.done('inspect');
  const { hashes } = lines.at(-1) as { hashes: Record<string, number> };
  const known = Object.fromEntries(KNOWN.map(([, kind]) => [kind, 1]));
  expect(hashes).toEqual({ ...known, unknown: UNKNOWN.length, none: 1 });
});

test('nobody logs in with such a hash, and the hash stays', async () => {
  for (const index of people.keys()) {
    if (index >= KNOWN.length) {
      refused(await login(index), 'credentials');
      expect((await storedOf(index))?.passwordHash).toBe(people[index]?.hash);
    }
  }
});

test('a hash that a login has replaced is no difference, however the hash was spelled', async () => {
  for (const [index, [, , afterwards]] of KNOWN.entries()) {
    authenticated(await login(index));
    expect((await storedOf(index))?.passwordHash.slice(0, 7)).toBe(afterwards);
  }
  expect(await move.run('verify')).toMatchObject({ code: 0, found: [] });
  expect(await move.done('sync')).toMatchObject({ found: [] });
});

test('a new password there replaces an upgraded hash, and one that was chosen here stays', async () => {
  const { query } = move.legacy.database;
  const change = (index: number, hash: string) =>
    query('UPDATE accounts SET password = ? WHERE id = ?', [hash, people[index]?.id ?? 0]);
  // Of the account with a hash `$2b$` in both directions.
  const ours = KNOWN.findIndex(([, kind]) => kind === '2b$04');
  await change(ours, COST_6.hash);
  await change(0, `$2b$04$${SALT_AND_DIGEST}`);
  expect(await move.done('sync')).toMatchObject({ found: [] });
  expect(await storedOf(ours)).toMatchObject({ passwordHash: COST_6.hash });
  expect(await storedOf(ours)).not.toHaveProperty('upgradedFrom');
  authenticated(await login(0));
  authenticated(await login(ours));
  expect(await move.run('verify')).toMatchObject({ code: 0, found: [] });

  const { token } = authenticated(await login(0));
  const chosen = 'another horse entirely';
  rememberPassword(chosen);
  const changed = await fetch(`${move.app.url}/api/v1/auth/password`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ current_password: password, password: chosen }),
  });
  expect(changed.status).toBe(200);
  await change(0, `$2b$05$${SALT_AND_DIGEST}`);
  expect(await move.done('sync')).toMatchObject({ found: [`accounts ${people[0]?.id} conflict`] });
  authenticated(await login(0, chosen));
  expect(await storedOf(0)).not.toHaveProperty('upgradedFrom');
});

test('the way back leaves the hashes there that a login has only replaced', async () => {
  const hashesThere = async () =>
    (await move.query('SELECT password FROM accounts WHERE id > ? ORDER BY id', [people[0]?.id ?? 0])) as {
      password: string;
    }[];
  const before = await hashesThere();
  expect(await move.run('back', '--yes')).toMatchObject({ code: 0 });
  expect(await hashesThere()).toEqual(before);
});
