import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { aDoctor, aPatient, EMPTY_PROFILE, freshEmail, OPTIONAL_PROFILE } from '../../support/people.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

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
