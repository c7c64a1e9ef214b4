import { codeOf, enrolmentOf, newAppSecret, stepOf } from '../../../src/auth/two-factor/authenticator-app.ts';

/** The secret of both RFCs. */
const SECRET = Buffer.from('12345678901234567890');
const STEP_MILLIS = 30_000;

// RFC 4226, appendix D: the code of each counter. For RFC 6238 the counter is the time step.
test.each([
  [0, '755224'],
  [1, '287082'],
  [2, '359152'],
  [3, '969429'],
  [4, '338314'],
  [5, '254676'],
  [6, '287922'],
  [7, '162583'],
  [8, '399871'],
  [9, '520489'],
])('the code of counter %i is %s (RFC 4226, appendix D)', (counter, code) => {
  expect(stepOf(SECRET, code, counter * STEP_MILLIS)).toBe(counter);
});

// RFC 6238, appendix B, SHA-1: the last six of its eight digits.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %i seconds is the end of %s (RFC 6238, appendix B)', (seconds, digits) => {
  expect(stepOf(SECRET, digits.slice(-6), seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test('a code is right one step before and after its own, and never two', () => {
  const steps = [3, 4, 5, 6, 7].map((step) => stepOf(SECRET, '254676', step * STEP_MILLIS + 29_999));
  expect(steps).toEqual([undefined, 5, 5, 5, undefined]);
});

test.each<[unknown, string | undefined]>([
  ['123456', '123456'],
  [' 123 456\u00a0', '123456'],
  ['12345', undefined],
  ['1234567', undefined],
  ['12345a', undefined],
  ['１２３４５６', '123456'],
  ['١٢٣٤٥٦', '123456'],
  ['\u200f۱۲۳ ۴۵۶\u200e', '123456'],
  ['\u2067𝟏𝟚𝟥𝟰𝟻६\u2069', '123456'],
  ['①②③④⑤⑥', undefined],
  ['一二三四五六', undefined],
  ['\u200f'.repeat(100_000), undefined],
  ['-12345', undefined],
  ['1e5000', undefined],
  ['', undefined],
  [' '.repeat(100_000), undefined],
  [123_456, undefined],
  [['123456'], undefined],
  [{ length: 6 }, undefined],
  [null, undefined],
  [undefined, undefined],
])('the code in %j is %j', (sent, code) => {
  expect(codeOf(sent)).toBe(code);
});

test('digits of every script have their value', () => {
  const digits = Array.from({ length: 0x110000 }, (_, point) => point)
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((character) => /\p{Nd}/u.test(character));
  const values = digits.map((digit) => codeOf(`00000${digit}`));
  expect(values.length % 10).toBe(0);
  expect(values).toEqual(values.map((_, index) => `00000${index % 10}`));
});

test('a secret has 160 random bits, and its link and image carry it to an app', () => {
  const [one, other] = [newAppSecret(), newAppSecret()];
  expect([one.length, one.equals(other)]).toEqual([20, false]);
  const { secretKey, url, svg } = enrolmentOf(SECRET, 'Clinic & Söhne', 'a+b@example.org');
  expect(secretKey).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  expect(url).toBe(
    `otpauth://totp/Clinic%20%26%20S%C3%B6hne:a%2Bb%40example.org?issuer=Clinic%20%26%20S%C3%B6hne&secret=${secretKey}&algorithm=SHA1&digits=6&period=30`,
  );
  expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 \d+ \d+"/);
  expect(svg).not.toContain('<script');
});
