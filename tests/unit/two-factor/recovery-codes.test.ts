import { createHash } from 'node:crypto';
import { digestOfRecoveryCode, newRecoveryCodes } from '../../../src/auth/two-factor/recovery-codes.ts';

const CODE = '0123456789ABCDEFGHJKMNPQ';
const DIGEST = createHash('sha256').update(CODE).digest('hex');

test('ten codes are made at random, of 24 letters in groups of four, and stored as digests', () => {
  const { plain, digests } = newRecoveryCodes();
  expect(new Set([...plain, ...newRecoveryCodes().plain]).size).toBe(20);
  for (const code of plain) {
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
  }
  expect(digests).toEqual(plain.map(digestOfRecoveryCode));
});

test.each([
  CODE,
  CODE.toLowerCase(),
  '0123-4567-89AB-CDEF-GHJK-MNPQ',
  ' 0123 4567 89AB CDEF GHJK MNPQ ',
  '0123\u20114567\u201389AB\u2014CDEF\tGHJK\nMNPQ',
  'O123456789ABCDEFGHJKMNPQ',
  'oI23456789abcdefghjkmnpq',
  'OL23456789ABCDEFGHJKMNPQ',
  CODE.replace('01234', '０１２٣٤'),
  `\u2067${CODE}\u2069`,
])('%j is the same code', (spelled) => {
  expect(digestOfRecoveryCode(spelled)).toBe(DIGEST);
});

test.each<unknown>([
  '',
  CODE.slice(1),
  `${CODE}0`,
  CODE.replace('0', 'U'),
  CODE.replace('A', 'Ａ'),
  '-'.repeat(100_000),
  24,
  [CODE],
  { code: CODE },
  null,
  undefined,
])('%j is none', (sent) => {
  expect(digestOfRecoveryCode(sent)).toBeUndefined();
});
