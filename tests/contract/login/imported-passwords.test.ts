import { throughEachDoor } from '../../support/doors.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { importAccount } from '../../support/legacy.ts';
import { freshEmail } from '../../support/people.ts';
import { PHP_MADE_PASSWORDS } from '../../support/php-made.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

/** Between the costs of the hashes that PHP made: 10 and 12. */
const app = useTestApp({ BCRYPT_COST: '11' });

const [COST_12, COST_10, EIGHTY_BYTES, DECOMPOSED, ARGON2ID, ARGON2I] = PHP_MADE_PASSWORDS;
const cheapApp = useTestApp();
/** Made by PHP of "correct horse", at costs that take little time. */
const CHEAP_BCRYPT = '$2y$04$mjM1aDo2Nn7Ea9VQJY0p7edXsS/N4Uf1gZR9ZI06rAY5Mm6QK5qQq';
const CHEAP_ARGON2 =
  '$argon2i$v=19$m=64,t=1,p=1$aGJJVWg5WFRXZmpRem4uYQ$fSuESffP8EP6S8aYP3oecjgW+9uHMYqfXqf78m25NhE';

/** The start of the hash that is stored after the first login. */
const STORED_AFTERWARDS = [
  { ...COST_12, start: '$2y$12$' },
  { ...COST_10, start: '$2b$11$' },
  { ...EIGHTY_BYTES, start: '$2y$11$' },
  { ...DECOMPOSED, start: '$2b$11$' },
  { ...ARGON2ID, start: '$2b$11$' },
  { ...ARGON2I, start: '$2b$11$' },
];

throughEachDoor((openDoor) => {
  const login = (email: string, password: string) => openDoor(app.url).login({ email, password });
  const storedHash = async (id: string) =>
    (await app.database.accounts.findOne({ _id: id }))?.passwordHash ?? '';

  /** Imports an account with a hash that PHP made. */
  const imported = ({ password, hash }: { password: string; hash: string }) =>
    importAccount(app.database, freshEmail(), { password, passwordHash: hash });

  test.each(STORED_AFTERWARDS)(
    'a password that PHP hashed logs in, again after its upgrade: $name',
    async ({ password, hash, start }) => {
      const { id, email } = await imported({ password, hash });
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
    ['the hash itself', CHEAP_ARGON2],
  ])('a password of %s is wrong for every hash of PHP', async (_name, sent) => {
    const door = openDoor(cheapApp.url);
    const unknown = refused(await door.login({ email: freshEmail(), password: sent }), 'credentials');
    for (const hash of [CHEAP_BCRYPT, CHEAP_ARGON2]) {
      const { email } = await importAccount(cheapApp.database, freshEmail(), { passwordHash: hash });
      const refusal = refused(await door.login({ email, password: sent }), 'credentials');
      expect(comparable(refusal.http)).toEqual(comparable(unknown.http));
    }
  });
});
