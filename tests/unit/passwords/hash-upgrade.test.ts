import bcrypt from 'bcrypt';
import { PasswordHasher } from '../../../src/auth/passwords/password-hasher.ts';
import { systemClock } from '../../../src/system/clock.ts';

const COST = 5;
const hasher = new PasswordHasher(COST, 2, systemClock);

/** A hash as PHP makes it: of the raw bytes, of which bcrypt reads 72. */
const phpHash = async (password: string, cost: number) =>
  (await bcrypt.hash(Buffer.from(password).subarray(0, 72), cost)).replace('$2b$', '$2y$');

/** Logs in and returns the hash that is stored afterwards. */
async function login(password: string, storedHash: string): Promise<string> {
  const match = await hasher.verify(password, storedHash);
  if (!match) {
    throw new Error('the password is wrong');
  }
  return (await hasher.upgrade(match)) ?? storedHash;
}

const isRight = async (password: string, hash: string) => (await hasher.verify(password, hash)) !== undefined;

// tests/contract/login has other costs, and what PHP has made.
test.each([
  ['$2a$', COST - 1, '$2b$05$'],
  ['$2y$', COST, '$2y$05$'],
])('a hash %s of cost %d is then one of %s', async (prefix, cost, expected) => {
  const hash = (await bcrypt.hash('correct horse', cost)).replace('$2b$', prefix);
  const upgraded = await login('correct horse', hash);
  expect(upgraded.slice(0, 7)).toBe(expected);
  expect(await isRight('correct horse', upgraded)).toBe(true);
  expect(await isRight('another horse', upgraded)).toBe(false);
});

test.each([COST - 1, COST, COST + 1])(
  'a hash of cost %d of decomposed letters is then ours, for all keyboards',
  async (cost) => {
    const typed = 'Cafe\u0301-geheim';
    const upgraded = await login(typed, await phpHash(typed, cost));
    expect(upgraded.slice(0, 7)).toBe(`$2b$0${Math.max(COST, cost)}$`);
    expect(await isRight(typed, upgraded)).toBe(true);
    expect(await isRight(typed.normalize('NFC'), upgraded)).toBe(true);
  },
);

describe('a password of which PHP may have read only 72 bytes keeps its rules', () => {
  const NFD = 'e\u0301';
  test.each([
    ['80 bytes', 'a'.repeat(80), 'a'.repeat(72)],
    ['80 bytes, of which the first 72 are typed', 'a'.repeat(72), 'a'.repeat(80)],
    ['a character across byte 72', `${'a'.repeat(71)}ü and more`, `${'a'.repeat(71)}ü`],
    ['decomposed letters that have 72 bytes after composing', NFD.repeat(36), `${NFD.repeat(36)}!`],
    ['100 KB', 'ü'.repeat(50_000), 'ü'.repeat(36)],
    ['100 KB of combining marks', `a${'\u0315\u0300'.repeat(25_000)}`, `a${'\u0315\u0300'.repeat(18)}`],
  ])('%s', async (_name, typed, alsoTyped) => {
    const upgraded = await login(typed, await phpHash(typed, COST - 1));
    expect(upgraded.slice(0, 7)).toBe('$2y$05$');
    expect(await isRight(typed, upgraded)).toBe(true);
    expect(await isRight(alsoTyped, upgraded)).toBe(true);
    expect(await isRight(`b${typed}`, upgraded)).toBe(false);
    expect(await login(typed, upgraded)).toBe(upgraded);
  });

  test('letters that are longer after composing', async () => {
    // A musical note: 4 bytes as typed, 12 in NFC.
    const typed = '\u{1d160}'.repeat(10);
    const upgraded = await login(typed, await phpHash(typed, COST - 1));
    expect(upgraded.slice(0, 7)).toBe('$2y$05$');
    expect(await isRight(typed, upgraded)).toBe(true);
  });
});

test('an argon2 hash stays for a password that is longer than bcrypt reads', async () => {
  // Made by PHP.
  const hash =
    '$argon2i$v=19$m=64,t=1,p=1$QnNJVUlwWVFkZmRqTkJ1SQ$FDl+Rx1K4yz/NyWH0ha42EFHPFCk5ndyIzVJmH0kS0s';
  const password = 'x'.repeat(73);
  expect(await login(password, hash)).toBe(hash);
  expect(await isRight('x'.repeat(72), hash)).toBe(false);
});
