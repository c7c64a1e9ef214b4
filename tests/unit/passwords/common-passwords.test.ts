import { dictionary } from '@zxcvbn-ts/language-common';
import { CommonPasswords, LONGEST_COMMON_PASSWORD } from '../../../src/auth/passwords/password-rules.ts';

const LIST = dictionary['passwords-common'];

test('no common password is longer than those that are looked up', () => {
  expect(Math.max(...LIST.map(({ length }) => length))).toBe(LONGEST_COMMON_PASSWORD);
  // They are compared in lower case.
  expect(LIST.filter((password) => password !== password.toLowerCase())).toEqual([]);
});

test('a password of the list is common in upper and lower case, and next to nothing else', async () => {
  const common = new CommonPasswords(8);
  const among = (passwords: string[]) =>
    Promise.all(passwords.map(async (one) => ((await common.include(one)) ? one : '')));
  // The first call loads the list, and the others wait for it.
  const known = ['password', 'Trustno1', 'IloveYou', '1234567890', 'qwertyuiop'];
  expect(await among(known)).toEqual(known);
  // U+212A is the sign of kelvin; composed, it is a K.
  expect(await common.include('\u212aingkong')).toBe(true);
  const unknown = ['', 'correct horse', 'password-of-mine', 'pässword', ' password', 'password'.repeat(9)];
  expect(await among(unknown)).toEqual(unknown.map(() => ''));
});

test('the list has the passwords that are long enough to be chosen', async () => {
  expect(LIST.filter(({ length }) => length >= 8).length).toBe(17_950);
  expect(LIST).toContain('dragon');
  expect(await new CommonPasswords(8).include('dragon')).toBe(false);
  expect(await new CommonPasswords(6).include('dragon')).toBe(true);
});

test('another thread unpacks the list', async () => {
  let turns = 0;
  let isLoading = true;
  const turn = () => {
    turns += 1;
    if (isLoading) {
      setImmediate(turn);
    }
  };
  setImmediate(turn);
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  expect(await new CommonPasswords(8).include('trustno1')).toBe(true);
  isLoading = false;
  process.off('worker', count);
  expect(threads).toBe(1);
  // None if this thread had waited for the other.
  expect(turns).toBeGreaterThan(0);
});
