import { throughEachApi } from '../../support/apis.ts';
import { documentedDoctorTexts } from '../../support/documented-texts.ts';
import { expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const REQUIRED_TEXTS = {
  name: ['The name field is required.'],
  email: ['The email field is required.'],
  phone: ['The phone field is required.'],
  password: ['The password field is required.'],
  specialization: ['The specialization field is required.'],
  licenseNumber: ['The license number field is required.'],
};

const blank = (fields: object) => Object.fromEntries(Object.keys(fields).map((field) => [field, ' ']));

throughEachApi((apiOf) => {
  describe('a patient', () => {
    const register = (fields: object) => apiOf(app.url).registerPatient(aPatient({ ...fields }));

    test.each(['name', 'email', 'password'])('a patient must send the %s', async (field) => {
      const text = { [field]: [`The ${field} field is required.`] };
      expectInvalid(await register({ [field]: undefined }), text);
      expectInvalid(await register({ [field]: null }), text);
      expectInvalid(await register({ [field]: '' }), text);
    });

    test('the refusal of a patient reports every problem at once, and the message counts them', async () => {
      const { name, email } = REQUIRED_TEXTS;
      expectInvalid(await register({ name: '' }), { name });
      expectInvalid(await register({ name: '', email: ' ' }), { name, email });
      const password = ['The password field must be at least 8 characters.'];
      expectInvalid(await register({ name: '', email: ' ', password: 'short' }), { name, email, password });
    });

    test.each([
      'plain',
      '@example.org',
      'pat@',
      'pat@@example.org',
      'pat ient@example.org',
      'pat@exam ple.org',
    ])('the gateway refuses the e-mail "%s" of a patient', async (email) => {
      expectInvalid(await register({ email }), { email: ['The email field must be a valid email address.'] });
    });

    test.each([12, true, ['a'], { a: 1 }])(
      'the gateway refuses %j in place of a text of a patient',
      async (value) => {
        expectInvalid(await register({ name: value }), { name: ['The name field must be a string.'] });
        expectInvalid(await register({ email: value }), { email: ['The email field must be a string.'] });
        expectInvalid(await register({ phone: value }), { phone: ['The phone field must be a string.'] });
      },
    );

    test('a patient may have a name of 255 characters but not of 256', async () => {
      expect((await register({ name: '𝒜'.repeat(255) })).ok).toBe(true);
      expectInvalid(await register({ name: '𝒜'.repeat(256) }), {
        name: ['The name field must not be greater than 255 characters.'],
      });
    });

    test('a patient may have an e-mail of 255 characters but not of 256', async () => {
      const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.org`;
      const emailOf = (characters: number) =>
        `${freshEmail().slice(0, 36)}${'p'.repeat(characters - 37 - domain.length)}@${domain}`;
      expect((await register({ email: emailOf(255) })).ok).toBe(true);
      expectInvalid(await register({ email: emailOf(256) }), {
        email: ['The email field must not be greater than 255 characters.'],
      });
    });
  });

  describe('a doctor', () => {
    const register = (fields: object) => apiOf(app.url).registerDoctor(aDoctor({ ...fields }));

    test.each(Object.entries(REQUIRED_TEXTS))('a doctor must send %s', async (field, texts) => {
      expectInvalid(await register({ [field]: '' }), { [field]: texts });
      expectInvalid(await register({ [field]: undefined }), { [field]: texts });
    });

    test.each([
      ['licenseFile', 'license file'],
      ['diplomaFile', 'diploma file'],
      ['certificationFile', 'certification file'],
    ])('a doctor must send the file %s', async (field, label) => {
      expectInvalid(await register({ [field]: undefined }), { [field]: [`The ${label} field is required.`] });
    });

    test('the refusal of a doctor reports every missing text at once', async () => {
      expectInvalid(await register({ ...blank(REQUIRED_TEXTS), password: '' }), REQUIRED_TEXTS);
    });

    test.each(documentedDoctorTexts())(
      'a doctor may have a $field of $maxCharacters characters but not of one more',
      async ({ field, label, maxCharacters }) => {
        const longest = 'é'.repeat(maxCharacters);
        const { account, profile } = registeredDoctor(await register({ [field]: longest }));
        expect({ ...profile, ...account }).toMatchObject({ [field]: longest });
        expectInvalid(await register({ [field]: `${longest}x` }), {
          [field]: [`The ${label} field must not be greater than ${maxCharacters} characters.`],
        });
      },
    );

    test('a refused doctor leaves nothing behind', async () => {
      const before = await inventoryOf(app);
      expect((await register({ specialization: '', password: freshPassword().slice(0, 7) })).ok).toBe(false);
      expect(await inventoryOf(app)).toEqual(before);
    });
  });
});
