import {
  createPasswordCheck,
  isPersonalPassword,
  refusePersonalPassword,
} from '../../../src/auth/passwords/password-rules.ts';
import { broken } from '../../../src/system/error-details.ts';
import { ValidationError } from '../../../src/system/errors.ts';

const ADA = { name: 'Ada Lovelace', email: 'countess@example.org' };

test.each([
  ['the whole name', 'my name is Ada Lovelace, and I like it'],
  ['the name without blanks, in capitals', 'ADALOVELACE and a long rest of it'],
  ['the name with other separators', 'the_ada-lovelace.password-of-mine'],
  ['the e-mail', 'write to countess@example.org today'],
  ['the e-mail before the @', 'the Countess of nowhere in particular'],
  ['a word of the name with a year', 'Lovelace1815!'],
  ['a word of the name twice', 'lovelace-LOVELACE-lovelace'],
  ['all words of the name in another order', 'Lovelace, Ada'],
])('a password with %s is personal', (_what, password) => {
  expect(isPersonalPassword(password, ADA)).toBe(true);
});

test.each([
  ['nothing of the person', 'correct horse battery staple'],
  ['a short word of the name', 'Canada-2026'],
  ['a word of the name in a passphrase', 'ask lovelace about engines'],
  ['the domain of the e-mail', 'example.org is mine'],
])('a password with %s is not personal', (_what, password) => {
  expect(isPersonalPassword(password, ADA)).toBe(false);
});

test('accents and the way of typing them do not hide a name', () => {
  const jose = { name: 'José Núñez', email: 'x@example.org' };
  for (const password of ['jose_nunez_77', 'JOSÉ NÚÑEZ 77', 'José Núñez 77'.normalize('NFD'), 'nunez1977']) {
    expect(isPersonalPassword(password, jose)).toBe(true);
  }
  expect(isPersonalPassword('田中太郎-2026', { name: '田中 太郎', email: 'x@example.org' })).toBe(true);
  expect(isPersonalPassword('नीना गुप्ता', { name: 'नीना गुप्ता', email: 'x@example.org' })).toBe(true);
});

test('names and e-mails of less than four letters make no password personal', () => {
  const short = { name: 'Li Bo', email: 'me@example.org' };
  expect(isPersonalPassword('memento bonbon', { ...short, name: 'Bo' })).toBe(false);
  expect(isPersonalPassword('correct horse', { name: '!!! ???', email: '@example.org' })).toBe(false);
  expect(isPersonalPassword('correct horse', { name: '', email: '' })).toBe(false);
  // Together they are long enough.
  expect(isPersonalPassword('libo-libo-libo', short)).toBe(true);
});

test('the parts of an e-mail in another spelling make no password personal', () => {
  const person = { name: 'Ada', email: 'ada.7f3c@example.org' };
  expect(isPersonalPassword('Pw-ada.7F3C', person)).toBe(true);
  expect(isPersonalPassword('Pw-ada-7f3c', person)).toBe(false);
});

test('texts beyond every limit are neither composed nor compared', () => {
  const marks = `a${'\u0315'.repeat(500_000)}${'\u0300'.repeat(500_000)}`;
  expect(isPersonalPassword(marks, ADA)).toBe(false);
  expect(isPersonalPassword('correct horse', { name: marks, email: marks })).toBe(false);
  // Seen from behind the limit: the last word is not read.
  expect(isPersonalPassword('Lovelace1815', { ...ADA, name: `${'x '.repeat(255)}Lovelace` })).toBe(false);
  expect(isPersonalPassword('Lovelace1815', { ...ADA, name: `${'x '.repeat(250)}Lovelace` })).toBe(true);
});

test('a service refuses a personal password on the field that has it', () => {
  const field = { field: 'newPassword', label: 'new password' };
  const refuse = (kind: 'common' | 'off', password: string) =>
    refusePersonalPassword(createPasswordCheck(kind, 8), password, ADA, field);
  const errors = {
    newPassword: broken('personal', 'The new password field must not contain your name or email address.'),
  };
  expect(() => refuse('common', 'Lovelace1815')).toThrow(new ValidationError(errors));
  expect(() => refuse('common', 'correct horse')).not.toThrow();
  expect(() => refuse('off', 'Lovelace1815')).not.toThrow();
});
