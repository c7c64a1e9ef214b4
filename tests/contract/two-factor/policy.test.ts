import { registeredDoctor } from '../../support/expectations.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { listDoctors, newReviewer, sendDecision } from '../../support/reviews.ts';
import {
  aStoredPerson,
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
import { testClock, useTestApp } from '../../support/test-app.ts';

const DAY_MILLIS = 86_400_000;
const GRACE_MILLIS = 7 * DAY_MILLIS;
/** Long after the tests begin, and a whole number of days from now. */
const LATER = new Date(Math.ceil(testClock.now() / DAY_MILLIS) * DAY_MILLIS + 400 * DAY_MILLIS);

const app = useTestApp({ ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'reviewer, patient' });
const dated = useTestApp({
  ...TWO_FACTOR,
  ...{ TWO_FACTOR_REQUIRED: `patient:${LATER.toISOString().slice(0, 10)}`, TWO_FACTOR_GRACE_DAYS: '0' },
});
type Person = Awaited<ReturnType<typeof aStoredPerson>>;

/** Of a role that the policy does not name. It registers first: an upload takes the time of the machine. */
const doctor = aDoctor();
let doctorsToken: string;
beforeAll(async () => {
  doctorsToken = registeredDoctor(await restApi(app.url).registerDoctor(doctor)).token;
});

throughEach((performAt) => {
  const act = (...words: Parameters<ReturnType<typeof performAt>>) => performAt(app.url)(...words);
  const login = ({ email, password }: Pick<Person, 'email' | 'password'>, proof: object = {}) =>
    act('login', { email, password, ...proof });

  test('an account whose time is over gets no token, and its tokens are not valid, until it has a second factor', async () => {
    const person = await aStoredPerson(app.database);
    const { token: second } = done<{ token: string }>(await login(person));
    expect(done(await act('myTwoFactor', {}, second))).toMatchObject({ enabled: false, required: true });
    testClock.move(GRACE_MILLIS - 1);
    expect(await accountOf(app.url, person.token)).toMatchObject({ id: person.id });
    testClock.move(1);
    for (const token of [person.token, second]) {
      expect(await accountOf(app.url, token)).toBeUndefined();
      const { errors } = await act('enableTwoFactor', { password: person.password }, token);
      expect(errors).toEqual({});
    }
    const refused = await login(person);
    expect(refused).toMatchObject({
      ...{ ok: false, isSetUp: true, message: TEXTS.setUp, errors: { code: [TEXTS.setUp] } },
      methods: undefined,
    });
    const { challenge = '' } = refused;
    // It finishes no login, and it is no token.
    const misused = await act('completeLogin', { challenge, code: '000000' });
    expect(misused.errors).toEqual({ challenge: [TEXTS.challenge] });
    expect(await accountOf(app.url, challenge)).toBeUndefined();

    const { password } = person;
    const wrong = await act('enableTwoFactor', { password: 'wrong', challenge });
    expect(wrong.errors).toEqual({ password: ['The password is incorrect.'] });
    const { secretKey } = done<{ secretKey: string }>(await act('enableTwoFactor', { password, challenge }));
    const confirmed = done<{ token: string }>(
      await act('confirmTwoFactor', { code: codeAt(secretKey), challenge }),
    );
    expect(await accountOf(app.url, confirmed.token)).toMatchObject({ id: person.id });
    nextCode();
    const again = await act('enableTwoFactor', { password, challenge, code: codeAt(secretKey) });
    expect(again.errors).toEqual({ challenge: [TEXTS.challenge] });
    expect((await login(person)).message).toBe(TEXTS.required);
    const { token } = done<{ token: string }>(await login(person, { code: codeAt(secretKey) }));
    expect(await accountOf(app.url, token)).toMatchObject({ id: person.id });
  });

  test('whoever must have a second factor cannot remove it, but can replace it with a recovery code', async () => {
    const person = await aStoredPerson(app.database);
    const { secretKey, recoveryCodes, token } = await enrol(app.url, person);
    const { password } = person;
    const kept = await act('disableTwoFactor', { password, code: codeAt(secretKey) }, token);
    const refusal = { code: 'FORBIDDEN', reason: 'policy' };
    const isRefused = kept.http.status === 403 || kept.http.text.includes(JSON.stringify(refusal));
    expect([kept.ok, isRefused]).toEqual([false, true]);
    expect(done(await act('myTwoFactor', {}, token))).toMatchObject({ enabled: true });
    // The telephone is lost: a recovery code logs in, and another one replaces the app.
    testClock.move(GRACE_MILLIS);
    const [first, next] = recoveryCodes;
    const found = done<{ token: string }>(await login(person, { recoveryCode: first }));
    const replaced = await enrol(app.url, { password, token: found.token }, { recoveryCode: next as string });
    done(await login(person, { code: codeAt(replaced.secretKey) }));
    expect((await login(person, { code: codeAt(secretKey) })).message).toBe(TEXTS.wrong);
  });
});

test('roles that the policy does not name notice nothing', async () => {
  testClock.move(2 * GRACE_MILLIS);
  expect(await accountOf(app.url, doctorsToken)).toMatchObject({ email: doctor.email });
  done(await byRest(app.url)('login', { email: doctor.email, password: doctor.password }));
});

test('the operations of reviewers need aal2 from the first day', async () => {
  const reviewer = await newReviewer(app);
  const body = await listDoctors(app, reviewer.token);
  const extensions = { code: 'INSUFFICIENT_USER_AUTHENTICATION', acr: 'aal2' };
  expect(body.errors?.[0]?.extensions).toEqual(extensions);
  const decided = await sendDecision(app, reviewer.token, { id: 'x', revision: 1, decision: 'APPROVE' });
  expect(JSON.stringify(decided)).toContain('INSUFFICIENT_USER_AUTHENTICATION');
  // The token stays.
  expect(await accountOf(app.url, reviewer.token)).toMatchObject({ id: reviewer.account.id });
});

test('a reviewer reviews with a code, and without a policy also with the password alone', async () => {
  const person = await aStoredPerson(app.database);
  await app.database.accounts.updateOne({ _id: person.id }, { $set: { role: 'reviewer' } });
  const { token } = await enrol(app.url, person);
  expect((await listDoctors(app, token)).errors).toBeUndefined();
  const reviewer = await newReviewer(dated);
  expect((await listDoctors(dated, reviewer.token)).errors).toBeUndefined();
});

test('tokens of earlier releases and imported ones are below aal2', async () => {
  const person = await aStoredPerson(app.database);
  await app.database.tokens.updateMany({ accountId: person.id }, { $unset: { amr: true, authTime: true } });
  expect(await accountOf(app.url, person.token)).toMatchObject({ id: person.id });
  testClock.move(GRACE_MILLIS);
  expect(await accountOf(app.url, person.token)).toBeUndefined();
});

test('a token that was proven by a factor which is off since is below the policy, too', async () => {
  const person = await aStoredPerson(dated.database);
  const { token, secretKey } = await enrol(dated.url, person);
  const act = byRest(dated.url);
  done(await act('disableTwoFactor', { password: person.password, code: codeAt(secretKey) }, token));
  expect(await accountOf(dated.url, token)).toMatchObject({ id: person.id });
  const now = testClock.now();
  testClock.set(LATER);
  expect(await accountOf(dated.url, token)).toBeUndefined();
  testClock.set(now);
});

test('a policy with a day begins on that day, at midnight UTC', async () => {
  const person = await aStoredPerson(dated.database);
  const { email, password, token } = person;
  testClock.move(LATER.getTime() - testClock.now() - 1);
  expect(await accountOf(dated.url, token)).toMatchObject({ id: person.id });
  const act = byRest(dated.url);
  expect(done(await act('myTwoFactor', {}, token))).toMatchObject({ required: false });
  testClock.move(1);
  expect(await accountOf(dated.url, token)).toBeUndefined();
  expect(await act('login', { email, password })).toMatchObject({ isSetUp: true });
});
