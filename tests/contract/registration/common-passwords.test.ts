import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { importAccount } from '../../support/legacy.ts';
import { aDoctor, aPatient, type Fields, freshPassword } from '../../support/people.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const uncheckedApp = useTestApp({ PASSWORD_CHECK: 'off' });

const LEAKED = 'The password field must not be a common password.';
const PERSONAL = 'The password field must not contain your name or email address.';

throughEachApi((apiOf) => {
  const register = (fields: Fields) => apiOf(app.url).registerPatient(aPatient(fields));

  test('a registration with a common password is refused, in upper and lower case', async () => {
    const before = await inventoryOf(app);
    for (const password of ['trustno1', 'IloveYou', '1234567890']) {
      expectInvalid(await register({ password }), { password: [LEAKED] });
    }
    expectInvalid(await apiOf(app.url).registerDoctor(aDoctor({ password: 'Sunshine1' })), {
      password: [LEAKED],
    });
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a registration with the own name or e-mail as a password is refused', async () => {
    const name = 'Ada Lovelace';
    for (const password of ['Ada-Lovelace', 'Lovelace1815', 'it is me, ADA LOVELACE']) {
      expectInvalid(await register({ name, password }), { password: [PERSONAL] });
    }
    const email = `countess.${crypto.randomUUID()}@example.org`;
    expectInvalid(await register({ email, password: email.toUpperCase() }), { password: [PERSONAL] });
    const doctor = aDoctor({ name, password: 'lovelace.2026' });
    expectInvalid(await apiOf(app.url).registerDoctor(doctor), { password: [PERSONAL] });
    authenticated(await register({ name, password: `Lovelace, and then ${freshPassword()}` }));
  });

  test('a password that breaks another rule has no text about its words', async () => {
    expectInvalid(await register({ name: 'Monkey Wrench', password: 'monkey' }), {
      password: ['The password field must be at least 8 characters.'],
    });
    const name = 'Ada Lovelace';
    expectInvalid(await register({ name, password: `Ada Lovelace ${'x'.repeat(72)}` }), {
      password: ['The password field must not be greater than 72 bytes.'],
    });
  });

  test('a person without a valid name and e-mail gets a text for each field', async () => {
    expectInvalid(await register({ name: 'x'.repeat(70_000), email: 'nobody', password: 'trustno1' }), {
      name: ['The name field must not be greater than 255 characters.'],
      email: ['The email field must be a valid email address.'],
      password: [LEAKED],
    });
  });

  test('an imported account logs in with a common password', async () => {
    const imported = await importAccount(app.database, crypto.randomUUID(), { password: 'trustno1' });
    authenticated(await apiOf(app.url).login({ email: imported.email, password: 'trustno1' }));
    refused(await apiOf(app.url).login({ email: imported.email, password: 'trustno2' }), 'credentials');
  });

  test('PASSWORD_CHECK=off takes every password of the right length', async () => {
    const api = apiOf(uncheckedApp.url);
    for (const password of ['trustno1', 'Ada-Lovelace']) {
      authenticated(await api.registerPatient(aPatient({ name: 'Ada Lovelace', password })));
    }
  });
});
