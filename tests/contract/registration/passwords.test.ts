import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, expectInvalidFields, refused } from '../../support/expectations.ts';
import { importAccount } from '../../support/legacy.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from '../../support/people.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const strictApp = useTestApp({ PASSWORD_MIN_CHARACTERS: '12' });
const uncheckedApp = useTestApp({ PASSWORD_CHECK: 'off' });

const TOO_LONG = { password: ['The password field must not be greater than 72 bytes.'] };
const COMMON = { password: ['The password field must not be a common password.'] };
const PERSONAL = { password: ['The password field must not contain your name or email address.'] };
const tooShort = (min: number) => ({ password: [`The password field must be at least ${min} characters.`] });

throughEachApi((apiOf) => {
  const register = (password: string, fields: Fields = {}, { url } = app) =>
    apiOf(url).registerPatient(aPatient({ ...fields, password }));

  /** Registers with one password and says whether another opens the account. */
  async function opens(registered: string, tried: string): Promise<boolean> {
    const { account } = authenticated(await register(registered));
    const outcome = await apiOf(app.url).login({ email: account.email, password: tried });
    if (!outcome.ok) {
      refused(outcome, 'credentials');
    }
    return outcome.ok;
  }

  test('a password has at least 8 characters, not bytes', async () => {
    expectInvalid(await register('Seven77'), tooShort(8));
    authenticated(await register('Eight-88'));
    expectInvalid(await register('😀'.repeat(7)), tooShort(8));
    authenticated(await register('😀'.repeat(8)));
    // A letter that is typed as two characters counts as one.
    expectInvalid(await register('ë'.repeat(7).normalize('NFD')), tooShort(8));
    authenticated(await register('ë'.repeat(8).normalize('NFD')));
  });

  test('PASSWORD_MIN_CHARACTERS sets the minimum length of a password', async () => {
    expectInvalid(await register('Eleven-1111', {}, strictApp), tooShort(12));
    authenticated(await register('Twelve-12121', {}, strictApp));
  });

  test('a password has at most 72 bytes of UTF-8, all of which count', async () => {
    const longest = freshPassword().padEnd(72, 'x');
    expect(await opens(longest, longest)).toBe(true);
    expect(await opens(longest, `${longest.slice(0, 71)}y`)).toBe(false);
    expect(await opens(longest, `${longest}y`)).toBe(false);
    expectInvalid(await register(`${longest}x`), TOO_LONG);
    authenticated(await register('密'.repeat(24)));
    expectInvalid(await register(`${'密'.repeat(24)}x`), TOO_LONG);
    authenticated(await register('ǖ'.repeat(36).normalize('NFD')));
    expectInvalid(await register('ǖ'.repeat(37).normalize('NFD')), TOO_LONG);
  });

  test('a text that is too long for a password is invalid at registration and wrong at login', async () => {
    const { email } = authenticated(await register(freshPassword())).account;
    for (const text of ['x'.repeat(90_000), `a${'\u0315'.repeat(20_000)}${'\u0300'.repeat(20_000)}`]) {
      expectInvalid(await register(text), TOO_LONG);
      refused(await apiOf(app.url).login({ email, password: text }), 'credentials');
    }
  });

  test('the gateway refuses a password with a NUL or a lone surrogate', async () => {
    for (const bad of ['\0', '\ud800', '\udc00']) {
      expectInvalidFields(await register(`${freshPassword()}${bad}`), ['password']);
      expectInvalidFields(await register(`${bad}${freshPassword()}`), ['password']);
    }
    const doctor = aDoctor({ password: `Pass\0word-${freshPassword()}` });
    expectInvalidFields(await apiOf(app.url).registerDoctor(doctor), ['password']);
  });

  const password = freshPassword();
  const composed = `Zoë-Ångström-${freshPassword()}`.normalize('NFC');
  test.each([
    ['the same one', `${password}\ufffd`, `${password}\ufffd`, true],
    ['one that continues after a NUL', password, `${password}\0anything`, false],
    ['one with half a character in place of U+FFFD', `${password}\ufffd`, `${password}\ud800`, false],
    ['one with the same blanks around it', `  ${password}\t `, `  ${password}\t `, true],
    ['one without its blanks', `  ${password}\t `, password, false],
    ['one with blanks around it', password, `  ${password}\t `, false],
    ['one of blanks alone', ' '.repeat(8), ' '.repeat(8), true],
    ['one whose letters are decomposed', composed, composed.normalize('NFD'), true],
    ['one whose letters are composed', composed.normalize('NFD'), composed, true],
    ['one in lower case', `Mixed-${password}`, `mixed-${password}`, false],
  ])('whether %s opens the account', async (_which, registered, tried, isOpened) => {
    expect(await opens(registered, tried)).toBe(isOpened);
  });

  const ADA = 'Ada Lovelace';
  const email = `countess.${freshEmail()}`;
  test.each<[string, Fields, object]>([
    ['trustno1', {}, COMMON],
    ['IloveYou', {}, COMMON],
    ['1234567890', {}, COMMON],
    ['Ada-Lovelace', { name: ADA }, PERSONAL],
    ['Lovelace1815', { name: ADA }, PERSONAL],
    ['it is me, ADA LOVELACE', { name: ADA }, PERSONAL],
    [email.toUpperCase(), { email }, PERSONAL],
    // One that breaks another rule has no text about its words.
    ['monkey', { name: 'Monkey Wrench' }, tooShort(8)],
    [`Ada Lovelace ${'x'.repeat(72)}`, { name: ADA }, TOO_LONG],
  ])('the password %s is refused for its words', async (words, fields, errors) => {
    expectInvalid(await register(words, fields), errors as Record<string, string[]>);
    const doctor = aDoctor({ ...fields, password: words });
    expectInvalidFields(await apiOf(app.url).registerDoctor(doctor), ['password']);
  });

  test('a long password may have words of the name, and a person without a valid name has other problems', async () => {
    authenticated(await register(`Lovelace, and then ${freshPassword()}`, { name: ADA }));
    expectInvalid(await register('trustno1', { name: 'x'.repeat(70_000), email: 'nobody' }), {
      name: ['The name field must not be greater than 255 characters.'],
      email: ['The email field must be a valid email address.'],
      ...COMMON,
    });
  });

  test('an imported account logs in with a common password', async () => {
    const imported = await importAccount(app.database, crypto.randomUUID(), { password: 'trustno1' });
    authenticated(await apiOf(app.url).login({ email: imported.email, password: 'trustno1' }));
    refused(await apiOf(app.url).login({ email: imported.email, password: 'trustno2' }), 'credentials');
  });

  test('PASSWORD_CHECK=off takes every password of the right length', async () => {
    for (const words of ['trustno1', 'Ada-Lovelace']) {
      authenticated(await register(words, { name: ADA }, uncheckedApp));
    }
  });
});
