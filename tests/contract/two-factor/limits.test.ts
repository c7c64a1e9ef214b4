import {
  aStoredOwner,
  aStoredPerson,
  byRest,
  codeAt,
  done,
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
function elsewhere(): Record<string, string> {
  senders += 1;
  return { 'X-Forwarded-For': `203.0.${senders}.7` };
}

type Owner = Awaited<ReturnType<typeof aStoredOwner>>;
const storedApp = async ({ id }: Owner) =>
  (await app.database.db.collection('factors').findOne({ accountId: id, kind: 'app' })) ?? {};

/** Logs in with a proof of the second factor, by one of the APIs. */
const loginThrough =
  (performAt: typeof byRest) =>
  ({ email, password }: Owner, proof: object, sent: Record<string, string> = {}) =>
    performAt(app.url, sent)('login', { email, password, ...proof });

const login = loginThrough(byRest);
/** Sends wrong codes, each from the place that is given. @returns how many were compared */
async function guess(person: Owner, times: number, placeOf = elsewhere): Promise<number> {
  let compared = 0;
  for (let count = 0; count < times; count += 1) {
    const { message } = await login(person, { code: wrongCode(person.secretKey) }, placeOf());
    compared += message === TEXTS.wrong ? 1 : 0;
  }
  return compared;
}
/** The place of the owners. */
const home = (): Record<string, string> => ({});

throughEach((performAt) => {
  test('a challenge, a sensitive act and a first code count with the logins', async () => {
    const person = await aStoredOwner(app.database);
    const sent = elsewhere();
    const act = performAt(app.url, sent);
    const code = wrongCode(person.secretKey);
    const { challenge } = await loginThrough(performAt)(person, {}, sent);
    const begun = { password: person.password, code: codeAt(person.secretKey) };
    done(await act('enableTwoFactor', begun, person.token));
    const guesses = [
      () => act('completeLogin', { challenge, code }),
      () => act('stepUp', { password: person.password, code }, person.token),
      () => act('confirmTwoFactor', { code: '000000' }, person.token),
      () => act('disableTwoFactor', { password: person.password, recoveryCode: 'none' }, person.token),
      () => loginThrough(performAt)(person, { code }, sent),
    ];
    for (let count = 0; count < PER_HOUR; count += 1) {
      const answer = await guesses[count % guesses.length]?.();
      expect(answer?.http.text).toContain(' was invalid.');
    }
    for (const guess of guesses.slice(1)) {
      expect((await guess()).http.text).toMatch(/Too many/i);
    }
  });
});

// The rest by REST, because both APIs share the counts.

test('ten wrong codes an hour and twenty a day are checked from unknown places, and the owner is not locked out', async () => {
  const person = await aStoredOwner(app.database);
  done(await login(person, { code: codeAt(person.secretKey) }));
  nextCode();
  expect(await guess(person, PER_HOUR)).toBe(PER_HOUR);
  // No other guess is checked, not even a right one or a recovery code.
  for (const proof of [{ code: codeAt(person.secretKey) }, { recoveryCode: person.recoveryCodes[0] }]) {
    const refused = await login(person, proof, elsewhere());
    expect(refused.http.text).toMatch(/Too many/i);
    expect(refused.challenge).toBeUndefined();
  }
  // Where the owner has logged in before, the guesses of others do not count.
  done(await login(person, { code: codeAt(person.secretKey) }));
  testClock.move(HOUR_MILLIS);
  expect(await guess(person, PER_DAY - PER_HOUR)).toBe(PER_DAY - PER_HOUR);
  testClock.move(HOUR_MILLIS);
  expect(await guess(person, 1)).toBe(0);
});

test('a known place has a limit of its own', async () => {
  const person = await aStoredOwner(app.database);
  done(await login(person, { code: codeAt(person.secretKey) }));
  expect(await guess(person, PER_HOUR, home)).toBe(PER_HOUR);
  nextCode();
  expect((await login(person, { code: codeAt(person.secretKey) })).http.text).toMatch(/Too many/i);
  done(await login(person, { code: codeAt(person.secretKey) }, elsewhere()));
});

test('a right code ends the row of wrong ones', async () => {
  const person = await aStoredOwner(app.database);
  await guess(person, 2);
  expect(await storedApp(person)).toMatchObject({ wrong: 2 });
  done(await login(person, { code: codeAt(person.secretKey) }, elsewhere()));
  expect(await storedApp(person)).toMatchObject({ wrong: 0 });
});

test('with RATE_LIMIT=off only the five tries of a challenge are left', async () => {
  const { id, email, password, secretKey } = await aStoredOwner(off.database);
  const act = byRest(off.url);
  const wrong = { wrong: 2 * BEFORE_BLOCK };
  await off.database.db.collection('factors').updateOne({ accountId: id, kind: 'app' }, { $set: wrong });
  for (let count = 0; count < PER_DAY + 1; count += 1) {
    const refused = await act('login', { email, password, code: wrongCode(secretKey) });
    expect(refused).toMatchObject({ message: TEXTS.wrong });
  }
  done(await act('login', { email, password, code: codeAt(secretKey) }));
  const { challenge } = await act('login', { email, password });
  for (let count = 0; count < 5; count += 1) {
    await act('completeLogin', { challenge, code: wrongCode(secretKey) });
  }
  const sixth = await act('completeLogin', { challenge, code: codeAt(secretKey, 1) });
  expect(sixth).toMatchObject({ message: TEXTS.challenge });
});

test('right codes are not counted', async () => {
  const person = await aStoredOwner(app.database);
  for (let count = 0; count < PER_DAY + 1; count += 1) {
    done(await login(person, { code: codeAt(person.secretKey) }, elsewhere()));
    nextCode();
  }
});

test('simultaneous guesses do not exceed the limit together', async () => {
  const person = await aStoredOwner(app.database);
  const guesses = await Promise.all(Array.from({ length: 2 * PER_HOUR }, () => guess(person, 1)));
  expect(guesses.filter((compared) => compared === 1)).toHaveLength(PER_HOUR);
});

// attackers.test.ts has the sixty guesses of unknown places.
test('a new password starts anew, but a place where a second factor was proven has sixty guesses a day', async () => {
  const person = await aStoredOwner(app.database);
  done(await login(person, { code: codeAt(person.secretKey) }));
  nextCode();
  let compared = 0;
  for (let change = 0; change < 7; change += 1) {
    // As a reset by a mailed link does.
    const passwordChange = { id: `change ${change}` };
    await app.database.accounts.updateOne({ _id: person.id }, { $set: { passwordChange } });
    compared += await guess(person, PER_HOUR, home);
  }
  expect(compared).toBe(60);
});

test('who has a token, but not the password, cannot guess the code of an app that its owner is adding', async () => {
  const { token, password } = await aStoredPerson(app.database);
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
