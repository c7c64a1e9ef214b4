import bcrypt from 'bcrypt';
import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ BCRYPT_COST: '5' });

async function registered() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, account, token };
}

const login = (email: unknown, password: unknown) => restApi(app.url).login({ email, password });

throughEachApi((apiOf) => {
  const login = (email: unknown, password: unknown) => apiOf(app.url).login({ email, password });

  test('a login returns the account and a new token', async () => {
    const { email, password, account, token } = await registered();
    const outcome = authenticated(await login(email, password));
    expect(outcome.account).toEqual(account);
    expect(outcome.token).not.toBe(token);
    expect(await accountOf(app.url, outcome.token)).toMatchObject({ id: account.id });
  });

  test('the login of a doctor returns only the account record', async () => {
    const doctor = aDoctor();
    const { account } = authenticated(await apiOf(app.url).registerDoctor(doctor));
    const outcome = authenticated(await login(doctor.email, doctor.password));
    expect(outcome.account).toEqual({ ...account, dateOfBirth: null, role: 'doctor' });
    expect(outcome.profile).toBeUndefined();
  });

  test('the e-mail of a login matches in any case, and the answer has it as registered', async () => {
    const patient = aPatient({ email: `Given.As-${freshEmail()}` });
    authenticated(await apiOf(app.url).registerPatient(patient));
    for (const email of [patient.email.toUpperCase(), ` ${patient.email.toLowerCase()} `]) {
      expect(authenticated(await login(email, patient.password)).account.email).toBe(patient.email);
    }
  });

  test('a login does not revoke earlier tokens', async () => {
    const { email, password, account, token } = await registered();
    const second = authenticated(await login(email, password)).token;
    const third = authenticated(await login(email, password)).token;
    for (const each of [token, second, third]) {
      expect(await accountOf(app.url, each)).toMatchObject({ id: account.id });
    }
  });

  test('an unknown e-mail and a wrong password get the same answer to the byte, and no token', async () => {
    const { email, account } = await registered();
    const wrongPassword = refused(await login(email, freshPassword()), 'credentials');
    const unknownEmail = refused(await login(freshEmail(), freshPassword()), 'credentials');
    expect(wrongPassword.message).toBe('Invalid credentials');
    expect(wrongPassword.errors).toEqual({});
    expect(comparable(unknownEmail.http)).toEqual(comparable(wrongPassword.http));
    expect(await app.database.tokens.countDocuments({ accountId: account.id })).toBe(1);
  });

  test.each([
    ['email', 'The email field is required.'],
    ['password', 'The password field is required.'],
  ])('the gateway refuses a login without %s as invalid', async (field, text) => {
    const credentials = { email: freshEmail(), password: freshPassword() };
    for (const missing of [undefined, null, '']) {
      expectInvalid(await apiOf(app.url).login({ ...credentials, [field]: missing }), { [field]: [text] });
    }
  });
});

test('only a successful login replaces a hash of a lower cost, which is no change of the account', async () => {
  const { email, password, account } = await registered();
  const weak = { passwordHash: await bcrypt.hash(password, 4), updatedAt: new Date('2024-02-29T12:00:00Z') };
  await app.database.accounts.updateOne({ _id: account.id }, { $set: weak });
  const stored = () => app.database.accounts.findOne({ _id: account.id });

  refused(await login(email, freshPassword()), 'credentials');
  expect(await stored()).toMatchObject(weak);
  authenticated(await login(email, password));
  const upgraded = await stored();
  expect(upgraded?.passwordHash).toMatch(/^\$2b\$05\$/);
  expect(upgraded?.updatedAt).toEqual(weak.updatedAt);
  authenticated(await login(email, password));
  expect((await stored())?.passwordHash).toBe(upgraded?.passwordHash);
});

test('the hash of a higher cost stays as it is', async () => {
  const { email, password, account } = await registered();
  const strong = await bcrypt.hash(password, 6);
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { passwordHash: strong } });
  authenticated(await login(email, password));
  expect((await app.database.accounts.findOne({ _id: account.id }))?.passwordHash).toBe(strong);
});

test.each(['', '$2b$05$short', 'not a hash', '$2y$99$.....................................................'])(
  'the login of an account whose stored hash is "%s" fails like any other',
  async (passwordHash) => {
    const { email, password, account } = await registered();
    const wrong = refused(await login(email, freshPassword()), 'credentials');
    await app.database.accounts.updateOne({ _id: account.id }, { $set: { passwordHash } });
    const corrupt = refused(await login(email, password), 'credentials');
    expect(comparable(corrupt.http)).toEqual(comparable(wrong.http));
  },
);
