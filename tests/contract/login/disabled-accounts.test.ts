import { throughEachDoor } from '../../support/doors.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const setDisabled = (_id: string, disabledAt: Date | null) =>
  app.database.accounts.updateOne({ _id }, { $set: { disabledAt } });

throughEachDoor((openDoor) => {
  test('the login of a disabled account gets the answer to a wrong password', async () => {
    const door = openDoor(app.url);
    const patient = aPatient();
    const { account } = authenticated(await door.registerPatient(patient));
    const wrong = refused(await door.login({ ...patient, password: freshPassword() }), 'credentials');
    await setDisabled(account.id, new Date());
    const disabled = refused(await door.login(patient), 'credentials');
    expect(comparable(disabled.http)).toEqual(comparable(wrong.http));

    await setDisabled(account.id, null);
    authenticated(await door.login(patient));
  });

  test('the token of a disabled account gets the answer to an unknown token at once', async () => {
    const door = openDoor(app.url);
    const { account, token } = authenticated(await door.registerPatient(aPatient()));
    expect(await accountOf(app.url, token)).toBeDefined();
    await setDisabled(account.id, new Date());
    const disabled = refused(await door.logout(`Bearer ${token}`), 'unauthenticated');
    const unknown = refused(await door.logout(`Bearer unknown${token}`), 'unauthenticated');
    expect(comparable(disabled.http)).toEqual(comparable(unknown.http));
    expect(await accountOf(app.url, token)).toBeUndefined();
  });

  test('the e-mail of a disabled account stays taken', async () => {
    const door = openDoor(app.url);
    const patient = aPatient();
    const { account } = authenticated(await door.registerPatient(patient));
    await setDisabled(account.id, new Date());
    const again = await door.registerPatient(aPatient({ email: patient.email }));
    expectInvalid(again, { email: ['The email has already been taken.'] });
  });

  test('an account whose record has no such field is not disabled', async () => {
    const door = openDoor(app.url);
    const patient = aPatient();
    const { account, token } = authenticated(await door.registerPatient(patient));
    await app.database.accounts.updateOne({ _id: account.id }, { $unset: { disabledAt: 1 } });
    expect(await accountOf(app.url, token)).toBeDefined();
    authenticated(await door.login(patient));
  });
});
