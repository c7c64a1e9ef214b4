import { MyTokensDocument } from '../../../packages/client/src/generated/graphql.ts';
import type { StoredAccessToken } from '../../../src/stores/access-tokens.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { importAccount, importToken } from '../../support/legacy.ts';
import {
  adminOf,
  logInAgain,
  newOperator,
  newStaffReviewer,
  OPERATOR_API,
  opened,
  operate,
  proveAgain,
} from '../../support/operators.ts';
import {
  accepted,
  addPasskey,
  confirmCredential,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import { aPatient } from '../../support/people.ts';
import { byRest, codeAt, done, enrol, nextCode } from '../../support/second-factor.ts';
import { introspect, SERVICES } from '../../support/services.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const SETTINGS = { ...OPERATOR_API, ...PASSKEYS, ...SERVICES };
const app = useTestApp(SETTINGS);
/** Another instance on the same database, whose settings let tokens of staff live for ever. */
const unlimited = useTestApp(
  { ...SETTINGS, STAFF_TOKEN_LIFETIME_MINUTES: 'off', STAFF_TOKEN_IDLE_MINUTES: 'off' },
  () => app.database.uri,
);

/** Commands make the links of set-ups by the clock of the machine. */
beforeEach(() => testClock.set(Date.now()));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WRITTEN_AFTER_MILLIS = 1_000;

const recordOf = (token: string) => app.database.tokens.findOne({ _id: tokenIdOf(token) });
const rewrite = (token: string, fields: Partial<StoredAccessToken>) =>
  app.database.tokens.updateOne({ _id: tokenIdOf(token) }, { $set: fields });
const ago = (millis: number) => new Date(testClock.now() - millis);
const isValid = async (token: string, { url } = app) => (await accountOf(url, token)) !== undefined;
const isOperators = async (token: string) =>
  (await operate(app, '{ operator { id } }', {}, token)).code !== 'UNAUTHENTICATED';

/** A reviewer who has registered, so that there is a password alone at first. */
async function aReviewer() {
  const patient = aPatient();
  const { account } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { role: 'reviewer' } });
  const { token } = authenticated(await graphqlApi(app.url).login(patient));
  return { ...patient, token };
}

const tokenOf = async (answer: ReturnType<ReturnType<typeof passkeysByRest>>) =>
  accepted<{ token: string }>(await answer).token;

/** The ways to a token of an operator or a reviewer. */
const WAYS: [string, () => Promise<string>][] = [
  ["an operator's set-up", async () => (await newOperator(app)).token],
  ["a reviewer's set-up", async () => (await newStaffReviewer(app)).token],
  ["an operator's login with a challenge", async () => (await logInAgain(app, await newOperator(app))).token],
  ["an operator's step-up", async () => (await proveAgain(app, await newOperator(app))).token],
  ["a reviewer's login with a password", async () => (await aReviewer()).token],
  ["a reviewer's enrolment", async () => (await enrol(app.url, await aReviewer())).token],
  [
    "a reviewer's login with a challenge",
    async () => {
      const { email, password, secretKey } = await newStaffReviewer(app);
      const { challenge } = await byRest(app.url)('login', { email, password });
      nextCode();
      const code = codeAt(secretKey);
      return done<{ token: string }>(await byRest(app.url)('completeLogin', { challenge, code })).token;
    },
  ],
  [
    "a reviewer's login with a passkey",
    async () => {
      const { authenticator } = await addPasskey(app.url, await aReviewer());
      const credential = await loginCredential(app.url, authenticator);
      return tokenOf(passkeysByRest(app.url)('loginWithPasskey', { credential }));
    },
  ],
  [
    "a reviewer's step-up with a passkey",
    async () => {
      const reviewer = await aReviewer();
      const { authenticator } = await addPasskey(app.url, reviewer);
      const credential = await confirmCredential(app.url, authenticator, reviewer.token);
      return tokenOf(passkeysByRest(app.url)('stepUp', { credential }, reviewer.token));
    },
  ],
];

test.each(WAYS)('the token of %s ends after a day, and after an hour without use', async (_, tokenBy) => {
  const token = await tokenBy();
  const { createdAt, expiresAt, idleExpiresAt, ...others } = (await recordOf(token)) ?? {};
  expect(Object.entries(others).at(-1)).toEqual(['staff', true]);
  expect(Number(expiresAt) - Number(createdAt)).toBe(DAY);
  // The database removes it later than it ends, in case another instance has not written a use yet.
  expect(Number(idleExpiresAt) - Number(createdAt)).toBeGreaterThan(HOUR);
  testClock.set(Number(createdAt) + HOUR - 1);
  const isAccepted = async () => (await isValid(token)) || (await isOperators(token));
  expect(await isAccepted()).toBe(true);
  testClock.move(HOUR);
  expect(await isAccepted()).toBe(false);
  await rewrite(token, { createdAt: ago(DAY), expiresAt: null, lastUsedAt: ago(0) });
  expect(await isAccepted()).toBe(false);
});

test("a patient's token has no end, and nothing more is stored of it", async () => {
  const { token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  expect(await isValid(token)).toBe(true);
  await testClock.advance(WRITTEN_AFTER_MILLIS);
  await eventually(async () => expect((await recordOf(token))?.lastUsedAt).not.toBeNull());
  const record = await recordOf(token);
  expect(record).toMatchObject({ expiresAt: null, idleExpiresAt: null });
  expect(record).not.toHaveProperty('staff');
  testClock.move(30 * DAY);
  expect(await isValid(token)).toBe(true);
  expect(await introspect(app.url, token)).not.toHaveProperty('exp');
});

test("a use prolongs a reviewer's token by an hour, up to its last day", async () => {
  const { token } = await newStaffReviewer(app);
  const { createdAt } = (await recordOf(token)) ?? {};
  for (const minutes of [59, 59, 59]) {
    testClock.move(minutes * MINUTE);
    expect(await isValid(token)).toBe(true);
  }
  const usedAt = testClock.now();
  await testClock.advance(WRITTEN_AFTER_MILLIS);
  await eventually(async () => {
    const { lastUsedAt, idleExpiresAt } = (await recordOf(token)) ?? {};
    expect(Number(lastUsedAt)).toBe(usedAt);
    expect(Number(idleExpiresAt)).toBeGreaterThan(usedAt + HOUR);
  });
  testClock.set(Number(createdAt) + DAY - 1);
  await rewrite(token, { lastUsedAt: ago(MINUTE) });
  expect(await isValid(token)).toBe(true);
  testClock.move(1);
  expect(await isValid(token)).toBe(false);
});

test('services, owners and operators see the end, and no token that is over', async () => {
  const [operator, reviewer] = [await newOperator(app), await newStaffReviewer(app)];
  const { createdAt } = (await recordOf(reviewer.token)) ?? {};
  const end = Number(createdAt) + DAY;
  expect(await introspect(app.url, reviewer.token)).toMatchObject({ exp: Math.floor(end / 1000) });
  const mine = await execute(app.url, MyTokensDocument, {}, bearer(reviewer.token));
  expect(mine.body.data?.myTokens).toMatchObject([{ expiresAt: new Date(end).toISOString() }]);
  const listed = async () => (await adminOf(app, 'tokens', 'list', '--account', reviewer.id, '--json')).json;
  expect(await listed()).toMatchObject([{ expiresAt: new Date(end).toISOString() }]);

  testClock.move(HOUR - MINUTE);
  expect((await opened(app, operator, reviewer.id)).devices).toHaveLength(1);
  testClock.move(MINUTE);
  expect(await introspect(app.url, reviewer.token)).toEqual({ active: false });
  expect((await opened(app, operator, reviewer.id)).devices).toEqual([]);
});

describe('a token that does not say whose it is', () => {
  /** What is stored of a token of an earlier version. */
  const asEarlier = (token: string) =>
    app.database.tokens.updateOne(
      { _id: tokenIdOf(token) },
      { $unset: { staff: true }, $set: { expiresAt: null, idleExpiresAt: null } },
    );

  test('has the lifetimes of staff if its account is', async () => {
    const { token } = await newStaffReviewer(app);
    await asEarlier(token);
    const { createdAt } = (await recordOf(token)) ?? {};
    expect(await introspect(app.url, token)).toMatchObject({
      exp: Math.floor((Number(createdAt) + DAY) / 1000),
    });
    await testClock.advance(WRITTEN_AFTER_MILLIS);
    await eventually(async () => expect((await recordOf(token))?.idleExpiresAt).not.toBeNull());
    testClock.move(HOUR);
    expect(await isValid(token)).toBe(false);
  });

  test('ends when its account becomes staff, also if it is imported', async () => {
    const { id } = await importAccount(app.database, '1');
    const imported = await importToken(app.database, { id: '7', accountId: id });
    expect(await isValid(imported)).toBe(true);
    testClock.move(HOUR);
    expect(await isValid(imported)).toBe(true);
    testClock.move(HOUR);
    await app.database.accounts.updateOne({ _id: id }, { $set: { role: 'reviewer' } });
    expect(await isValid(imported)).toBe(false);
  });
});

test('a token of staff keeps its lifetimes when its account gets another role', async () => {
  const { id, token } = await newStaffReviewer(app);
  await app.database.accounts.updateOne({ _id: id }, { $set: { role: 'patient' } });
  expect(await isValid(token)).toBe(true);
  testClock.move(HOUR);
  expect(await isValid(token)).toBe(false);
});

test('of two instances, the stricter settings hold for tokens that were issued under the others', async () => {
  const { database, storageDir } = app;
  const { token } = await newStaffReviewer({ url: unlimited.url, database, storageDir, now: app.now });
  expect(await recordOf(token)).toMatchObject({ staff: true, expiresAt: null, idleExpiresAt: null });
  testClock.move(HOUR - 1);
  expect(await isValid(token)).toBe(true);
  testClock.move(HOUR);
  expect(await isValid(token)).toBe(false);
  expect(await isValid(token, unlimited)).toBe(true);
});

test('a use at one instance counts at the other one', async () => {
  const { token } = await newStaffReviewer(app);
  testClock.move(HOUR - MINUTE);
  expect(await isValid(token, unlimited)).toBe(true);
  await testClock.advance(WRITTEN_AFTER_MILLIS);
  await eventually(async () => expect((await recordOf(token))?.lastUsedAt).not.toBeNull());
  testClock.move(HOUR - MINUTE);
  expect(await isValid(token)).toBe(true);
});

test("where everybody's lifetimes are stricter, they hold for staff", async () => {
  const strict = await createTestApp({
    ...SETTINGS,
    TOKEN_LIFETIME_MINUTES: '30',
    TOKEN_IDLE_MINUTES: '5',
    STAFF_TOKEN_LIFETIME_MINUTES: 'off',
  });
  try {
    const { token } = await newStaffReviewer(strict);
    const record = await strict.database.tokens.findOne({ _id: tokenIdOf(token) });
    expect(Number(record?.expiresAt) - Number(record?.createdAt)).toBe(30 * MINUTE);
    testClock.move(5 * MINUTE);
    expect(await isValid(token, strict)).toBe(false);
  } finally {
    await strict.stop();
  }
});
