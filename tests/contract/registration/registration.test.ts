import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { aDoctor, aPatient, EMPTY_PROFILE, freshEmail, OPTIONAL_PROFILE } from '../../support/people.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

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

throughEachApi((apiOf) => {
  const register = {
    patient: async (fields: object = {}) => {
      const sent = aPatient({ ...fields });
      return { sent, got: authenticated(await apiOf(app.url).registerPatient(sent)) };
    },
    doctor: async (fields: object = {}) => {
      const sent = aDoctor({ ...fields });
      return { sent, got: registeredDoctor(await apiOf(app.url).registerDoctor(sent)) };
    },
  };

  test('a patient registers with name, e-mail and password alone', async () => {
    const { sent, got } = await register.patient();
    const { name, email } = sent;
    expect(got.account).toEqual({
      id: expect.any(String),
      name,
      email,
      phone: null,
      dateOfBirth: null,
      role: 'patient',
    });
  });

  test('Accept-Language makes the language of an account, and never an error', async () => {
    for (const [header, language] of LANGUAGES) {
      const api = apiOf(app.url, { 'Accept-Language': header });
      const { account } = authenticated(await api.registerPatient(aPatient()));
      const stored = await app.database.accounts.findOne({ _id: account.id });
      const shown = header.slice(0, 60);
      expect([shown, stored && 'language' in stored, stored?.language]).toEqual([
        shown,
        language !== undefined,
        language,
      ]);
    }
  });

  test('the language of a doctor is stored, and the answer does not show it', async () => {
    const person = aDoctor();
    const german = registeredDoctor(await apiOf(app.url, { 'Accept-Language': 'de' }).registerDoctor(person));
    const other = registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
    expect(Object.keys(german.account)).toEqual(Object.keys(other.account));
    expect(await app.database.accounts.findOne({ _id: german.account.id })).toMatchObject({ language: 'de' });
    expect(await app.database.accounts.findOne({ _id: other.account.id })).not.toHaveProperty('language');
    // A login never changes it.
    authenticated(await apiOf(app.url, { 'Accept-Language': 'en' }).login(person));
    expect(await app.database.accounts.findOne({ _id: german.account.id })).toMatchObject({ language: 'de' });
  });

  test('a patient may give a telephone number', async () => {
    const { got } = await register.patient({ phone: '+49 30 1234' });
    expect(got.account.phone).toBe('+49 30 1234');
  });

  test('a doctor registers with every field', async () => {
    const { sent, got } = await register.doctor(OPTIONAL_PROFILE);
    const { name, email, phone, specialization, licenseNumber } = sent;
    expect(got.account).toMatchObject({ name, email, phone });
    expect(got.profile).toEqual({
      specialization,
      licenseNumber,
      licenseFileUrl: expect.stringContaining('/storage/licenses/'),
      diplomaFileUrl: expect.stringContaining('/storage/diplomas/'),
      certificationUrl: expect.stringContaining('/storage/certifications/'),
      ...OPTIONAL_PROFILE,
    });
  });

  test('a field that a doctor leaves out is null', async () => {
    const { got } = await register.doctor();
    expect(got.profile).toMatchObject(EMPTY_PROFILE);
  });

  test('the gateway trims texts and treats an empty one as absent', async () => {
    const email = freshEmail();
    const patient = await register.patient({ name: '\t Pat \n', email: `  ${email} `, phone: '   ' });
    expect(patient.got.account).toMatchObject({ name: 'Pat', email, phone: null });

    const doctor = await register.doctor({
      specialization: ' Oncology ',
      workHistory: '',
      publications: ' \n ',
    });
    expect(doctor.got.profile).toMatchObject({
      specialization: 'Oncology',
      workHistory: null,
      publications: null,
    });
  });

  test('texts in any script come back unchanged', async () => {
    const name = 'Zoë 李小龍 عائشة 👩🏽‍⚕️';
    expect((await register.patient({ name })).got.account.name).toBe(name);
    expect((await register.doctor({ name, workHistory: `${name}\r\nsince 1999` })).got).toMatchObject({
      account: { name },
      profile: { workHistory: `${name}\r\nsince 1999` },
    });
  });

  test('the answer has the e-mail as it was sent, and the e-mail is taken in any case', async () => {
    const local = freshEmail().split('@')[0];
    const email = `Pat.${local}@Example.ORG`;
    expect((await register.patient({ email })).got.account.email).toBe(email);

    const taken = { email: ['The email has already been taken.'] };
    expectInvalid(await apiOf(app.url).registerPatient(aPatient({ email: email.toLowerCase() })), taken);
    expectInvalid(await apiOf(app.url).registerDoctor(aDoctor({ email: email.toUpperCase() })), taken);
  });

  test('each account has its own opaque string as its id', async () => {
    const ids = [(await register.patient()).got.account.id, (await register.doctor()).got.account.id];
    for (const id of ids) {
      expect(id).toMatch(/^\S{1,64}$/);
    }
    expect(new Set(ids).size).toBe(2);
  });

  test('the gateway stores only a bcrypt hash of a password', async () => {
    for (const { sent, got } of [await register.patient(), await register.doctor()]) {
      const stored = await app.database.accounts.findOne({ _id: got.account.id });
      expect(stored?.passwordHash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
      const everything = await Promise.all([
        app.database.accounts.find().toArray(),
        app.database.profiles.find().toArray(),
        app.database.tokens.find().toArray(),
      ]);
      expect(JSON.stringify(everything)).not.toContain(sent.password);
    }
  });

  test('a profile has the id of its account', async () => {
    const { got } = await register.doctor();
    expect(await app.database.profiles.countDocuments({ _id: got.account.id })).toBe(1);
    expect(await app.database.accounts.findOne({ _id: got.account.id })).toMatchObject({ role: 'doctor' });
  });
});
