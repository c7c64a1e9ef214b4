import { keyIdsOf, SecretCipher } from '../../../src/auth/two-factor/secret-cipher.ts';
import { ServiceUnavailableError } from '../../../src/system/errors.ts';

const [FIRST, SECOND] = [
  'the first line, with more than 32 characters',
  'the second line, with as many as the first',
];
const OWNER = { accountId: 'ada', factorId: 'an app' };
const SECRET = Buffer.from('12345678901234567890');

test('a secret comes back for its owner alone, and the same secret is never encrypted alike', () => {
  const cipher = new SecretCipher([FIRST]);
  const [one, other] = [cipher.encrypt(SECRET, OWNER), cipher.encrypt(SECRET, OWNER)];
  expect(cipher.decrypt(one, OWNER)).toEqual(SECRET);
  expect(one.secret).not.toBe(other.secret);
  expect(Buffer.from(one.secret).includes(SECRET.toString('base64url'))).toBe(false);
  for (const stranger of [
    { ...OWNER, accountId: 'eve' },
    { ...OWNER, factorId: 'another app' },
    { accountId: 'adaan', factorId: ' app' },
  ]) {
    expect(() => cipher.decrypt(one, stranger)).toThrow(ServiceUnavailableError);
  }
});

test('whatever is changed in a stored secret, it is refused', () => {
  const cipher = new SecretCipher([FIRST]);
  const { secret, keyId } = cipher.encrypt(SECRET, OWNER);
  const [version, iv, sealed = ''] = secret.split('.');
  const flipped = Buffer.from(sealed, 'base64url');
  flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
  const changed: unknown[] = [
    ...['', 'v1', 'v1..', `v2.${iv}.${sealed}`, `${version}.${iv}`, `${version}..${sealed}`],
    ...[`${version}.${iv}.${flipped.toString('base64url')}`, `${version}.${iv}.${sealed.slice(0, -4)}`],
    // A tag alone decrypts to nothing.
    ...[`${version}.${iv}.${Buffer.alloc(16).toString('base64url')}`, null, 7, {}],
  ];
  for (const stored of changed) {
    expect(() => cipher.decrypt({ secret: stored as string, keyId }, OWNER)).toThrow(ServiceUnavailableError);
  }
});

test('the first line encrypts, and all decrypt', () => {
  const former = new SecretCipher([FIRST]);
  const stored = former.encrypt(SECRET, OWNER);
  const cipher = new SecretCipher([SECOND, FIRST]);
  expect(cipher.decrypt(stored, OWNER)).toEqual(SECRET);
  expect([cipher.isOutdated(stored), cipher.isOutdated(cipher.encrypt(SECRET, OWNER))]).toEqual([
    true,
    false,
  ]);
  cipher.replaceLines([SECOND]);
  expect(() => cipher.decrypt(stored, OWNER)).toThrow(ServiceUnavailableError);
});

test('the id of a key says nothing about its line, and each line has its own', () => {
  const [first = '', second] = keyIdsOf([FIRST, SECOND]);
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  expect(second).not.toBe(first);
  expect(new SecretCipher([FIRST]).encrypt(SECRET, OWNER).keyId).toBe(first);
});
