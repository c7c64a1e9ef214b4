import { busyBelow } from '../support/busy.ts';
import { throughEachDoor } from '../support/doors.ts';
import { authenticated, expectInvalid } from '../support/expectations.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { inventoryOf, useTestApp } from '../support/test-app.ts';
import { leavesNothing } from './support/harmless.ts';

const app = useTestApp();

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
  ['a terminal escape', 'Pat \u001b[31mRed\u0007'],
  ['a line break', 'Pat\r\nSet-Cookie: a=b'],
  ['a separator of lines', 'Pat\u2028Ient'],
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

throughEachDoor((openDoor) => {
  const door = () => openDoor(app.url);

  test.each(NAMES)('a name with %s is kept as it was given', async (_name, name) => {
    const patient = aPatient({ name, phone: name });
    expect(authenticated(await door().registerPatient(patient)).account).toMatchObject({ name, phone: name });
    expect(authenticated(await door().login(patient)).account).toMatchObject({ name, phone: name });
  });

  test.each([
    ['blanks of every kind', '\u00a0\u1680\u2003\u3000 \t\r\n'],
    ['line separators', '\u2028\u2029'],
    ['a byte order mark', '\ufeff'],
    ['zero-width spaces', '\u200b\u200b'],
    ['a left-to-right mark', '\u200e'],
  ])('a name of nothing but %s is none, and around a name they are not part of it', async (_name, blanks) => {
    await leavesNothing(app, async () =>
      expectInvalid(await door().registerPatient(aPatient({ name: blanks })), {
        name: ['The name field is required.'],
      }),
    );
    const padded = aPatient({ name: `${blanks}Pat Ient${blanks}` });
    expect(authenticated(await door().registerPatient(padded)).account.name).toBe('Pat Ient');
  });

  test.each(['name', 'phone', 'email'])(
    'a NUL or half of a surrogate pair in the %s is refused',
    async (field) => {
      await leavesNothing(app, async () => {
        for (const bad of ['\0', '\ud800', '\udfff', '\udfff\ud800']) {
          const outcome = await door().registerPatient(aPatient({ [field]: `a${bad}${freshEmail()}` }));
          expect(outcome).toMatchObject({ kind: 'validation', errors: { [field]: expect.any(Array) } });
        }
      });
    },
  );

  test.each([
    ['a line break in quotes', '"a\r\nBcc: b@example.org"@example.org'],
    ['an escaped line break', '"a\\\r\nb"@example.org'],
    ['a bare line feed', '"a\nb"@example.org'],
    ['a tab', '"a\tb"@example.org'],
    ['a bell', '"a\u0007b"@example.org'],
    ['DEL', '"a\u007fb"@example.org'],
    ['NEL', 'a\u0085b@example.org'],
    ['a line separator', 'a\u2028b@example.org'],
    ['a paragraph separator in quotes', '"a\u2029b"@example.org'],
  ])('an e-mail with %s is no e-mail, at registration or login', async (_name, email) => {
    const refusal = { email: ['The email field must be a valid email address.'] };
    await leavesNothing(app, async () => {
      expectInvalid(await door().registerPatient(aPatient({ email })), refusal);
      expectInvalid(await door().login({ email, password: freshPassword() }), refusal);
    });
  });

  describe('e-mails that look alike', () => {
    const taken = { email: ['The email has already been taken.'] };
    /** Registers one, and then the other, at an address that nobody has yet. */
    const both = async (one: string, other: string) => {
      const rest = freshEmail();
      const first = authenticated(await door().registerPatient(aPatient({ email: `${one}${rest}` })));
      return { first, second: await door().registerPatient(aPatient({ email: `${other}${rest}` })) };
    };

    test.each([
      ['in upper and lower case', 'PAT', 'pat'],
      ['composed and decomposed', 'zo\u00eb', 'zoe\u0308'],
      ['with the Kelvin sign, which is canonically a K', '\u212aim', 'kim'],
      ['with the Angstrom sign, which is canonically an Å', '\u212b', '\u00e5'],
      ['in upper and lower case beyond ASCII', 'ÀÉÎ', 'àéî'],
    ])('%s are one mailbox', async (_name, one, other) => {
      expectInvalid((await both(one, other)).second, taken);
    });

    test.each([
      ['fullwidth and ASCII letters', 'ｐａｔ', 'pat'],
      ['a ligature and its letters', 'ﬁ', 'fi'],
      ['Cyrillic and Latin letters', 'р\u0430t', 'pat'],
      ['the dotless and the dotted i', 'ı', 'i'],
      ['the sharp s and two s', 'ß', 'ss'],
      ['a long s and an s', 'ſ', 's'],
    ])('%s are two mailboxes, and neither opens the other', async (_name, one, other) => {
      const { first, second } = await both(one, other);
      expect(authenticated(second).account.id).not.toBe(first.account.id);
    });

    test('a stranger cannot take over the mailbox that another one looks like', async () => {
      const rest = freshEmail();
      const victim = aPatient({ email: `admin${rest}` });
      const { account } = authenticated(await door().registerPatient(victim));
      const stranger = aPatient({ email: `\u0430dmin${rest}` });
      const other = authenticated(await door().registerPatient(stranger)).account;
      expect(other.id).not.toBe(account.id);
      const crossed = { email: victim.email, password: stranger.password };
      expect(await door().login(crossed)).toMatchObject({ kind: 'credentials' });
      expect(authenticated(await door().login(victim)).account.id).toBe(account.id);
    });
  });

  test('a text of nothing but blanks in the middle is looked at from its ends alone', async () => {
    const before = await inventoryOf(app);
    const patient = aPatient({ name: `a${' '.repeat(90_000)}b` });
    const outcome = await busyBelow(1_000, () => door().registerPatient(patient));
    expect(outcome).toMatchObject({ kind: 'validation' });
    expect(await inventoryOf(app)).toEqual(before);
  });
});
