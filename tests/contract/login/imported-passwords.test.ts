import { authenticated, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { importAccount } from '../../support/legacy.ts';
import { freshEmail } from '../../support/people.ts';
import {
  CHEAP_PHP_MADE_PASSWORDS,
  PHP_MADE_PASSWORDS,
  type PhpMadePassword,
} from '../../support/php-made.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

/** Between the costs of the hashes that PHP made: 4 and 6. */
const app = useTestApp({ BCRYPT_COST: '5' });

const [COST_6, COST_4, EIGHTY_BYTES, DECOMPOSED, ARGON2ID, ARGON2I] = CHEAP_PHP_MADE_PASSWORDS;

/** The start of the hash that is stored after the first login. */
const STORED_AFTERWARDS = [
  { ...COST_6, start: '$2y$06$' },
  { ...COST_4, start: '$2b$05$' },
  { ...EIGHTY_BYTES, start: '$2y$05$' },
  { ...DECOMPOSED, start: '$2b$05$' },
  { ...ARGON2ID, start: '$2b$05$' },
  { ...ARGON2I, start: '$2b$05$' },
];

/** Imports an account with a hash that PHP made. */
const imported = ({ password, hash }: PhpMadePassword) =>
  importAccount(app.database, freshEmail(), { password, passwordHash: hash });

const login = (email: string, password: string) => restApi(app.url).login({ email, password });
const storedHash = async (id: string) =>
  (await app.database.accounts.findOne({ _id: id }))?.passwordHash ?? '';

test.each(STORED_AFTERWARDS)(
  'a password that PHP hashed logs in, again after its upgrade: $name',
  async ({ start, ...made }) => {
    const { password, hash } = made;
    const { id, email } = await imported(made);
    refused(await login(email, `b${password.slice(1)}`), 'credentials');
    expect(await storedHash(id)).toBe(hash);

    const { token } = authenticated(await login(email, password));
    expect(await accountOf(app.url, token)).toMatchObject({ id });
    const upgraded = await storedHash(id);
    expect(upgraded.slice(0, 7)).toBe(start);

    expect(authenticated(await login(email, password)).account).toMatchObject({ id });
    expect(await storedHash(id)).toBe(upgraded);
  },
);

test('the whole of a long password logs in, and its first 72 bytes, before and after the upgrade', async () => {
  const { password } = EIGHTY_BYTES;
  const { id, email } = await imported(EIGHTY_BYTES);
  authenticated(await login(email, password.slice(0, 72)));
  expect(await storedHash(id)).not.toBe(EIGHTY_BYTES.hash);
  authenticated(await login(email, password));
  authenticated(await login(email, password.slice(0, 72)));
  authenticated(await login(email, password.slice(0, 72) + 'ü'.repeat(40_000)));
  refused(await login(email, password.slice(0, 71)), 'credentials');
});

test('decomposed letters log in however they are typed, once the hash is upgraded', async () => {
  const { password } = DECOMPOSED;
  const { email } = await imported(DECOMPOSED);
  const composed = password.normalize('NFC');
  // PHP refused it as well.
  refused(await login(email, composed), 'credentials');
  authenticated(await login(email, password));
  authenticated(await login(email, composed));
  authenticated(await login(email, password));
});

test('the right password of a disabled account with an argon2 hash is refused, and its hash stays', async () => {
  const { id, email, password } = await imported(ARGON2ID);
  await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
  refused(await login(email, password), 'credentials');
  expect(await storedHash(id)).toBe(ARGON2ID.hash);
});

test.each([
  ['90 KB', 'b'.repeat(90_000)],
  ['combining marks', `a${'\u0315\u0300'.repeat(20_000)}`],
  ['a right password with a NUL and more', 'correct horse\0more'],
  ['a right password with a blank', 'correct horse '],
  ['a right password in upper case', 'CORRECT HORSE'],
  ['the hash itself', ARGON2I.hash],
])('a password of %s is wrong for every hash of PHP', async (_name, sent) => {
  const api = restApi(app.url);
  const unknown = refused(await api.login({ email: freshEmail(), password: sent }), 'credentials');
  for (const { hash } of [COST_4, ARGON2I]) {
    const { email } = await importAccount(app.database, freshEmail(), { passwordHash: hash });
    const refusal = refused(await api.login({ email, password: sent }), 'credentials');
    expect(comparable(refusal.http)).toEqual(comparable(unknown.http));
  }
});

test.each(PHP_MADE_PASSWORDS)('a password that PHP hashed at its own cost logs in: $name', async (made) => {
  const { email, password } = await imported(made);
  authenticated(await restApi(app.url).login({ email, password }));
});
