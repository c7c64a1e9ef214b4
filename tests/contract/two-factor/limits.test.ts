import {
  anEnrolledPerson,
  aPerson,
  byRest,
  codeAt,
  done,
  type EnrolledPerson,
  nextCode,
  TEXTS,
  TWO_FACTOR,
  throughEach,
  wrongCode,
} from '../../support/second-factor.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const HOUR_MILLIS = 3_600_000;
const [PER_HOUR, PER_DAY, BEFORE_BLOCK] = [10, 20, 100];

// Only the codes are limited here, beside what has no setting.
const LIMITS = {
  ...{ RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: 'off', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off' },
  ...{ RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: 'off', RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: 'off' },
};
const app = useTestApp({ ...TWO_FACTOR, ...LIMITS, TRUST_PROXY: '1' });
const off = useTestApp(TWO_FACTOR);

let senders = 0;
/** Headers of an address from which nobody has logged in. */
function elsewhere() {
  senders += 1;
  return { 'X-Forwarded-For': `203.0.${senders}.7` };
}

const storedApp = async ({ id }: Pick<EnrolledPerson, 'id'>) => {
  const found = await app.database.db.collection('factors').findOne({ accountId: id, kind: 'app' });
  return found ?? {};
};

/** Logs in with a proof of the second factor, by one of the APIs. */
const loginThrough =
  (performAt: typeof byRest) =>
  (
    { email, password }: Pick<EnrolledPerson, 'email' | 'password'>,
    proof: object,
    sent: Record<string, string> = {},
  ) =>
    performAt(app.url, sent)('login', { email, password, ...proof });

throughEach((performAt) => {
  const login = loginThrough(performAt);

  test('ten wrong codes an hour and twenty a day are checked from unknown places, and the owner is not locked out', async () => {
    const person = await anEnrolledPerson(app.url);
    const wrong = () => login(person, { code: wrongCode(person.secretKey) }, elsewhere());
    for (let count = 0; count < PER_HOUR; count += 1) {
      expect(await wrong()).toMatchObject({ message: TEXTS.wrong });
    }
    // No other guess is checked, not even a right one or a recovery code.
    for (const proof of [{ code: codeAt(person.secretKey) }, { recoveryCode: person.recoveryCodes[0] }]) {
      const refused = await login(person, proof, elsewhere());
      expect(refused.http.text).toMatch(/Too many/i);
      expect(refused.challenge).toBeUndefined();
    }
    // Where the owner has logged in before, the guesses of others do not count.
    done(await login(person, { code: codeAt(person.secretKey) }));
    testClock.move(HOUR_MILLIS);
    for (let count = PER_HOUR; count < PER_DAY; count += 1) {
      expect(await wrong()).toMatchObject({ message: TEXTS.wrong });
    }
    testClock.move(HOUR_MILLIS);
    expect((await wrong()).http.text).toMatch(/Too many/i);
  });

  test('a known place has a limit of its own', async () => {
    const person = await anEnrolledPerson(app.url);
    done(await login(person, { code: codeAt(person.secretKey) }));
    for (let count = 0; count < PER_HOUR; count += 1) {
      expect(await login(person, { code: wrongCode(person.secretKey) })).toMatchObject({
        message: TEXTS.wrong,
      });
    }
    testClock.move(30_000);
    expect((await login(person, { code: codeAt(person.secretKey) })).http.text).toMatch(/Too many/i);
    done(await login(person, { code: codeAt(person.secretKey) }, elsewhere()));
  });

  test('a challenge, a sensitive act and a first code count with the logins', async () => {
    const person = await anEnrolledPerson(app.url);
    const sent = elsewhere();
    const act = performAt(app.url, sent);
    const code = wrongCode(person.secretKey);
    const { challenge } = await login(person, {}, sent);
    const begun = { password: person.password, code: codeAt(person.secretKey) };
    done(await act('enableTwoFactor', begun, person.token));
    const guesses = [
      () => act('completeLogin', { challenge, code }),
      () => act('stepUp', { password: person.password, code }, person.token),
      () => act('confirmTwoFactor', { code: '000000' }, person.token),
      () => act('disableTwoFactor', { password: person.password, recoveryCode: 'none' }, person.token),
      () => login(person, { code }, sent),
    ];
    for (let count = 0; count < PER_HOUR; count += 1) {
      const answer = await guesses[count % guesses.length]?.();
      expect(answer?.http.text).toContain(' was invalid.');
    }
    for (const guess of guesses.slice(1)) {
      expect((await guess()).http.text).toMatch(/Too many/i);
    }
  });

  test('a right code ends the row of wrong ones', async () => {
    const person = await anEnrolledPerson(app.url);
    const sent = elsewhere();
    await login(person, { code: wrongCode(person.secretKey) }, sent);
    await login(person, { code: wrongCode(person.secretKey) }, sent);
    expect(await storedApp(person)).toMatchObject({ wrong: 2 });
    done(await login(person, { code: codeAt(person.secretKey) }, sent));
    expect(await storedApp(person)).toMatchObject({ wrong: 0 });
  });

  test('with RATE_LIMIT=off only the five tries of a challenge are left', async () => {
    const person = await anEnrolledPerson(off.url);
    const { email, password, secretKey } = person;
    const act = performAt(off.url);
    await off.database.db
      .collection('factors')
      .updateOne({ accountId: person.id, kind: 'app' }, { $set: { wrong: 2 * BEFORE_BLOCK } });
    for (let count = 0; count < PER_DAY + 1; count += 1) {
      const wrong = await act('login', { email, password, code: wrongCode(secretKey) });
      expect(wrong).toMatchObject({ message: TEXTS.wrong });
    }
    done(await act('login', { email, password, code: codeAt(secretKey) }));
    const { challenge } = await act('login', { email, password });
    for (let count = 0; count < 5; count += 1) {
      await act('completeLogin', { challenge, code: wrongCode(secretKey) });
    }
    const sixth = await act('completeLogin', { challenge, code: codeAt(secretKey, 1) });
    expect(sixth).toMatchObject({ message: TEXTS.challenge });
  });
});

describe('by REST, because both APIs share the counts', () => {
  const login = loginThrough(byRest);

  test('right codes are not counted', async () => {
    const person = await anEnrolledPerson(app.url);
    for (let count = 0; count < PER_DAY + 1; count += 1) {
      done(await login(person, { code: codeAt(person.secretKey) }, elsewhere()));
      testClock.move(30_000);
    }
  });

  test('simultaneous guesses do not exceed the limit together', async () => {
    const person = await anEnrolledPerson(app.url);
    const sent = elsewhere();
    const guesses = Array.from({ length: 3 * PER_HOUR }, () =>
      login(person, { code: wrongCode(person.secretKey) }, sent),
    );
    const checked = (await Promise.all(guesses)).filter(({ message }) => message === TEXTS.wrong);
    expect(checked).toHaveLength(PER_HOUR);
  });

  test('a new password starts anew, but sixty guesses a day are all that anybody gets', async () => {
    const person = await anEnrolledPerson(app.url);
    const { id, secretKey } = person;
    const wrong = () => login(person, { code: wrongCode(secretKey) }, elsewhere());
    // As a reset by a mailed link does.
    const changePassword = (change: number) =>
      app.database.accounts.updateOne({ _id: id }, { $set: { passwordChange: { id: `change ${change}` } } });
    let checked = 0;
    for (let change = 0; change < 7; change += 1) {
      await changePassword(change);
      for (let count = 0; count < PER_HOUR; count += 1) {
        checked += (await wrong()).message === TEXTS.wrong ? 1 : 0;
      }
    }
    expect(checked).toBe(60);
    // A place where a second factor was proven has as many of its own.
    done(await login(person, { code: codeAt(secretKey) }));
    nextCode();
    checked = 0;
    for (let change = 0; change < 7; change += 1) {
      await changePassword(change + 7);
      for (let count = 0; count < PER_HOUR; count += 1) {
        checked += (await login(person, { code: wrongCode(secretKey) })).message === TEXTS.wrong ? 1 : 0;
      }
    }
    expect(checked).toBe(60);
  });
});

test('who has a token, but not the password, cannot guess the code of an app that its owner is adding', async () => {
  const { token, password } = await aPerson(app.url);
  const act = byRest(app.url, elsewhere());
  const { secretKey } = done<{ secretKey: string }>(await act('enableTwoFactor', { password }, token));
  for (let count = 0; count < PER_HOUR; count += 1) {
    const wrong = await act('confirmTwoFactor', { code: wrongCode(secretKey) }, token);
    expect(wrong).toMatchObject({ message: TEXTS.wrong });
  }
  const refused = await act('confirmTwoFactor', { code: codeAt(secretKey) }, token);
  expect(refused.http.status).toBe(429);
});

test('challenges that are not valid count with the failed logins from there', async () => {
  const limited = await createTestApp({
    ...TWO_FACTOR,
    RATE_LIMIT: 'on',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '3',
  });
  try {
    const act = byRest(limited.url);
    const answers = [];
    for (const name of ['completeLogin', 'enableTwoFactor', 'confirmTwoFactor', 'completeLogin'] as const) {
      const { http } = await act(name, { challenge: 'none', password: 'x', code: '000000' });
      answers.push(http.status);
    }
    expect(answers).toEqual([422, 422, 422, 429]);
  } finally {
    await limited.stop();
  }
});
