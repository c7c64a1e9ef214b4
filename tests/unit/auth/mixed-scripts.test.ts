import { isEmailAddress, isNewEmailAddress } from '../../../src/auth/email-address.ts';

/** What has letters of one script, or of scripts that are written together, in each label. */
const CLEAR = [
  'pat@example.org',
  'p.a-t_1+tag@example.org',
  'zoë@müller.example',
  'zoe\u0308@example.org',
  'şeyma.ığdır@örnek.example',
  'nguyễn@ví-dụ.example',
  'иван@пример.рф',
  'иван@example.org',
  'pat@пример.example',
  'иван.smith@example.org',
  'иван+clinic@example.org',
  'a\u0301@example.org',
  'и\u0301ван@example.org',
  'γιατρός@παράδειγμα.example',
  'د.أحمد@مثال.example',
  'אדה-1@דוגמה.example',
  'डॉक्टर@उदाहरण.example',
  'แพทย์@ตัวอย่าง.example',
  '医生@例子.example',
  // Japanese, Chinese with Bopomofo, and Korean, each with Latin letters.
  'dr例えばテストー@例え.テスト',
  'dr醫生ㄅㄆ@example.org',
  'dr의사醫@예.example',
  'ｐａｔ@example.org',
  'co·l·lega@example.org',
  '1234@😀.example',
  'ᏣᎳᎩ@example.org',
  'pat@xn--mller-kva.example',
  'pat@xn--e1afmkfd.xn--p1ai',
];

const MIXED: [name: string, email: string][] = [
  ['a Cyrillic а among Latin letters', 'p\u0430t@example.org'],
  ['a Latin a among Cyrillic letters', 'ив\u0061н@пример.рф'],
  ['a Greek omicron among Latin letters', 'd\u03bfctor@example.org'],
  ['Cyrillic and Greek letters', '\u0430\u03bf@example.org'],
  ['an Armenian letter among Latin ones', 'd\u0585ctor@example.org'],
  ['a Cherokee letter among Latin ones', 'P\u13aat@example.org'],
  ['a Coptic letter among Latin ones', 'd\u2c9fctor@example.org'],
  ['a Lisu letter among Latin ones', 'd\ua4f3ctor@example.org'],
  ['a Georgian letter among Cyrillic ones', '\u0430\u10e7@example.org'],
  ['Latin and Hebrew letters', 'pat\u05d0@example.org'],
  ['Latin and Arabic letters', 'pat\u0627@example.org'],
  ['Latin and Thai letters', 'pat\u0e01@example.org'],
  ['Japanese and Korean letters', 'か의@example.org'],
  ['Bopomofo and Korean letters', 'ㄅ의@example.org'],
  ['Bopomofo and Japanese letters', 'ㄅか@example.org'],
  ['Han and Cyrillic letters', '医\u0430@example.org'],
  ['a micro sign, which is a mu, among Latin letters', '\u00b5m@example.org'],
  ['a fullwidth letter among Cyrillic ones', '\u0430\uff50@example.org'],
  ['a mixture behind a dot', 'pat.p\u0430t@example.org'],
  ['a mixture beside digits and signs', '1-p\u0430_2+tag@example.org'],
  ['a mixture in the domain', 'pat@ex\u0430mple.org'],
  ['a mixture in a later label of the domain', 'pat@example.\u043erg'],
  ['a mixture in the domain, with an ideographic full stop', 'pat@ex\u0430mple。org'],
  ['a mixture in Punycode', 'pat@xn--exmple-4nf.org'],
  ['a mixture in Punycode of upper case', 'pat@XN--EXMPLE-4NF.org'],
];

test.each(CLEAR)('%s may be the e-mail of a new account', (email) => {
  expect(isNewEmailAddress(email)).toBe(true);
});

test.each(MIXED)('%s is refused in a new account, and stays valid in an old one', (_name, email) => {
  expect([isNewEmailAddress(email), isEmailAddress(email)]).toEqual([false, true]);
});
