import { crc32 } from 'node:zlib';
import {
  formatToken,
  generateSecret,
  hashSecret,
  parseToken,
  secretMatches,
} from '../../../src/auth/tokens/token-format.ts';
import { PHP_MADE_TOKENS } from '../../support/php-made.ts';

/** A token as Sanctum 4 issues it; checksum and hash are computed by other means (Python's zlib and hashlib). */
const SANCTUM = {
  tokenId: '42',
  secret: '7qOQvXbRzM3iUcTgWd0LpKfYh5EaNsJt8wCnB2Gke4bcbe6b',
  sha256: '482747db18376a790bdad256990edfbcd8548e5f4c5506e7fd9f411c841a08f6',
};
const PLAIN_TEXT = `42|${SANCTUM.secret}`;

describe('a new secret', () => {
  test('is 40 base-62 characters and their CRC-32 in 8 hex digits', () => {
    for (let times = 0; times < 500; times += 1) {
      const secret = generateSecret('');
      expect(secret).toMatch(/^[0-9A-Za-z]{40}[0-9a-f]{8}$/);
      expect(Number.parseInt(secret.slice(40), 16)).toBe(crc32(secret.slice(0, 40)));
    }
  });

  test('is never the same, and uses the whole alphabet', () => {
    const secrets = Array.from({ length: 200 }, () => generateSecret('').slice(0, 40));
    expect(new Set(secrets).size).toBe(200);
    expect(new Set(secrets.join('')).size).toBe(62);
  });

  test('begins with the prefix, which the checksum leaves out', () => {
    const secret = generateSecret('agw_');
    const [, entropy = '', checksum = ''] = /^agw_(.{40})(.{8})$/.exec(secret) ?? [];
    expect(Number.parseInt(checksum, 16)).toBe(crc32(entropy));
  });
});

describe('a presented token', () => {
  test('of Sanctum is parsed', () => {
    const { tokenId, secret } = SANCTUM;
    expect(parseToken(PLAIN_TEXT)).toEqual({ tokenId, secret });
  });

  test.each(PHP_MADE_TOKENS)('of $name is parsed, with its id and without it', ({ id, secret, hash }) => {
    expect(parseToken(`${id}|${secret}`)).toEqual({ tokenId: id, secret });
    expect(parseToken(secret)).toEqual({ tokenId: undefined, secret });
    expect(hashSecret(secret)).toBe(hash);
  });

  test('of Sanctum 3.2.6 may have a prefix', () => {
    const secret = 'myskin_p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u3d27913a';
    expect(parseToken(`18|${secret}`)).toEqual({ tokenId: '18', secret });
  });

  test.each([
    '9223372036854775807',
    '0190163d-8694-739b-aea5-966c26f8ad91',
    '01J0B3V1MPEZ0WPDNR4VXZK7CW',
    '65f000000000000000000001',
  ])('may have the id %s', (tokenId) => {
    const { secret } = SANCTUM;
    expect(parseToken(`${tokenId}|${secret}`)).toEqual({ tokenId, secret });
  });

  test('whose checksum begins with zeros is parsed', () => {
    const secret = 'iQmFEXbRaG00p9nUjmxy9xuuM4zcxsFZftZ98P8d000ebd14';
    expect(parseToken(`1|${secret}`)).toEqual({ tokenId: '1', secret });
  });

  test('of this service is parsed with any prefix', () => {
    for (const prefix of ['', 'agw_', 'a-b-c', 'x'.repeat(32)]) {
      const token = { tokenId: '65f000000000000000000001', secret: generateSecret(prefix) };
      expect(parseToken(formatToken(token))).toEqual(token);
    }
  });

  test.each([
    '',
    '|',
    '42',
    `|${SANCTUM.secret}`,
    `42|${SANCTUM.secret}|`,
    '42|',
    `42|${SANCTUM.secret.slice(1)}`,
    `42|${SANCTUM.secret.slice(0, -1)}`,
    `42|${SANCTUM.secret}0`,
    `42|${SANCTUM.secret.slice(0, -1)}c`,
    `42|${SANCTUM.secret.toLowerCase()}`,
    `42|${SANCTUM.secret.slice(0, 40)}${SANCTUM.secret.slice(40).toUpperCase()}`,
    `42|8${SANCTUM.secret.slice(1)}`,
    `42|${SANCTUM.secret}\n`,
    ` 42|${SANCTUM.secret}`,
    `4 2|${SANCTUM.secret}`,
    `{"$gt":""}|${SANCTUM.secret}`,
    `${'4'.repeat(65)}|${SANCTUM.secret}`,
    `42|${'p'.repeat(1_000)}${SANCTUM.secret}`,
    // Without a bar, and shapes that almost fit.
    SANCTUM.secret.slice(1),
    `${SANCTUM.secret}0`,
    `${SANCTUM.secret.slice(0, -1)}c`,
    `${SANCTUM.secret}\n`,
    `${'p'.repeat(65)}${SANCTUM.secret}`,
    ...[39, 41, 79, 81, 120].flatMap((length) => ['a'.repeat(length), `42|${'a'.repeat(length)}`]),
    `42|${'a'.repeat(39)}-`,
    `42|${'a'.repeat(39)}ä`,
    `p_${'a'.repeat(40)}`,
    `${'a'.repeat(40)}\n`,
    // The checksum of Sanctum 3.2.6 with one digit changed, and its bytes in the other order.
    '18|p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u3d27913b',
    '18|p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u3a91273d',
  ])('of another shape or with a wrong checksum is refused: %j', (presented) => {
    expect(parseToken(presented)).toBeUndefined();
  });
});

test.each(['', '42|'])('a text of 100 KB is refused after %j', (start) => {
  expect(parseToken(start + 'a'.repeat(100_000))).toBeUndefined();
  expect(parseToken(start + SANCTUM.secret.repeat(2_000))).toBeUndefined();
});

describe('the stored hash', () => {
  test('is the SHA-256 of the text after the first bar', () => {
    expect(hashSecret(SANCTUM.secret)).toBe(SANCTUM.sha256);
  });

  test('matches its secret and no other', () => {
    expect(secretMatches(SANCTUM.secret, SANCTUM.sha256)).toBe(true);
    expect(secretMatches(`${SANCTUM.secret}x`, SANCTUM.sha256)).toBe(false);
    expect(secretMatches(generateSecret(''), SANCTUM.sha256)).toBe(false);
  });

  test.each([
    ...['', 'not hex at all', SANCTUM.sha256.slice(2), `${SANCTUM.sha256}00`],
    ...[`${SANCTUM.sha256}!!`, `${SANCTUM.sha256} `, `${SANCTUM.sha256}\n`, SANCTUM.sha256.toUpperCase()],
  ])('matches nothing if it is corrupt: %j', (storedHash) =>
    expect(secretMatches(SANCTUM.secret, storedHash)).toBe(false),
  );
});
