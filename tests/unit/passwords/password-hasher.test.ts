import bcrypt from 'bcrypt';
import { PasswordHasher } from '../../../src/auth/passwords/password-hasher.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { hashWorkOf } from '../../support/hash-work.ts';

const COST = 4;
const PASSWORD = 'correct horse battery staple';
const CONCURRENCY = 2;
const hasher = new PasswordHasher(COST, CONCURRENCY, systemClock);

const isRight = async (password: string, storedHash: string | undefined, by = hasher) =>
  (await by.verify(password, storedHash)) !== undefined;

const refuse = async () => {
  throw new Error('refused');
};

test('a hash is bcrypt of the configured cost, and salted', async () => {
  const [one, another] = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)];
  expect(one).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
  expect(another).not.toBe(one);
  expect(await isRight(PASSWORD, one)).toBe(true);
  expect(await isRight('another', one)).toBe(false);
});

test.each([true, false])('1,024 hashes of many networks may wait (known requesters: %s)', async (isKnown) => {
  const fresh = new PasswordHasher(COST, CONCURRENCY, systemClock);
  const leaving = new AbortController();
  const jobs = Array.from({ length: 1_100 }, (_, index) => {
    const ip = `10.${index >> 8}.${index & 255}.1`;
    return fresh.hash(PASSWORD, { ip, gone: leaving.signal, isKnown }).catch(() => {});
  });
  expect(fresh.depth).toEqual({ running: CONCURRENCY, waiting: 1_024 });
  leaving.abort();
  await Promise.all(jobs);
});

describe('exactly one comparison is made, at the configured cost or that of the hash', () => {
  const CORRUPT = [
    '',
    'plain text',
    '$2b$04$tooshort',
    `$2x$04$${'.'.repeat(53)}`,
    `$2b$4$${'.'.repeat(53)}`,
    `$2b$03$${'.'.repeat(53)}`,
    `$2b$21$${'.'.repeat(53)}`,
    `$2b$99$${'.'.repeat(53)}`,
    `$2y$04$${'.'.repeat(54)}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${'a'.repeat(43)}`,
    `$argon2id$v=19$m=262145,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  ];

  test.each(CORRUPT)('where the hash is corrupt: %j', async (storedHash) => {
    const fresh = new PasswordHasher(COST, CONCURRENCY, systemClock);
    const { costs } = await hashWorkOf(async () =>
      expect(await isRight(PASSWORD, storedHash, fresh)).toBe(false),
    );
    expect(costs).toEqual([COST]);
  });

  test('and nothing more for a success, whose caller knows that the password is right', async () => {
    const strong = new PasswordHasher(8, CONCURRENCY, systemClock);
    const cheap = await bcrypt.hash(PASSWORD, 5);
    const { costs } = await hashWorkOf(async () => expect(await isRight(PASSWORD, cheap, strong)).toBe(true));
    expect(costs).toEqual([5]);
  });

  test('and after a hash with a higher cost was seen, all failures cost as much', async () => {
    const weak = new PasswordHasher(4, CONCURRENCY, systemClock);
    expect(await isRight('wrong', await bcrypt.hash(PASSWORD, 6), weak)).toBe(false);
    // An unknown e-mail takes the same steps as an account of today's cost.
    for (const storedHash of [undefined, `$2b$04$${'.'.repeat(53)}`]) {
      expect((await hashWorkOf(() => weak.verify(PASSWORD, storedHash))).costs).toEqual([4, 4, 5]);
    }
  });

  test.each([
    { name: 'a match that is not accepted', sent: PASSWORD, accept: refuse },
    { name: 'a wrong password', sent: 'wrong', accept: undefined },
    { name: 'a wrong password that would not be accepted either', sent: 'wrong', accept: refuse },
    { name: 'a password that bcrypt reads only up to a NUL', sent: `${PASSWORD}\0more`, accept: undefined },
    { name: 'a lone surrogate', sent: '\ud800', accept: undefined },
  ])('and $name makes up for a cheaper hash, and teaches a higher cost', async ({ sent, accept }) => {
    const fresh = new PasswordHasher(6, CONCURRENCY, systemClock);
    const roundsOf = async (hash: string | undefined) =>
      (await hashWorkOf(() => fresh.verify(sent, hash, accept && { accept }).catch(() => {}))).rounds;
    const [cheap, costly] = [await bcrypt.hash(PASSWORD, 4), await bcrypt.hash(PASSWORD, 7)];
    expect(await roundsOf(cheap)).toBe(2 ** 6);
    expect(await roundsOf(costly)).toBe(2 ** 7);
    expect(await roundsOf(cheap)).toBe(2 ** 7);
    expect(await roundsOf(undefined)).toBe(2 ** 7);
  });

  test('and a match that is not accepted ends with the refusal', async () => {
    const verified = hasher.verify(PASSWORD, await bcrypt.hash(PASSWORD, COST), { accept: refuse });
    await expect(verified).rejects.toThrow('refused');
  });
});

test.each(['', '\0', 'x'.repeat(200)])(
  'the hash that stands in for a missing one matches nothing: %j',
  async (password) => {
    expect(await isRight(password, undefined)).toBe(false);
    expect(await isRight(password, '')).toBe(false);
  },
);
