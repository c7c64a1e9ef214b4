import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, expectInvalidFields, refused } from '../../support/expectations.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const strictApp = useTestApp({ PASSWORD_MIN_CHARACTERS: '12' });

const TOO_LONG = { password: ['The password field must not be greater than 72 bytes.'] };
const tooShort = (min: number) => ({ password: [`The password field must be at least ${min} characters.`] });

throughEachApi((apiOf) => {
  const register = (password: string) => apiOf(app.url).registerPatient(aPatient({ password }));

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
    expect((await register('Eight-88')).ok).toBe(true);
    expectInvalid(await register('😀😀'), tooShort(8));
    expectInvalid(await register('😀'.repeat(7)), tooShort(8));
    expect((await register('😀'.repeat(8))).ok).toBe(true);
    // A letter that is typed as two characters counts as one.
    expectInvalid(await register('ë'.repeat(7).normalize('NFD')), tooShort(8));
    expect((await register('ë'.repeat(8).normalize('NFD'))).ok).toBe(true);
  });

  test('a password has at most 72 bytes of UTF-8, all of which count', async () => {
    const longest = freshPassword().padEnd(72, 'x');
    expect(await opens(longest, longest)).toBe(true);
    expect(await opens(longest, `${longest.slice(0, 71)}y`)).toBe(false);
    expectInvalid(await register(`${longest}x`), TOO_LONG);
    expect((await register('密'.repeat(24))).ok).toBe(true);
    expectInvalid(await register(`${'密'.repeat(24)}x`), TOO_LONG);
    expect((await register('ǖ'.repeat(36).normalize('NFD'))).ok).toBe(true);
    expectInvalid(await register('ǖ'.repeat(37).normalize('NFD')), TOO_LONG);
  });

  test('a password of more than 72 bytes is never truncated and does not open the account', async () => {
    const longest = freshPassword().padEnd(72, 'x');
    expect(await opens(longest, `${longest}y`)).toBe(false);
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

  test('a password that continues after a NUL does not open the account', async () => {
    const password = freshPassword();
    expect(await opens(password, `${password}\0anything`)).toBe(false);
  });

  test('a lone surrogate does not match the replacement character', async () => {
    const password = `${freshPassword()}\ufffd`;
    expect(await opens(password, password)).toBe(true);
    expect(await opens(password, password.replace('\ufffd', '\ud800'))).toBe(false);
  });

  test('the gateway never trims a password', async () => {
    const padded = `  ${freshPassword()}\t `;
    expect(await opens(padded, padded)).toBe(true);
    expect(await opens(padded, padded.trim())).toBe(false);
    expect(await opens(padded.trim(), padded)).toBe(false);
    expect(await opens(' '.repeat(8), ' '.repeat(8))).toBe(true);
  });

  test('a password opens the account however the keyboard composes its letters', async () => {
    const composed = `Zoë-Ångström-${freshPassword()}`.normalize('NFC');
    const decomposed = composed.normalize('NFD');
    expect(decomposed).not.toBe(composed);
    expect(await opens(composed, decomposed)).toBe(true);
    expect(await opens(decomposed, composed)).toBe(true);
  });

  test('a password is case-sensitive', async () => {
    const password = `Mixed-${freshPassword()}`;
    expect(await opens(password, password.toLowerCase())).toBe(false);
  });

  test('PASSWORD_MIN_BYTES sets the minimum length of a password', async () => {
    const registerStrictly = (password: string) =>
      apiOf(strictApp.url).registerPatient(aPatient({ password }));
    expectInvalid(await registerStrictly('Eleven-1111'), tooShort(12));
    expect((await registerStrictly('Twelve-12121')).ok).toBe(true);
  });
});
