import { randomUUID } from 'node:crypto';
import { throughEachApi } from '../support/apis.ts';
import { busyBelow } from '../support/busy.ts';
import { documentedDoctorTexts } from '../support/documented-texts.ts';
import { authenticated, expectInvalid, registeredDoctor } from '../support/expectations.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { inventoryOf, useTestApp } from '../support/test-app.ts';
import { leavesNothing } from './support/harmless.ts';

const app = useTestApp();

/** Only the long texts may have several lines. */
const SEVERAL_LINES = documentedDoctorTexts().filter(({ maxCharacters }) => maxCharacters > 255);
const ONE_LINE = documentedDoctorTexts().filter(({ maxCharacters }) => maxCharacters === 255);

/** Names that look wrong to somebody, and are somebody's. */
const NAMES: [name: string, value: string][] = [
  ['Arabic, from right to left', 'محمد عبد الله'],
  ['Hebrew with vowel points', 'שָׁלוֹם'],
  ['Persian with a zero-width non-joiner', 'می\u200cخواهم'],
  ['Malayalam with a zero-width joiner', 'ന്\u200dമ'],
  ['letters composed by hand', 'Zoe\u0308 A\u030angstro\u0308m'],
  ['letters composed by nobody', 'Z\u0335\u0321\u031b\u0341a\u0337\u0322lgo'],
  ['the other direction, overridden', 'Pat \u202etneI\u202c'],
  ['a family of emoji', '👩\u200d👩\u200d👧\u200d👦 Family'],
  ['letters beyond the basic plane', '𝔓𝔞𝔱 𠮷野'],
  ['a fullwidth form', 'Ｐａｔ'],
  ['a ligature and a Kelvin sign', 'ﬁ \u212a'],
  ['a soft hyphen and a word joiner', 'Pa\u00adti\u2060ent'],
  ['the replacement character', 'Pat \ufffd'],
  ['a noncharacter', 'Pat \uffff'],
  ['mark-up', '<script>alert("1")</script>'],
  ['a template', '{{7*7}}<%= 7*7 %>#{7*7}'],
  ['SQL', "Robert'); DROP TABLE accounts;--"],
  ['a formula', '=HYPERLINK("https://example.org")'],
  ['an operator', '$where'],
  ['a key of the prototype', '__proto__'],
  ['JSON', '{"$gt":""}'],
  ['a format', '%s%n%x%p'],
  ['a log line', '","level":60,"msg":"forged'],
];

throughEachApi((apiOf) => {
  const api = () => apiOf(app.url);

  test.each(NAMES)('the gateway keeps a name with %s unchanged', async (_name, name) => {
    const patient = aPatient({ name, phone: name });
    expect(authenticated(await api().registerPatient(patient)).account).toMatchObject({ name, phone: name });
    expect(authenticated(await api().login(patient)).account).toMatchObject({ name, phone: name });
  });

  describe('control characters', () => {
    const REFUSED: [what: string, text: string][] = [
      ['a NUL', 'Pat\0'],
      ['a terminal escape', 'Pat \u001b[31mRed\u0007'],
      ['a backspace', 'Pat\b\bX'],
      ['DEL', 'Pat\u007fIent'],
      ['a control character beyond ASCII', 'Pat\u009b31mIent'],
      ['NEL', 'Pat\u0085Ient'],
    ];
    const BREAKS: [what: string, text: string][] = [
      ['a line break', 'Pat\r\nSet-Cookie: a=b'],
      ['a bare line feed', 'Pat\nIent'],
      ['a tab', 'Pat\tIent'],
      ['a separator of lines', 'Pat\u2028Ient'],
      ['a separator of paragraphs', 'Pat\u2029Ient'],
    ];
    const invalid = (field: string, label = field) => ({
      [field]: [`The ${label} field format is invalid.`],
    });

    test.each([...REFUSED, ...BREAKS])(
      'the gateway refuses a text of one line with %s',
      async (_what, text) => {
        await leavesNothing(app, async () => {
          expectInvalid(await api().registerPatient(aPatient({ name: text })), invalid('name'));
          expectInvalid(await api().registerPatient(aPatient({ phone: text })), invalid('phone'));
        });
      },
    );

    test.each(ONE_LINE)('the $field of a doctor is one line', async ({ field, label }) => {
      for (const text of ['a\u0007b', 'a\tb']) {
        expectInvalid(await api().registerDoctor(aDoctor({ [field]: text })), invalid(field, label));
      }
    });

    test.each(SEVERAL_LINES)(
      'the $field of a doctor may have lines and tabs but no other control characters',
      async ({ field, label }) => {
        for (const [, text] of REFUSED) {
          expectInvalid(await api().registerDoctor(aDoctor({ [field]: text })), invalid(field, label));
        }
        // A form sends every line break as CRLF.
        const text = '1999\tCharité\r\n2004\tMayo\r\n\r\nand others\u2028on leave';
        const { profile } = registeredDoctor(await api().registerDoctor(aDoctor({ [field]: text })));
        expect(profile).toMatchObject({ [field]: text });
      },
    );
  });

  test.each([
    ['blanks of every kind', '\u00a0\u1680\u2003\u3000 \t\r\n'],
    ['line separators', '\u2028\u2029'],
    ['a byte order mark', '\ufeff'],
    ['zero-width spaces', '\u200b\u200b'],
    ['a left-to-right mark', '\u200e'],
  ])('a name of only %s is absent, and around a name they are trimmed', async (_name, blanks) => {
    await leavesNothing(app, async () =>
      expectInvalid(await api().registerPatient(aPatient({ name: blanks })), {
        name: ['The name field is required.'],
      }),
    );
    const padded = aPatient({ name: `${blanks}Pat Ient${blanks}` });
    expect(authenticated(await api().registerPatient(padded)).account.name).toBe('Pat Ient');
  });

  test.each(['name', 'phone', 'email'])(
    'the gateway refuses a NUL or a lone surrogate in the %s',
    async (field) => {
      await leavesNothing(app, async () => {
        for (const bad of ['\0', '\ud800', '\udfff', '\udfff\ud800']) {
          const outcome = await api().registerPatient(aPatient({ [field]: `a${bad}${freshEmail()}` }));
          expect(outcome).toMatchObject({ kind: 'validation', errors: { [field]: expect.any(Array) } });
        }
      });
    },
  );

  test.each([
    ['no at sign', 'plain'],
    ['nothing before its at sign', '@example.org'],
    ['nothing behind its at sign', 'pat@'],
    ['two at signs', 'pat@@example.org'],
    ['a blank', 'pat ient@example.org'],
    ['a blank in the domain', 'pat@exam ple.org'],
    ['a line break in quotes', '"a\r\nBcc: b@example.org"@example.org'],
    ['an escaped line break', '"a\\\r\nb"@example.org'],
    ['a bare line feed', '"a\nb"@example.org'],
    ['a tab', '"a\tb"@example.org'],
    ['a bell', '"a\u0007b"@example.org'],
    ['DEL', '"a\u007fb"@example.org'],
    ['NEL', 'a\u0085b@example.org'],
    ['a line separator', 'a\u2028b@example.org'],
    ['a paragraph separator in quotes', '"a\u2029b"@example.org'],
    ['a zero-width space', 'pa\u200bt@example.org'],
    ['a zero-width non-joiner', 'pa\u200ct@example.org'],
    ['a zero-width joiner', 'pa\u200dt@example.org'],
    ['a word joiner', 'pa\u2060t@example.org'],
    ['a soft hyphen', 'pa\u00adt@example.org'],
    ['a soft hyphen in the domain', 'pat@exam\u00adple.org'],
    ['a zero-width space in the domain', 'pat@exam\u200bple.org'],
    ['a byte order mark', 'pa\ufefft@example.org'],
    ['a byte order mark in quotes', '"pa\ufefft"@example.org'],
    ['a combining grapheme joiner', 'pa\u034ft@example.org'],
    ['a variation selector', 'pat\ufe0f@example.org'],
    ['a variation selector in the domain', 'pat@example\ufe0f.org'],
    ['a Mongolian variation selector', 'pat\u180b@example.org'],
    ['a Hangul filler', 'pat\u3164@example.org'],
    ['a halfwidth Hangul filler', 'pat\uffa0@example.org'],
    ['a Hangul filler of jamo', 'pat\u115f@example.org'],
    ['a tag', '"pat\u{e0041}"@example.org'],
    ['a blank of Braille', 'pat\u2800@example.org'],
    ['a no-break space in quotes', '"pa\u00a0t"@example.org'],
    ['an ideographic space in quotes', '"pa\u3000t"@example.org'],
    ['a right-to-left override', 'pat\u202emoc.live@example.org'],
    ['a left-to-right mark', 'pa\u200et@example.org'],
    ['an Arabic letter mark', 'pat\u061c@example.org'],
    ['an isolate', 'pa\u2066t\u2069@example.org'],
    ['an interlinear annotation', 'pat\ufff9@example.org'],
    ['a noncharacter', 'pat\ufdd0@example.org'],
    ['a character that means nothing yet', 'pat\u0378@example.org'],
    ['a character of private use', 'pat\ue000@example.org'],
    ['a fullwidth at sign before the other', 'pat＠example.com@example.org'],
    ['a small at sign before the other', 'pat﹫example.com@example.org'],
    ['a fullwidth at sign alone', 'pat＠example.org'],
    ['a domain with an at sign in disguise', 'pat@example﹫org'],
    ['a domain with a slash in disguise', 'pat@℀.org'],
    ['a domain with a port in disguise', 'pat@example.org﹕80'],
    ['a domain in both directions', 'pat@\u05d0a1.com'],
    ['a domain of broken Punycode', 'pat@xn--a.org'],
    ['a domain that is an address in hex', 'pat@0x7f000001。'],
    ['a domain with a fullwidth dot at its end', 'pat@example.org。'],
    ['a domain with two dots, one in disguise', 'pat@example.。org'],
    ['a domain with a percent sign', 'pat@ex%61mple.org'],
  ])('the gateway refuses an e-mail with %s at registration and login', async (_name, email) => {
    const refusal = { email: ['The email field must be a valid email address.'] };
    await leavesNothing(app, async () => {
      expectInvalid(await api().registerPatient(aPatient({ email })), refusal);
      expectInvalid(await api().login({ email, password: freshPassword() }), refusal);
    });
  });

  describe('an international domain', () => {
    const taken = { email: ['The email has already been taken.'] };

    test.each<[what: string, one: string, other: string]>([
      ['in Punycode', 'MÜLLER.example', 'xn--mller-kva.example'],
      ['in Punycode of upper case', 'müller.example', 'XN--MLLER-KVA.example'],
      ['decomposed', 'm\u00fcller.example', 'mu\u0308ller.example'],
      ['with an ideographic full stop', 'müller.example', 'müller。example'],
      ['with a halfwidth full stop', 'müller.example', 'müller｡example'],
      ['of another script', '例え.テスト', 'xn--r8jz45g.xn--zckzah'],
      ['of an emoji', '😀.example', 'xn--e28h.example'],
    ])(
      'an international domain is the same %s, and the answer has it as it was sent',
      async (_what, one, other) => {
        const local = randomUUID();
        const first = aPatient({ email: `${local}@${one}` });
        const second = { email: `${local}@${other}`, password: first.password };
        expect(authenticated(await api().registerPatient(first)).account.email).toBe(first.email);
        expectInvalid(await api().registerPatient(aPatient({ email: second.email })), taken);
        expect(authenticated(await api().login(second)).account.email).toBe(first.email);
      },
    );

    test.each([
      ['a sharp s and two s', 'faß.example', 'fass.example'],
      ['Cyrillic letters that look like Latin ones', '\u0441\u0430\u0440.example', 'cap.example'],
    ])('an international domain is another one with %s', async (_what, one, other) => {
      const local = randomUUID();
      authenticated(await api().registerPatient(aPatient({ email: `${local}@${one}` })));
      authenticated(await api().registerPatient(aPatient({ email: `${local}@${other}` })));
    });
  });

  describe('e-mails that look alike', () => {
    const taken = { email: ['The email has already been taken.'] };
    /** Registers one, and then the other, at an address that nobody has yet. */
    const both = async (one: string, other: string) => {
      const rest = freshEmail();
      const first = authenticated(await api().registerPatient(aPatient({ email: `${one}${rest}` })));
      return { first, second: await api().registerPatient(aPatient({ email: `${other}${rest}` })) };
    };

    test.each([
      ['in upper and lower case', 'PAT', 'pat'],
      ['composed and decomposed', 'zo\u00eb', 'zoe\u0308'],
      ['with the Kelvin sign, which is canonically a K', '\u212aim', 'kim'],
      ['with the Angstrom sign, which is canonically an Å', '\u212b', '\u00e5'],
      ['in upper and lower case beyond ASCII', 'ÀÉÎ', 'àéî'],
    ])('e-mails are one mailbox %s', async (_name, one, other) => {
      expectInvalid((await both(one, other)).second, taken);
    });

    test.each([
      ['fullwidth and ASCII letters', 'ｐａｔ', 'pat'],
      ['a ligature and its letters', 'ﬁ', 'fi'],
      ['the dotless and the dotted i', 'ı', 'i'],
      ['the sharp s and two s', 'ß', 'ss'],
      ['a long s and an s', 'ſ', 's'],
    ])('e-mails with %s are two mailboxes, and neither opens the other', async (_name, one, other) => {
      const { first, second } = await both(one, other);
      expect(authenticated(second).account.id).not.toBe(first.account.id);
    });

    test.each([
      ['in the local part', (email: string) => `\u0430${email}`],
      ['in the domain', (email: string) => email.replace('example', 'ex\u0430mple')],
      ['in the domain as Punycode', (email: string) => email.replace('example', 'xn--exmple-4nf')],
    ])('a registration with letters of several scripts %s is refused', async (_name, change) => {
      const email = change(freshEmail());
      const before = await inventoryOf(app);
      const text = 'The email field must be a valid email address.';
      expectInvalid(await api().registerPatient(aPatient({ email })), { email: [text] });
      expectInvalid(await api().registerDoctor(aDoctor({ email })), { email: [text] });
      expect(await inventoryOf(app)).toEqual(before);
    });

    test('an account that has such an e-mail already logs in, and opens no other', async () => {
      const rest = freshEmail();
      const victim = aPatient({ email: `admin${rest}` });
      const { account } = authenticated(await api().registerPatient(victim));
      const stranger = aPatient();
      const other = authenticated(await api().registerPatient(stranger)).account;
      stranger.email = `\u0430dmin${rest}`;
      const stored = { email: stranger.email, emailKey: stranger.email };
      await app.database.accounts.updateOne({ _id: String(other.id) }, { $set: stored });
      expect(authenticated(await api().login(stranger)).account.id).toBe(other.id);
      const crossed = { email: victim.email, password: stranger.password };
      expect(await api().login(crossed)).toMatchObject({ kind: 'credentials' });
      expect(authenticated(await api().login(victim)).account.id).toBe(account.id);
    });
  });

  test('a text with many blanks in the middle takes little work', async () => {
    const before = await inventoryOf(app);
    const patient = aPatient({ name: `a${' '.repeat(90_000)}b` });
    const outcome = await busyBelow(1_000, () => api().registerPatient(patient));
    expect(outcome).toMatchObject({ kind: 'validation' });
    expect(await inventoryOf(app)).toEqual(before);
  });
});
