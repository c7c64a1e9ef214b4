import { emailKey } from '../../../src/stores/email-key.ts';

test.each([
  ['Pat@Example.ORG', 'pat@example.org'],
  ['PAT@EXAMPLE.ORG', 'pat@example.org'],
  ['ÄRZTIN@EXAMPLE.ORG', 'ärztin@example.org'],
  ['pat@example.org  ', 'pat@example.org'],
  ['user@müller.de ', 'user@MÜLLER.de'],
])('%s and %s are the same e-mail', (one, another) => expect(emailKey(one)).toBe(emailKey(another)));

test.each([
  ['user@MÜLLER.de', 'user@xn--mller-kva.de'],
  ['user@xn--mller-kva.de', 'user@xn--mller-kva.de'],
  ['User@müller。de', 'user@xn--mller-kva.de'],
  ['User@xn--A.de', 'user@xn--a.de'],
])('the key of %s is %s', (email, key) => expect(emailKey(email)).toBe(key));

test('letters are the same however they are composed', () => {
  expect(emailKey('zoë@example.org'.normalize('NFD'))).toBe(emailKey('zoë@example.org'.normalize('NFC')));
});

test.each(['J\u030c', 'H\u0331', 'T\u0308', 'W\u030a', 'Y\u030a', '\u0399\u0308\u0301'])(
  'letters that compose in lower case alone are the same in both: %s',
  (letter) => {
    const key = emailKey(`${letter}@example.org`);
    expect(emailKey(`${letter.toLowerCase().normalize('NFC')}@example.org`)).toBe(key);
    expect(emailKey(key)).toBe(key);
  },
);

test.each([
  ['pat@example.org', 'pat@example.com'],
  ['pat@example.org', 'p.a.t@example.org'],
  ['pat@example.org', 'pat+clinic@example.org'],
])('%s and %s are two', (one, another) => expect(emailKey(one)).not.toBe(emailKey(another)));
