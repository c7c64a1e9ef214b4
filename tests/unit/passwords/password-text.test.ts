import {
  isBeyondPasswords,
  normalizePassword,
  PASSWORD_MAX_BYTES,
  passwordBytes,
  passwordCharacters,
} from '../../../src/auth/passwords/password-rules.ts';

test('a password is measured after composing', () => {
  expect(normalizePassword('e\u0308')).toBe('ë');
  expect(passwordBytes('e\u0308')).toBe(2);
  expect(passwordCharacters('e\u0308')).toBe(1);
  expect(passwordBytes('😀')).toBe(4);
  expect(passwordCharacters('😀')).toBe(1);
});

test('a text that is too long for any password is not composed', () => {
  const text = `a${'\u0315'.repeat(500_000)}${'\u0300'.repeat(500_000)}`;
  expect(isBeyondPasswords(text)).toBe(true);
  expect(passwordBytes(text)).toBe(Number.POSITIVE_INFINITY);
  expect(passwordCharacters(text)).toBe(Number.POSITIVE_INFINITY);
});

test('no text that composes to 72 bytes is too long for a password', () => {
  const longest = (letter: string) => Math.floor(PASSWORD_MAX_BYTES / passwordBytes(letter));
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    const decomposed = letter.normalize('NFD');
    if (decomposed === letter) {
      continue;
    }
    for (const form of [letter, decomposed]) {
      if (isBeyondPasswords(form.repeat(longest(letter)))) {
        throw new Error(`U+${code.toString(16)}`);
      }
    }
  }
});
