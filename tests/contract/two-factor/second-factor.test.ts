import { DeleteMyAccountDocument } from '../../../packages/client/src/generated/graphql.ts';
import { eventually } from '../../support/eventually.ts';
import { execute } from '../../support/graphql-api.ts';
import { freshPassword } from '../../support/people.ts';
import { auditEvents, deleteAccount, exportData } from '../../support/privacy.ts';
import {
  type Act,
  anEnrolledPerson,
  aStoredOwner,
  aStoredPerson,
  byGraphql,
  byRest,
  codeAt,
  done,
  enrol,
  nextCode,
  TEXTS,
  TWO_FACTOR,
  throughEach,
  wrongCode,
} from '../../support/second-factor.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(TWO_FACTOR);
const off = useTestApp();

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:\d{3})?Z$/;
const onCode = (text: string) => ({ message: text, errors: { code: [text] } });
const onRecoveryCode = { message: TEXTS.wrongRecovery, errors: { recoveryCode: [TEXTS.wrongRecovery] } };
type Owner = Awaited<ReturnType<typeof aStoredOwner>>;
const factorsOf = ({ id }: Pick<Owner, 'id'>) =>
  app.database.db.collection('factors').find({ accountId: id }).toArray();

throughEach((performAt) => {
  const act = (...words: Parameters<ReturnType<typeof performAt>>) => performAt(app.url)(...words);
  const login = ({ email, password }: Pick<Owner, 'email' | 'password'>, proof: object = {}) =>
    act('login', { email, password, ...proof });

  test('an account without a second factor notices nothing, whatever its login carries', async () => {
    const person = await aStoredPerson(app.database);
    for (const code of ['1', '000000', '', null, 'x'.repeat(10_000)]) {
      expect(done(await login(person, { code, recoveryCode: code }))).toMatchObject({
        token: expect.any(String),
      });
    }
    expect(done(await act('myTwoFactor', {}, person.token))).toEqual({
      ...{ enabled: false, confirmedAt: null, recoveryCodesLeft: 0, required: false },
    });
    expect(done(await act('stepUp', { password: person.password }, person.token))).toMatchObject({
      token: expect.any(String),
    });
  });

  test('an app is begun, confirmed, shown once, and ends every other token', async () => {
    const person = await aStoredPerson(app.database);
    const { token: other } = done<{ token: string }>(await login(person));
    const wrong = await act('enableTwoFactor', { password: 'wrong' }, person.token);
    expect(wrong.errors).toEqual({ password: ['The password is incorrect.'] });
    const begun = done<{ secretKey: string; url: string; svg: string }>(
      await act('enableTwoFactor', { password: person.password }, person.token),
    );
    const { secretKey } = begun;
    expect(secretKey).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(begun.url).searchParams.get('secret')).toBe(secretKey);
    expect(decodeURIComponent(begun.url)).toContain(`otpauth://totp/auth-gateway:${person.email}?`);
    expect(begun.svg).toMatch(/^<svg .*<\/svg>$/s);
    // Nothing is asked for until it is confirmed.
    expect(done(await login(person))).toHaveProperty('token');
    for (const code of ['123', wrongCode(secretKey)]) {
      expect(await act('confirmTwoFactor', { code }, person.token)).toMatchObject(onCode(TEXTS.wrong));
    }
    const code = codeAt(secretKey);
    const confirmed = done<{ recoveryCodes: string[]; token: string }>(
      await act('confirmTwoFactor', { code }, person.token),
    );
    expect(new Set(confirmed.recoveryCodes).size).toBe(10);
    for (const recoveryCode of confirmed.recoveryCodes) {
      expect(recoveryCode).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    }
    for (const ended of [person.token, other]) {
      expect(await accountOf(app.url, ended)).toBeUndefined();
    }
    expect(await accountOf(app.url, confirmed.token)).toMatchObject({ id: person.id });
    const state = done<{ confirmedAt: string }>(await act('myTwoFactor', {}, confirmed.token));
    expect(state).toMatchObject({ enabled: true, recoveryCodesLeft: 10, required: false });
    expect(state.confirmedAt).toMatch(TIME);
    // The code that confirmed it is used.
    expect(await login(person, { code })).toMatchObject(onCode(TEXTS.used));
    expect(await act('confirmTwoFactor', { code }, confirmed.token)).toMatchObject(
      onCode('There is no authenticator app to confirm. Begin again.'),
    );
  });

  test('a right password alone gets a challenge, which a code finishes once', async () => {
    const person = await aStoredOwner(app.database);
    const before = await app.database.accounts.findOne({ _id: person.id });
    const refused = await login(person);
    expect(refused).toMatchObject(onCode(TEXTS.required));
    const { challenge, methods, expiresAt } = refused;
    expect(methods).toEqual(['code', 'recovery_code']);
    expect(challenge).toMatch(/^[\w-]{43}$/);
    expect(expiresAt).toMatch(TIME);
    expect(Date.parse(expiresAt ?? '') - testClock.now()).toBe(600_000);
    // No place and no device became known by it.
    expect(await app.database.accounts.findOne({ _id: person.id })).toEqual(before);
    const missing = await act('completeLogin', { challenge });
    expect(missing).toMatchObject(onCode(TEXTS.required));
    const code = codeAt(person.secretKey);
    const finished = done<{ token: string }>(await act('completeLogin', { challenge, code }));
    expect(await accountOf(app.url, finished.token)).toMatchObject({ id: person.id });
    for (const used of [challenge, 'none', '']) {
      const again = await act('completeLogin', { challenge: used, code: codeAt(person.secretKey, 1) });
      expect(Object.keys(again.errors)).toEqual(['challenge']);
    }
    const again = await act('completeLogin', { challenge, code: codeAt(person.secretKey, 1) });
    expect(again).toMatchObject({
      message: TEXTS.challenge,
      errors: { challenge: [TEXTS.challenge] },
    });
  });

  test('a challenge ends after ten minutes, with the password, and with the account', async () => {
    const ends: ((person: Owner) => Promise<unknown>)[] = [
      async () => testClock.move(600_000),
      async ({ password, secretKey, token }) => {
        const fields = { currentPassword: password, newPassword: freshPassword(), code: codeAt(secretKey) };
        done(await act('changePassword', fields, token));
        nextCode();
      },
      ({ id }) => app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } }),
      async ({ password, secretKey, token }) => {
        await enrol(app.url, { password, token }, { code: codeAt(secretKey) });
      },
    ];
    for (const end of ends) {
      const person = await aStoredOwner(app.database);
      const { challenge } = await login(person);
      await end(person);
      const code = codeAt(person.secretKey);
      const refused = await act('completeLogin', { challenge, code });
      // A disabled account is refused like a wrong password by the login, and by the challenge like any that is no more.
      expect(refused.errors).toEqual({ challenge: [TEXTS.challenge] });
    }
  });

  test('five codes can be tried for a challenge', async () => {
    const person = await aStoredOwner(app.database);
    const { challenge } = await login(person);
    for (let time = 0; time < 5; time += 1) {
      const wrong = await act('completeLogin', { challenge, code: wrongCode(person.secretKey) });
      expect(wrong).toMatchObject(onCode(TEXTS.wrong));
    }
    const sixth = await act('completeLogin', { challenge, code: codeAt(person.secretKey) });
    expect(sixth).toMatchObject({ message: TEXTS.challenge });
  });

  test('a login with a code or a recovery code needs no challenge, and each works once', async () => {
    const person = await aStoredOwner(app.database);
    const code = codeAt(person.secretKey);
    const spelled = ` ${code.slice(0, 3)}\u00a0${code.slice(3)} `;
    done(await login(person, { code: spelled }));
    expect(await login(person, { code })).toMatchObject(onCode(TEXTS.used));
    // Nor is an earlier one right any more.
    expect(await login(person, { code: codeAt(person.secretKey, -1) })).toMatchObject(onCode(TEXTS.used));
    const [recoveryCode = ''] = person.recoveryCodes;
    const alike = recoveryCode.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    done(await login(person, { recoveryCode: alike }));
    expect(await login(person, { recoveryCode })).toMatchObject(onRecoveryCode);
    expect(done(await act('myTwoFactor', {}, person.token))).toMatchObject({ recoveryCodesLeft: 9 });
    const wrongPassword = await login({ ...person, password: 'wrong' }, { code: codeAt(person.secretKey) });
    expect(wrongPassword.challenge).toBeUndefined();
  });

  test('a code is right in its step and in one step before and after', async () => {
    const { secretKey, ...person } = await aStoredOwner(app.database);
    nextCode();
    for (const offset of [-3, -2, 2, 3]) {
      expect(await login(person, { code: codeAt(secretKey, offset) })).toMatchObject(onCode(TEXTS.wrong));
    }
    for (const offset of [-1, 0, 1]) {
      done(await login(person, { code: codeAt(secretKey, offset) }));
    }
  });

  test('every sensitive act of an enrolled account asks for a code beside the password', async () => {
    const person = await aStoredOwner(app.database);
    const { password, secretKey, token } = person;
    const acts = [
      ['enableTwoFactor', { password }],
      ['stepUp', { password }],
      ['renewRecoveryCodes', { password }],
      ['disableTwoFactor', { password }],
      ['changePassword', { currentPassword: password, newPassword: freshPassword() }],
    ] as const;
    for (const [name, fields] of acts) {
      expect(await act(name, fields, token)).toMatchObject({ ok: false, ...onCode(TEXTS.required) });
      const wrong = await act(name, { ...fields, code: wrongCode(secretKey) }, token);
      expect(wrong).toMatchObject({ ok: false, ...onCode(TEXTS.wrong), challenge: undefined });
      const recovery = await act(name, { ...fields, recoveryCode: 'none' }, token);
      expect(recovery).toMatchObject({ ok: false, ...onRecoveryCode });
    }
    expect(done(await act('myTwoFactor', {}, token))).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
  });

  test('a step-up ends the presented token, and the new one says how its owner was proven', async () => {
    const person = await aStoredOwner(app.database);
    const { password, secretKey, token } = person;
    testClock.move(60_000);
    const steppedUp = done<{ token: string }>(
      await act('stepUp', { password, code: codeAt(secretKey) }, token),
    );
    expect(await accountOf(app.url, token)).toBeUndefined();
    const tokens = app.database.tokens;
    const [stored] = await tokens.find({ accountId: person.id }).toArray();
    expect(stored).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], authTime: new Date(testClock.now()) });
    expect(await accountOf(app.url, steppedUp.token)).toMatchObject({ id: person.id });
  });

  test('new recovery codes end the former ones, and a removal ends all', async () => {
    const person = await aStoredOwner(app.database);
    const { password, secretKey, token } = person;
    const { recoveryCodes } = done<{ recoveryCodes: string[] }>(
      await act('renewRecoveryCodes', { password, code: codeAt(secretKey) }, token),
    );
    const [former] = person.recoveryCodes;
    expect(await login(person, { recoveryCode: former })).toMatchObject(onRecoveryCode);
    expect(await factorsOf(person)).toHaveLength(2);
    const [recoveryCode] = recoveryCodes;
    done(await act('disableTwoFactor', { password, recoveryCode }, token));
    expect(await factorsOf(person)).toEqual([]);
    expect(await app.database.accounts.findOne({ _id: person.id })).not.toHaveProperty('factors');
    // Sessions stay.
    expect(await accountOf(app.url, token)).toMatchObject({ id: person.id });
    done(await login(person));
    const notEnrolled = { code: ['Two factor authentication is not enabled.'] };
    for (const name of ['disableTwoFactor', 'renewRecoveryCodes'] as const) {
      expect((await act(name, { password }, token)).errors).toEqual(notEnrolled);
    }
  });

  test('the former app works until the new one is confirmed', async () => {
    const person = await aStoredOwner(app.database);
    const { password, secretKey, token } = person;
    const begun = done<{ secretKey: string }>(
      await act('enableTwoFactor', { password, code: codeAt(secretKey) }, token),
    );
    nextCode();
    done(await login(person, { code: codeAt(secretKey) }));
    expect(await login(person, { code: codeAt(begun.secretKey) })).toMatchObject(onCode(TEXTS.wrong));
    const confirmed = done<{ token: string }>(
      await act('confirmTwoFactor', { code: codeAt(begun.secretKey) }, token),
    );
    nextCode();
    expect(await login(person, { code: codeAt(secretKey) })).toMatchObject(onCode(TEXTS.wrong));
    const [former] = person.recoveryCodes;
    expect(await login(person, { recoveryCode: former })).toMatchObject(onRecoveryCode);
    done(await login(person, { code: codeAt(begun.secretKey) }));
    expect(await factorsOf(person)).toHaveLength(2);
    expect(await accountOf(app.url, confirmed.token)).toMatchObject({ id: person.id });
  });

  test('an app that was not confirmed within half an hour has to be begun again', async () => {
    const person = await aStoredPerson(app.database);
    const { password, token } = person;
    const begin = async () =>
      done<{ secretKey: string }>(await act('enableTwoFactor', { password }, token)).secretKey;
    const first = await begin();
    testClock.move(1);
    const second = await begin();
    expect(await factorsOf(person)).toHaveLength(1);
    const code = codeAt(first);
    expect(await act('confirmTwoFactor', { code }, token)).toMatchObject(onCode(TEXTS.wrong));
    testClock.move(1_800_000);
    expect(await act('confirmTwoFactor', { code: codeAt(second) }, token)).toMatchObject(
      onCode('There is no authenticator app to confirm. Begin again.'),
    );
  });
});

test('every login whose password was right has an event of its own, and the acts have theirs', async () => {
  const person = await anEnrolledPerson(app.url);
  const { id, email, password, secretKey, recoveryCodes, token } = person;
  const act = byRest(app.url);
  const { challenge } = await act('login', { email, password });
  await act('login', { email, password });
  await act('login', { email, password, code: wrongCode(secretKey) });
  await act('completeLogin', { challenge, code: wrongCode(secretKey) });
  done(await act('completeLogin', { challenge, code: codeAt(secretKey) }));
  done(await act('stepUp', { password, recoveryCode: recoveryCodes[0] }, token));
  const eventsOf = () => auditEvents(app).find({ accountId: id }).sort({ at: 1, _id: 1 }).toArray();
  await eventually(async () => expect((await eventsOf()).length).toBeGreaterThanOrEqual(8));
  const seen = (await eventsOf()).map(({ act: name, outcome, reason, count }) => [
    name,
    outcome,
    reason,
    count,
  ]);
  const login = seen.filter(([name]) => name === 'login');
  expect(login).toEqual([
    ['login', 'failure', expect.stringMatching(/two factor|second factor/i), null],
    ['login', 'failure', expect.stringMatching(/two factor|second factor/i), null],
    ['login', 'failure', expect.any(String), null],
    ['login', 'failure', expect.any(String), null],
    ['login', 'success', null, null],
  ]);
  expect(seen.filter(([name]) => name !== 'login').map(([name, outcome]) => [name, outcome])).toEqual([
    ['registration', 'success'],
    ['second factor setup', 'success'],
    ['second factor confirmation', 'success'],
    ['step-up', 'success'],
  ]);
  const stored = JSON.stringify(await eventsOf());
  for (const secret of [secretKey, challenge ?? '', ...recoveryCodes]) {
    expect(stored).not.toContain(secret);
  }
});

test('the export says since when there is a second factor, and has no secret', async () => {
  const person = await aStoredOwner(app.database);
  const { confirmedAt } = done<{ confirmedAt: string }>(
    await byGraphql(app.url)('myTwoFactor', {}, person.token),
  );
  const { data, text } = await exportData(app.url, person.token);
  expect(data.secondFactor).toEqual({ confirmedAt, recoveryCodesLeft: 10 });
  const [stored] = await factorsOf(person);
  for (const secret of [person.secretKey, ...person.recoveryCodes, String(stored?._id)]) {
    expect(text).not.toContain(secret);
  }
  const without = await aStoredPerson(app.database);
  expect((await exportData(app.url, without.token)).data.secondFactor).toBeNull();
});

test('closing an account asks for a code, and ends its challenges', async () => {
  const person = await aStoredOwner(app.database);
  const { email, password, secretKey, token } = person;
  const { challenge } = await byRest(app.url)('login', { email, password });
  const { error } = await deleteAccount(app.url, token, password);
  expect(error?.extensions?.errors).toEqual({ code: [TEXTS.required] });
  const input = { password, code: codeAt(secretKey) };
  const { body } = await execute(app.url, DeleteMyAccountDocument, { input }, bearer(token));
  expect(body.data?.deleteMyAccount).toBeDefined();
  expect(await app.database.db.collection('challenges').countDocuments({ accountId: person.id })).toBe(0);
  const refused = await byRest(app.url)('completeLogin', { challenge, code: codeAt(secretKey, 1) });
  expect(refused.errors).toEqual({ challenge: [TEXTS.challenge] });
});

test.each([
  ['five digits', '12345'],
  ['full-width digits', '１２３４５６'],
  ['an array', ['123456']],
  ['a number', 123456],
  ['an object', { $gt: '' }],
  ['a long text', '1'.repeat(50_000)],
])(
  '%s are no code and no recovery code, and an account without a second factor notices nothing',
  async (_, sent) => {
    const act = byRest(app.url);
    const { email, password } = await aStoredOwner(app.database);
    expect(await act('login', { email, password, code: sent })).toMatchObject(onCode(TEXTS.wrong));
    expect(await act('login', { email, password, recoveryCode: sent })).toMatchObject(onRecoveryCode);
    const { challenge } = await act('login', { email, password });
    expect(await act('completeLogin', { challenge, code: sent })).toMatchObject(onCode(TEXTS.wrong));
    const { token, ...person } = await aStoredPerson(app.database);
    done(await act('login', { ...person, code: sent, recoveryCode: sent }));
    await act('enableTwoFactor', { password: person.password }, token);
    expect(await act('confirmTwoFactor', { code: sent }, token)).toMatchObject(onCode(TEXTS.wrong));
  },
);

test('without TWO_FACTOR_SECRET there is no second factor, whoever asks and whatever they send', async () => {
  const acts = {
    ...{
      completeLogin: { challenge: 'x' },
      enableTwoFactor: { password: 'x' },
      confirmTwoFactor: { code: 'x' },
    },
    ...{
      disableTwoFactor: { password: 'x' },
      renewRecoveryCodes: { password: 'x' },
      stepUp: { password: 'x' },
    },
    myTwoFactor: {},
  };
  for (const [name, fields] of Object.entries(acts) as [Act, object][]) {
    for (const sent of [fields, {}]) {
      expect((await byRest(off.url)(name, { ...sent })).http.status).toBe(404);
    }
    expect((await byGraphql(off.url)(name, { ...fields })).http.text).toContain('"code":"NOT_FOUND"');
  }
});
