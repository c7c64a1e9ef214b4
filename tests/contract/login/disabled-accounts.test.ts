import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp();

const setDisabled = (_id: string, disabledAt: Date | null) =>
  app.database.accounts.updateOne({ _id }, { $set: { disabledAt } });

test('the login of a disabled account gets the answer to a wrong password', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account } = authenticated(await api.registerPatient(patient));
  const wrong = refused(await api.login({ ...patient, password: freshPassword() }), 'credentials');
  await setDisabled(account.id, new Date());
  const disabled = refused(await api.login(patient), 'credentials');
  expect(comparable(disabled.http)).toEqual(comparable(wrong.http));

  await setDisabled(account.id, null);
  authenticated(await api.login(patient));
});

test('the token of a disabled account gets the answer to an unknown token at once', async () => {
  const api = restApi(app.url);
  const { account, token } = authenticated(await api.registerPatient(aPatient()));
  expect(await accountOf(app.url, token)).toBeDefined();
  await setDisabled(account.id, new Date());
  const disabled = refused(await api.logout(`Bearer ${token}`), 'unauthenticated');
  const unknown = refused(await api.logout(`Bearer unknown${token}`), 'unauthenticated');
  expect(comparable(disabled.http)).toEqual(comparable(unknown.http));
  expect(await accountOf(app.url, token)).toBeUndefined();
});

test('the e-mail of a disabled account stays taken', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account } = authenticated(await api.registerPatient(patient));
  await setDisabled(account.id, new Date());
  const again = await api.registerPatient(aPatient({ email: patient.email }));
  expectInvalid(again, { email: ['The email has already been taken.'] });
});

test('an account whose record has no such field is not disabled', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account, token } = authenticated(await api.registerPatient(patient));
  await app.database.accounts.updateOne({ _id: account.id }, { $unset: { disabledAt: 1 } });
  expect(await accountOf(app.url, token)).toBeDefined();
  authenticated(await api.login(patient));
});
