import {
  accepted,
  addPasskey,
  anAuthenticator,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import {
  aPerson,
  byRest,
  codeAt,
  done,
  enrol,
  nextCode,
  TEXTS,
  TWO_FACTOR,
  throughEach,
} from '../../support/second-factor.ts';
import { accountOf } from '../../support/session.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const SIGN_IN = 'Sign in with your passkey.';
const GRACE_MILLIS = 604_800_000;

/** With apps and passkeys, a policy for patients, and time to set one up. */
const app = useTestApp({ ...PASSKEYS, ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'patient' });
/** With passkeys alone. */
const withoutApps = useTestApp({ ...PASSKEYS, TWO_FACTOR_REQUIRED: 'patient', TWO_FACTOR_GRACE_DAYS: '0' });
/** Without a policy. */
const free = useTestApp({ ...PASSKEYS, ...TWO_FACTOR });

type Person = Pick<Awaited<ReturnType<typeof aPerson>>, 'email' | 'password'>;
const loginWith = async (url: string, authenticator: ReturnType<typeof anAuthenticator>) => {
  const credential = await loginCredential(url, authenticator);
  return accepted<{ token: string }>(await passkeysByRest(url)('loginWithPasskey', { credential })).token;
};

type Login = [person: Person, proof?: object, url?: string];
const loginThrough = (performAt: typeof byRest, ...[person, proof = {}, url = app.url]: Login) =>
  performAt(url)('login', { email: person.email, password: person.password, ...proof });

throughEach((performAt) => {
  const login = (...words: Login) => loginThrough(performAt, ...words);

  test('a policy that is due: a setup challenge adds a passkey and ends, and the passkey logs in', async () => {
    const url = withoutApps.url;
    const person = await aPerson(url);
    const { challenge = '', isSetUp } = await login(person, {}, url);
    expect(isSetUp).toBe(true);
    const { authenticator } = await addPasskey(url, { password: person.password }, undefined, { challenge });
    const used = await passkeysByRest(url)('passkeyAddOptions', { password: person.password, challenge });
    expect(used.errors).toEqual({ challenge: [TEXTS.challenge] });
    const token = await loginWith(url, authenticator);
    expect(await accountOf(url, token)).toMatchObject({ id: person.id });
    // The password asks for it.
    const refused = await login(person, {}, url);
    expect(refused).toMatchObject({ ok: false, isSetUp: false, message: SIGN_IN, methods: ['passkey'] });
    expect(refused.errors).toEqual({ credential: [SIGN_IN] });
    for (const proof of [{ code: '123456' }, { recoveryCode: '0000' }]) {
      expect(await login(person, proof, url)).toMatchObject({ ok: false, message: SIGN_IN });
    }
    // So do the acts that take a password.
    const byPassword = await performAt(url)('renewRecoveryCodes', { password: person.password }, token);
    expect(byPassword.errors).toEqual({ credential: [SIGN_IN] });
    const credential = await confirmCredential(url, authenticator, token);
    const { recoveryCodes } = done<{ recoveryCodes: string[] }>(
      await performAt(url)('renewRecoveryCodes', { credential }, token),
    );
    const waiting = await login(person, {}, url);
    expect(waiting.methods).toEqual(['passkey', 'recovery_code']);
    const [first, second] = recoveryCodes;
    const wrong = await login(person, { recoveryCode: '0'.repeat(24) }, url);
    expect(wrong.errors).toEqual({ recoveryCode: [TEXTS.wrongRecovery] });
    const byCode = done<{ token: string }>(await login(person, { recoveryCode: first }, url));
    expect(await accountOf(url, byCode.token)).toMatchObject({ id: person.id });
    done(await performAt(url)('completeLogin', { challenge: waiting.challenge, recoveryCode: second }));
    expect(done(await performAt(url)('myTwoFactor', {}, token))).toMatchObject({
      ...{ enabled: false, recoveryCodesLeft: 8, required: true },
    });
  });

  test.each([
    ['enableTwoFactor', { password: 'x' }],
    ['confirmTwoFactor', { code: '123456' }],
  ] as const)('without apps, %s says so to everybody, and counts nothing', async (name, fields) => {
    const counted = () => withoutApps.database.db.collection('attempt_counts').countDocuments();
    const before = await counted();
    for (const challenge of [undefined, 'a'.repeat(43)]) {
      const refused = await performAt(withoutApps.url)(name, { ...fields, challenge });
      expect(refused.message).toBe('Two factor authentication is not set up here.');
    }
    expect(await counted()).toBe(before);
  });
});

test('the last factor stays where the policy names the role', async () => {
  const url = withoutApps.url;
  const person = await aPerson(url);
  const { challenge = '' } = await loginThrough(byRest, person, {}, url);
  const { authenticator, passkey } = await addPasskey(url, { password: person.password }, undefined, {
    challenge,
  });
  const token = await loginWith(url, authenticator);
  const remove = async (id: string) =>
    passkeysByRest(url)(
      'removePasskey',
      { id, credential: await confirmCredential(url, authenticator, token) },
      token,
    );
  expect((await remove(passkey.id)).http.status).toBe(403);
  const proof = { credential: await confirmCredential(url, authenticator, token) };
  const second = await addPasskey(url, { token }, undefined, proof);
  accepted(await remove(second.passkey.id));
  expect((await remove(passkey.id)).http.status).toBe(403);
});

test('an app that is on asks for its code, or for the passkey', async () => {
  const owner = await aPasskeyOwner(app.url);
  const { secretKey, token } = await enrol(app.url, owner);
  expect(await loginThrough(byRest, owner)).toMatchObject({
    message: TEXTS.required,
    methods: ['code', 'recovery_code', 'passkey'],
  });
  const byPasskey = await loginWith(app.url, owner.authenticator);
  // The policy of the app is met by the passkey, so the app may go.
  done(
    await byRest(app.url)('disableTwoFactor', { password: owner.password, code: codeAt(secretKey) }, token),
  );
  nextCode();
  testClock.move(GRACE_MILLIS);
  expect(await accountOf(app.url, byPasskey)).toMatchObject({ id: owner.id });
  expect(await loginThrough(byRest, owner)).toMatchObject({ message: SIGN_IN, methods: ['passkey'] });
});

test('without a policy the password is enough beside a passkey, and codes go with the last one', async () => {
  const owner = await aPasskeyOwner(free.url);
  const { token, password, passkey } = owner;
  const { recoveryCodes } = done<{ recoveryCodes: string[] }>(
    await byRest(free.url)('renewRecoveryCodes', { password }, token),
  );
  expect(recoveryCodes).toHaveLength(10);
  expect(done(await loginThrough(byRest, owner, {}, free.url))).toHaveProperty('token');
  accepted(await passkeysByRest(free.url)('removePasskey', { id: passkey.id, password }, token));
  expect(await free.database.accounts.findOne({ _id: owner.id })).not.toHaveProperty('factors');
  expect(await free.database.db.collection('factors').countDocuments({ accountId: owner.id })).toBe(0);
  const none = await byRest(free.url)('renewRecoveryCodes', { password }, token);
  expect(none.errors).toEqual({ code: ['Two factor authentication is not enabled.'] });
});

test('an app beside passkeys takes the place of their recovery codes', async () => {
  const owner = await aPasskeyOwner(free.url);
  const { token, password } = owner;
  const before = done<{ recoveryCodes: string[] }>(
    await byRest(free.url)('renewRecoveryCodes', { password }, token),
  );
  const { recoveryCodes } = await enrol(free.url, owner);
  const former = await loginThrough(byRest, owner, { recoveryCode: before.recoveryCodes[0] }, free.url);
  expect(former.errors).toEqual({ recoveryCode: [TEXTS.wrongRecovery] });
  expect(
    done(await loginThrough(byRest, owner, { recoveryCode: recoveryCodes[0] }, free.url)),
  ).toHaveProperty('token');
  expect(await free.database.db.collection('factors').countDocuments({ accountId: owner.id })).toBe(2);
});

test('wrong recovery codes of an account without an app are counted', async () => {
  const url = withoutApps.url;
  const person = await aPerson(url);
  const { challenge = '' } = await byRest(url)('login', person);
  const { authenticator } = await addPasskey(url, { password: person.password }, anAuthenticator(), {
    challenge,
  });
  const token = await loginWith(url, authenticator);
  const credential = await confirmCredential(url, authenticator, token);
  done(await byRest(url)('renewRecoveryCodes', { credential }, token));
  const { email, password } = person;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await byRest(url)('login', { email, password, recoveryCode: '0'.repeat(24) });
  }
  const stored = await withoutApps.database.db.collection('factors').findOne({ accountId: person.id });
  expect(stored).toMatchObject({ kind: 'recovery codes', wrong: 3 });
});

test('without PASSKEY_RP_ID a policy never falls back to the password, and no gateway starts', async () => {
  const settings = { ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'patient', TWO_FACTOR_GRACE_DAYS: '0' };
  const former = await createTestApp({ ...settings, ...PASSKEYS });
  const startAgain = (changes = {}) => createTestApp({ ...settings, ...changes }, () => former.database.uri);
  const without = await startAgain();
  try {
    const person = await aPerson(former.url);
    const { challenge = '' } = await byRest(former.url)('login', person);
    const added = await addPasskey(former.url, { password: person.password }, undefined, { challenge });
    const token = await loginWith(former.url, added.authenticator);
    const proof = { credential: await confirmCredential(former.url, added.authenticator, token) };
    const { recoveryCodes } = done<{ recoveryCodes: string[] }>(
      await byRest(former.url)('renewRecoveryCodes', proof, token),
    );
    const { email, password } = person;
    const refused = await byRest(without.url)('login', { email, password });
    expect(refused).toMatchObject({ isSetUp: false, methods: ['passkey', 'recovery_code'] });
    const setUp = await byRest(without.url)('enableTwoFactor', { password }, token);
    expect(setUp.errors).toEqual({ credential: [SIGN_IN] });
    done(await byRest(without.url)('login', { email, password, recoveryCode: recoveryCodes[0] }));
    const lockedOut = /PASSKEY_RP_ID is not set, .* could not log in: 1\./;
    await expect(startAgain()).rejects.toThrow(lockedOut);
    await expect(startAgain({ TWO_FACTOR_REQUIRED: 'patient:2099-01-01' })).rejects.toThrow(lockedOut);
    await (await startAgain({ TWO_FACTOR_REQUIRED: 'doctor' })).stop();
  } finally {
    await without.stop();
    await former.stop();
  }
});
