import { setTimeout as pause } from 'node:timers/promises';
import { aPatient, freshPassword } from '../../../tests/support/people.ts';
import { codeAt, nextCode, TWO_FACTOR, wrongCode } from '../../../tests/support/second-factor.ts';
import { testClock, useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, type AuthClientOptions, createAuthClient } from '../src/index.ts';
import { dataOf, errorOf, watchedFetch } from './support/results.ts';
import { syncStorage } from './support/storages.ts';

const GRACE_MILLIS = 604_800_000;
const app = useTestApp({ ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'patient' });
const newClient = (options?: Partial<AuthClientOptions>): AuthClient =>
  createAuthClient({ url: app.url, fetch: watchedFetch, ...options });

/** A client of a new patient, and what an enrolment has shown. */
async function enrolled(options?: Partial<AuthClientOptions>) {
  const patient = aPatient();
  const client = newClient(options);
  const { account, token: first } = dataOf(await client.registerPatient(patient));
  const { secretKey } = dataOf(await client.enableTwoFactor({ password: patient.password }));
  const { recoveryCodes, token } = dataOf(await client.confirmTwoFactor({ code: codeAt(secretKey) }));
  nextCode();
  return { ...patient, account, client, first, token, secretKey, recoveryCodes };
}

/** The error of a login, which has a challenge. */
async function challengeOf(client: AuthClient, credentials: { email: string; password: string }) {
  const error = errorOf(await client.login(credentials));
  if (error.code !== 'TWO_FACTOR_REQUIRED' && error.code !== 'TWO_FACTOR_SETUP_REQUIRED') {
    throw new Error(error.code);
  }
  return error;
}

test('a confirmation keeps the new token and the session, in the storage, too', async () => {
  const storage = syncStorage();
  const tokens: (string | null)[] = [];
  const person = await enrolled({ storage, onTokenChange: (token) => tokens.push(token) });
  const { client, account, first, token } = person;
  expect(person.recoveryCodes).toHaveLength(10);
  expect(client.token).toBe(token);
  expect(tokens).toEqual([first, token]);
  expect(client.session).toEqual({ status: 'authenticated', account });
  expect([...storage.items.values()]).toEqual([token]);
  expect(dataOf(await client.myTwoFactor())).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
});

test('a login with a second factor is an error with a challenge, keeps nothing, and is finished by a code', async () => {
  const { email, password, secretKey, account } = await enrolled();
  const storage = syncStorage();
  const client = newClient({ storage });
  const error = await challengeOf(client, { email, password });
  expect(error).toEqual({
    ...{ code: 'TWO_FACTOR_REQUIRED', message: 'A two factor authentication code is required.' },
    ...{ challenge: expect.stringMatching(/^[\w-]{43}$/), methods: ['code', 'recovery_code'] },
    ...{ expiresAt: expect.stringMatching(/Z$/), requestId: expect.any(String) },
  });
  expect([client.token, client.session, storage.items.size]).toEqual([null, { status: 'anonymous' }, 0]);
  const { challenge } = error;
  const wrong = await client.completeLogin({ challenge, code: wrongCode(secretKey) });
  expect(errorOf(wrong)).toMatchObject({
    ...{ code: 'BAD_USER_INPUT' },
    fields: { code: ['The provided two factor authentication code was invalid.'] },
  });
  const { token } = dataOf(await client.completeLogin({ challenge, code: codeAt(secretKey) }));
  expect(client.token).toBe(token);
  expect(client.session).toEqual({ status: 'authenticated', account });
});

test('a login may bring its code or recovery code, and a wrong one gets a challenge', async () => {
  const { email, password, secretKey, recoveryCodes } = await enrolled();
  const client = newClient();
  const wrong = await client.login({ email, password, code: wrongCode(secretKey) });
  expect(errorOf(wrong)).toMatchObject({
    ...{ code: 'TWO_FACTOR_REQUIRED', challenge: expect.any(String) },
    message: 'The provided two factor authentication code was invalid.',
  });
  dataOf(await client.login({ email, password, code: codeAt(secretKey) }));
  dataOf(await client.login({ email, password, recoveryCode: recoveryCodes[0] ?? null }));
});

test('a step-up keeps the new token, and a reviewer who lacks one is not logged out', async () => {
  const { client, account, password, secretKey, token: former } = await enrolled();
  const { token } = dataOf(await client.stepUp({ password, code: codeAt(secretKey) }));
  expect([client.token, token === former]).toEqual([token, false]);
  expect(client.session).toEqual({ status: 'authenticated', account });
  const reviewer = newClient();
  const { account: other, token: kept } = dataOf(await reviewer.registerPatient(aPatient()));
  await app.database.accounts.updateOne({ _id: other.id }, { $set: { role: 'reviewer' } });
  dataOf(await reviewer.me());
  expect(reviewer.token).toBe(kept);
});

test('an answer that comes after a logout changes nothing', async () => {
  const { client, password, secretKey } = await enrolled();
  const steppingUp = client.stepUp({ password, code: codeAt(secretKey) });
  await pause(1);
  client.token = null;
  await steppingUp;
  expect([client.token, client.session]).toEqual([null, { status: 'anonymous' }]);
});

test('sensitive acts ask for a code, and the other acts pass on what they get', async () => {
  const { client, password, secretKey, recoveryCodes } = await enrolled();
  const newPassword = freshPassword();
  const change = { currentPassword: password, newPassword };
  expect(errorOf(await client.password.change(change))).toMatchObject({
    fields: { code: ['A two factor authentication code is required.'] },
  });
  dataOf(await client.password.change({ ...change, code: codeAt(secretKey) }));
  const [recoveryCode = null, next = null] = recoveryCodes;
  const renewed = dataOf(await client.renewRecoveryCodes({ password: newPassword, recoveryCode }));
  expect(renewed.recoveryCodes).toHaveLength(10);
  expect(errorOf(await client.disableTwoFactor({ password: newPassword, recoveryCode: next })).code).toBe(
    'FORBIDDEN',
  );
});

test('a policy is an error with a challenge that sets a second factor up, and then the client has a session', async () => {
  const patient = aPatient();
  const { email, password } = patient;
  dataOf(await newClient().registerPatient(patient));
  testClock.move(GRACE_MILLIS);
  const client = newClient();
  const { code, challenge } = await challengeOf(client, { email, password });
  expect([code, client.token]).toEqual(['TWO_FACTOR_SETUP_REQUIRED', null]);
  expect(errorOf(await client.requestEmailVerification({ challenge })).code).toBe('NOT_FOUND');
  const { secretKey } = dataOf(await client.enableTwoFactor({ password, challenge }));
  const { token } = dataOf(await client.confirmTwoFactor({ code: codeAt(secretKey), challenge }));
  expect([client.token, client.session.status]).toEqual([token, 'loading']);
  expect(await client.refresh()).toMatchObject({ status: 'authenticated', account: { email } });
});
