import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { importAccount, importToken, sanctumSecret } from '../../support/legacy.ts';
import { freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const A_MINUTE_MILLIS = 60_000;

let nextId = 1;
const importedAccount = () => importAccount(app.database, String(nextId++));
const logout = (token: string) => restApi(app.url).logout(`Bearer ${token}`);

beforeEach(() => app.database.accounts.deleteMany({}));
beforeEach(() => app.database.tokens.deleteMany({}));

test('an imported account keeps its number as its id and logs in with its $2y$ hash', async () => {
  const { id, name, email, password } = await importedAccount();
  const outcome = authenticated(await restApi(app.url).login({ email, password }));
  expect(outcome.account).toEqual({ id, name, email, phone: null, dateOfBirth: null, role: 'patient' });
  expect(await accountOf(app.url, outcome.token)).toMatchObject({ id });
});

test('the gateway refuses a wrong password for a $2y$ hash', async () => {
  const { email } = await importedAccount();
  refused(await restApi(app.url).login({ email, password: freshPassword() }), 'credentials');
});

test('an imported token is valid and can log out', async () => {
  const { id } = await importedAccount();
  const token = await importToken(app.database, { id: '7', accountId: id });
  expect(await accountOf(app.url, token)).toMatchObject({ id });
  succeeded(await logout(token));
  expect(await accountOf(app.url, token)).toBeUndefined();
});

test('an imported token with a prefix is valid', async () => {
  const { id } = await importedAccount();
  const token = await importToken(app.database, { id: '8', accountId: id, secret: sanctumSecret('acme_') });
  succeeded(await logout(token));
});

test('an expired token gets the answer to an unknown token', async () => {
  const { id } = await importedAccount();
  const expiresAt = new Date(testClock.now() - A_MINUTE_MILLIS);
  const expired = await importToken(app.database, { id: '9', accountId: id, expiresAt });
  const refusal = refused(await logout(expired), 'unauthenticated');
  const unknown = refused(await logout(`10|${sanctumSecret()}`), 'unauthenticated');
  expect(comparable(refusal.http)).toEqual(comparable(unknown.http));
});

test('a token that has not expired yet is valid', async () => {
  const { id } = await importedAccount();
  const expiresAt = new Date(testClock.now() + A_MINUTE_MILLIS);
  succeeded(await logout(await importToken(app.database, { id: '11', accountId: id, expiresAt })));
});
