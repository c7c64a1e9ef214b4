import bcrypt from 'bcrypt';
import { PasswordHasher } from '../../../src/auth/passwords/password-hasher.ts';
import { parseStoredHash } from '../../../src/auth/passwords/stored-hash.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { hashWorkOf } from '../../support/hash-work.ts';

const COST = 4;
const hasher = new PasswordHasher(COST, 2, systemClock);
const isRight = async (password: string, hash: string, by = hasher) =>
  (await by.verify(password, hash)) !== undefined;

/** Made by PHP of the password "aé", with parameters that take little time. */
const ARGON2 =
  '$argon2id$v=19$m=64,t=1,p=1$VmgwRzk4MTRCT1QzcWpuLw$vW2V5Rry/q2whteTd/Z8BIf89DATHf6RdrigVSQoU+M';

test('a hash of the composed form takes the password as every keyboard types it', async () => {
  const hash = (await bcrypt.hash('Café', COST)).replace('$2b$', '$2y$');
  expect(await isRight('Cafe\u0301', hash)).toBe(true);
  expect(await isRight('Cafe\u0301', ARGON2)).toBe(false);
  expect(await isRight('ae\u0301', ARGON2)).toBe(true);
});

test('only hashes of PHP take the bytes as typed and the first 72 of more', async () => {
  const decomposed = await bcrypt.hash('Cafe\u0301', COST);
  expect(await isRight('Cafe\u0301', decomposed)).toBe(false);
  expect(await isRight('Cafe\u0301', decomposed.replace('$2b$', '$2y$'))).toBe(true);
  const long = await bcrypt.hash('x'.repeat(72), COST);
  expect(await isRight('x'.repeat(73), long)).toBe(false);
  expect(await isRight('x'.repeat(73), long.replace('$2b$', '$2y$'))).toBe(true);
  expect(await isRight('x'.repeat(71), long.replace('$2b$', '$2y$'))).toBe(false);
  expect(await isRight(`${'x'.repeat(71)}y`, long.replace('$2b$', '$2y$'))).toBe(false);
});

test('a NUL or half a surrogate pair matches no hash of PHP either', async () => {
  for (const [typed, read] of [
    ['short\0anything', 'short'],
    ['\ud800', '\ufffd'],
  ] as const) {
    const hash = (await bcrypt.hash(read, COST)).replace('$2b$', '$2y$');
    expect(await isRight(read, hash)).toBe(true);
    expect(await isRight(typed, hash)).toBe(false);
  }
});

describe('an argon2 hash', () => {
  const withParameters = (parameters: string) => ARGON2.replace('m=64,t=1,p=1', parameters);

  test.each(['m=65536,t=4,p=1', 'm=1024,t=2,p=2', 'm=262144,t=3,p=1', 'm=262144,t=4,p=16', 'm=8,t=1,p=1'])(
    'is read with the parameters %s',
    (parameters) => expect(parseStoredHash(withParameters(parameters))).toMatchObject({ kind: 'argon2' }),
  );

  test.each([
    ...['m=262145,t=1,p=1', 'm=262144,t=5,p=1', 'm=64,t=16385,p=1', 'm=1024,t=1,p=17'].map(withParameters),
    ...['m=15,t=1,p=2', 'm=0,t=1,p=1', 'm=064,t=1,p=1', 'm=64,t=0,p=1', 'm=64,t=1,p=0'].map(withParameters),
    ...['m=-64,t=1,p=1', 'm=6.4e1,t=1,p=1', 'm=99999999999,t=1,p=1', 't=1,m=64,p=1'].map(withParameters),
    ARGON2.replace('argon2id', 'argon2d'),
    ARGON2.replace('v=19', 'v=16'),
    ARGON2.replace('Lw$', 'Lx$'),
    ARGON2.slice(0, -1),
    `${ARGON2.slice(0, -1)}N`,
    `${ARGON2}\n`,
    `${ARGON2}=`,
  ])('is corrupt if PHP cannot have made it, or it is too costly: %j', async (hash) => {
    expect(parseStoredHash(hash)).toBeUndefined();
    expect(await isRight('aé', hash)).toBe(false);
  });
});

describe('every failure does the same work', () => {
  const TODAY = 6;
  const hashOf = (password: string, cost: number) => bcrypt.hash(password, cost);
  const phpHashOf = async (password: string, cost: number) =>
    (await hashOf(password, cost)).replace('$2b$', '$2y$');
  const anotherArgon2 = ARGON2.replace('m=64,t=1', 'm=128,t=1');
  const COMPOSED = 'caf\u00e9';
  const DECOMPOSED = 'cafe\u0301';

  const refuse = () => Promise.reject(new Error('disabled'));
  const failing = async (by: PasswordHasher, password: string, hash: string | undefined, accept = refuse) => {
    const outcome = await by.verify(password, hash, { accept }).catch(() => undefined);
    expect(outcome).toBeUndefined();
  };

  test.each([
    ['composed', COMPOSED, 1],
    ['decomposed', DECOMPOSED, 2],
    ['longer than bcrypt reads', 'x'.repeat(100), 1],
    ['decomposed and longer than our passwords', DECOMPOSED.repeat(60), 1],
  ])('for a password that is %s', async (_name, sent, forms) => {
    const fresh = new PasswordHasher(TODAY, 2, systemClock);
    const hashes = [
      undefined,
      'corrupt',
      await hashOf('other', TODAY),
      await hashOf('other', TODAY - 2),
      await phpHashOf('other', TODAY),
      await phpHashOf('other', TODAY - 2),
      await phpHashOf(sent, TODAY - 2),
      await hashOf(sent.normalize('NFC'), TODAY - 1),
    ];
    for (const hash of hashes) {
      const work = await hashWorkOf(() => failing(fresh, sent, hash));
      expect(work).toMatchObject({ rounds: forms * 2 ** TODAY, argon2: [] });
    }
    // The first argon2 hash of each kind teaches its settings.
    const kinds = [ARGON2, anotherArgon2];
    for (const hash of kinds) {
      await failing(fresh, sent, hash);
    }
    const settings = kinds.flatMap((hash) =>
      Array.from({ length: forms }, () => hash.split('$').slice(1, 4).join('$')),
    );
    for (const hash of [...hashes, ...kinds, ARGON2.replace('argon2id$v=19$m=64', 'argon2d$v=19$m=64')]) {
      const work = await hashWorkOf(() => failing(fresh, sent, hash));
      expect(work).toMatchObject({ rounds: forms * 2 ** TODAY, argon2: settings.sort() });
    }
  });

  test('for the right password of a disabled account with an argon2 hash', async () => {
    const fresh = new PasswordHasher(TODAY, 2, systemClock);
    const wrong = await hashWorkOf(() => failing(fresh, 'be\u0301', ARGON2));
    expect(await hashWorkOf(() => failing(fresh, 'ae\u0301', ARGON2))).toEqual(wrong);
    expect(wrong.argon2).toHaveLength(2);
  });

  test('and a successful login teaches the kind of its hash, too', async () => {
    const fresh = new PasswordHasher(TODAY, 2, systemClock);
    expect(await isRight('aé', ARGON2, fresh)).toBe(true);
    const { argon2: settings } = await hashWorkOf(() => failing(fresh, 'wrong', undefined));
    expect(settings).toEqual(['argon2id$v=19$m=64,t=1,p=1']);
  });

  test('and no more than four settings of argon2', async () => {
    const fresh = new PasswordHasher(TODAY, 2, systemClock);
    for (const memory of [64, 65, 66, 67, 68, 69]) {
      await failing(fresh, 'wrong', ARGON2.replace('m=64', `m=${memory}`));
    }
    expect((await hashWorkOf(() => failing(fresh, 'wrong', undefined))).argon2).toHaveLength(4);
  });
});
