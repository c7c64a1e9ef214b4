import {
  crc32b,
  formatToken,
  generateSecret,
  parseToken,
  phpCrc32,
  secretMatches,
} from '../../../src/auth/tokens/token-format.ts';

/** A token as Sanctum 4 issues it; checksum and hash are computed by other means (Python's zlib and hashlib). */
const SANCTUM = {
  tokenId: '42',
  secret: '7qOQvXbRzM3iUcTgWd0LpKfYh5EaNsJt8wCnB2Gke4bcbe6b',
  sha256: '482747db18376a790bdad256990edfbcd8548e5f4c5506e7fd9f411c841a08f6',
};
const PLAIN_TEXT = `42|${SANCTUM.secret}`;

describe('a new secret', () => {
  test('is never the same, and uses the whole alphabet', () => {
    const secrets = Array.from({ length: 200 }, () => generateSecret('').slice(0, 40));
    expect(new Set(secrets).size).toBe(200);
    expect(new Set(secrets.join('')).size).toBe(62);
  });
});

describe('a presented token', () => {
  test('of Sanctum is parsed', () => {
    const { tokenId, secret } = SANCTUM;
    expect(parseToken(PLAIN_TEXT)).toEqual({ tokenId, secret });
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

test.each([
  ['', '00000000', '00000000'],
  ['a', '6b9b9319', 'e8b7be43'],
  ['7qOQvXbRzM3iUcTgWd0LpKfYh5EaNsJt8wCnB2Gk', 'b44dff59', 'e4bcbe6b'],
  ['p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u', '3d27913a', '5966e38f'],
  ['Pb2ThlccDWm8FjOE5FIMV43lm8ACG5Pc3M3XgTRx', '8c8dfe03', 'c7c64036'],
])('the checksums of %j are those of PHP', (text, crc32, crc32bOfText) => {
  expect([phpCrc32(text), crc32b(text)]).toEqual([crc32, crc32bOfText]);
});
