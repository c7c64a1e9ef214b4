import { throughEachApi } from '../../support/apis.ts';
import { documentedDoctorTexts } from '../../support/documented-texts.ts';
import { authenticated, expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { useTestApp } from '../../support/test-app.ts';

// What each field of an answer is, and what is stored, is in tests/contract/table.
const app = useTestApp();
const storedOf = (_id: string) => app.database.accounts.findOne({ _id });

/** What browsers and others send as `Accept-Language`, and the language that the account then has. */
const LANGUAGES: [sent: string, stored: string | undefined][] = [
  ['de', 'de'],
  ['DE-at', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr-CH, fr;q=0.9, de;q=0.8, en;q=0.7, *;q=0.5', 'de'],
  ['*;q=0.5, de', 'de'],
  ['de;q=1;x="', 'de'],
  ['', undefined],
  ['*', undefined],
  ['fr, *;q=0.1', undefined],
  ['en;q=0, *', undefined],
  ['de;q=0', undefined],
  ['q=0', undefined],
  ['de;q=abc', undefined],
  ['xx', undefined],
  ['und', undefined],
  ['de_DE', undefined],
  ['__proto__', undefined],
  ['constructor', undefined],
  ['toString;q=1, hasOwnProperty', undefined],
  [',,;;==""', undefined],
  ['\u00fc\u00ff', undefined],
  ['de,'.repeat(3_400), undefined],
  [`de${';'.repeat(10_000)}`, undefined],
];

test('Accept-Language makes the language of an account, and never an error', async () => {
  for (const [header, language] of LANGUAGES) {
    const api = restApi(app.url, { 'Accept-Language': header });
    const stored = await storedOf(authenticated(await api.registerPatient(aPatient())).account.id);
    const [shown, isStored] = [header.slice(0, 60), stored && 'language' in stored];
    expect([shown, isStored, stored?.language]).toEqual([shown, language !== undefined, language]);
  }
});

const REQUIRED_TEXTS = {
  name: ['The name field is required.'],
  email: ['The email field is required.'],
  phone: ['The phone field is required.'],
  password: ['The password field is required.'],
  specialization: ['The specialization field is required.'],
  licenseNumber: ['The license number field is required.'],
};

throughEachApi((apiOf) => {
  const registerPatient = (fields: object) => apiOf(app.url).registerPatient(aPatient({ ...fields }));
  const registerDoctor = (fields: object) => apiOf(app.url).registerDoctor(aDoctor({ ...fields }));

  test('the language is stored, the answer does not show it, and a login never changes it', async () => {
    const [german, english] = ['de', 'en'].map((header) => apiOf(app.url, { 'Accept-Language': header }));
    const [patient, doctor] = [aPatient(), aDoctor()];
    for (const [person, registered, other] of [
      [patient, await german?.registerPatient(patient), await registerPatient({})],
      [doctor, await german?.registerDoctor(doctor), await registerDoctor({})],
    ] as const) {
      const { account } = authenticated(registered as typeof other);
      expect(Object.keys(account)).toEqual(Object.keys(authenticated(other).account));
      expect(await storedOf(account.id)).toMatchObject({ language: 'de' });
      expect(await storedOf(authenticated(other).account.id)).not.toHaveProperty('language');
      authenticated((await english?.login(person)) as typeof other);
      expect(await storedOf(account.id)).toMatchObject({ language: 'de' });
    }
  });

  test('the gateway trims texts and treats an empty one as absent', async () => {
    const email = freshEmail();
    const { account } = authenticated(await registerPatient({ email: `  ${email} `, phone: '   ' }));
    expect(account).toMatchObject({ email, phone: null });
    const texts = { specialization: ' Oncology ', workHistory: '', publications: ' \n ' };
    const { profile } = registeredDoctor(await registerDoctor(texts));
    expect(profile).toMatchObject({ specialization: 'Oncology', workHistory: null, publications: null });
    const blanks = Object.keys(REQUIRED_TEXTS).map((field) => [field, field === 'password' ? '' : ' ']);
    expectInvalid(await registerDoctor(Object.fromEntries(blanks)), REQUIRED_TEXTS);
  });

  test('a patient may have a name and an e-mail of 255 characters but not of 256', async () => {
    const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.org`;
    const emailOf = (characters: number) =>
      `${freshEmail().slice(0, 36)}${'p'.repeat(characters - 37 - domain.length)}@${domain}`;
    authenticated(await registerPatient({ name: '𝒜'.repeat(255), email: emailOf(255) }));
    expectInvalid(await registerPatient({ name: '𝒜'.repeat(256), email: emailOf(256) }), {
      name: ['The name field must not be greater than 255 characters.'],
      email: ['The email field must not be greater than 255 characters.'],
    });
  });

  test.each(documentedDoctorTexts())(
    'a doctor may have a $field of $maxCharacters characters but not of one more',
    async ({ field, label, maxCharacters }) => {
      const longest = 'é'.repeat(maxCharacters);
      const { account, profile } = registeredDoctor(await registerDoctor({ [field]: longest }));
      expect({ ...profile, ...account }).toMatchObject({ [field]: longest });
      expectInvalid(await registerDoctor({ [field]: `${longest}x` }), {
        [field]: [`The ${label} field must not be greater than ${maxCharacters} characters.`],
      });
    },
  );
});
