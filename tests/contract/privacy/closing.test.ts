import { ExportMyDataDocument } from '../../../packages/client/src/generated/graphql.ts';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { admin } from '../../support/admin-command.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { auditEvents, closeErasers, deleteAccount, openEraser } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredPerson } from '../../support/second-factor.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '3',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
});
afterEach(closeErasers);

const DAY_MILLIS = 86_400_000;
const GRACE_MILLIS = 30 * DAY_MILLIS;

/** A patient with two sessions. */
async function somebody() {
  const patient = await aStoredPerson(app.database);
  const { token: other } = authenticated(await graphqlApi(app.url).login(patient));
  return { ...patient, other };
}

const storedOf = (_id: string) => app.database.accounts.findOne({ _id });
const closingsOf = (accountId: string): Promise<StoredAuditEvent[]> =>
  auditEvents(app).find({ accountId, act: 'closing' }).sort({ at: 1 }).toArray();
const run = (...words: string[]) => admin({ MONGODB_URI: app.database.uri, LOG_LEVEL: 'silent' }, ...words);

test('a closed account is logged out everywhere, and its logins and e-mail are refused', async () => {
  const patient = await somebody();
  await app.database.db.collection('reset_tokens').insertOne({ accountId: patient.id });
  const wrong = refused(
    await restApi(app.url).login({ ...patient, password: freshPassword() }),
    'credentials',
  );
  const due = new Date(testClock.now() + GRACE_MILLIS);
  expect(await deleteAccount(app.url, patient.token, patient.password)).toEqual({
    message: 'Your account has been closed.',
    erasedAfter: due.toISOString(),
  });
  expect(await storedOf(patient.id)).toMatchObject({
    disabledAt: new Date(testClock.now()),
    erasureDueAt: due,
  });
  expect(await app.database.tokens.countDocuments({ accountId: patient.id })).toBe(0);
  expect(await app.database.db.collection('reset_tokens').countDocuments({ accountId: patient.id })).toBe(0);
  expect(await accountOf(app.url, patient.token)).toBeUndefined();
  expect(await accountOf(app.url, patient.other)).toBeUndefined();
  const login = refused(await restApi(app.url).login(patient), 'credentials');
  expect(login.http.text).toBe(wrong.http.text);
  const again = await restApi(app.url).registerPatient(aPatient({ email: patient.email }));
  expectInvalid(again, { email: ['The email has already been taken.'] });
  expect(await closingsOf(patient.id)).toMatchObject([{ outcome: 'success', revoked: 2, door: 'graphql' }]);
  expect((await deleteAccount(app.url, patient.token, patient.password)).error?.extensions?.code).toBe(
    'UNAUTHENTICATED',
  );
});

test('a wrong password closes nothing, and counts with the logins', async () => {
  const patient = await somebody();
  const attempt = (password: string) => deleteAccount(app.url, patient.token, password);
  for (let attempts = 0; attempts < 3; attempts += 1) {
    const { error } = await attempt(freshPassword());
    expect(error?.message).toBe('The password is incorrect.');
    expect(error?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: { password: ['The password is incorrect.'] },
    });
  }
  expect((await attempt(patient.password)).error?.extensions?.code).toBe('TOO_MANY_ATTEMPTS');
  refused(await graphqlApi(app.url).login(patient), 'too many attempts');
  await eventually(async () => {
    const wrong = (await closingsOf(patient.id)).filter(({ reason }) => reason === 'wrong password');
    expect(wrong).toHaveLength(3);
  });
  expect((await storedOf(patient.id))?.disabledAt).toBeNull();
  expect(await accountOf(app.url, patient.token)).toBeDefined();
  expect((await deleteAccount(app.url, undefined, patient.password)).error?.extensions?.code).toBe(
    'UNAUTHENTICATED',
  );
  expect((await attempt('')).error?.extensions?.errors).toEqual({
    password: ['The password field is required.'],
  });
});

test('an account has six exports a minute', async () => {
  const patient = await somebody();
  const exported = () => execute(app.url, ExportMyDataDocument, {}, bearer(patient.token));
  for (let exports = 0; exports < 6; exports += 1) {
    expect((await exported()).body.errors).toBeUndefined();
  }
  expect((await exported()).body.errors?.[0]?.extensions?.code).toBe('TOO_MANY_ATTEMPTS');
  const other = await somebody();
  const { body } = await execute(app.url, ExportMyDataDocument, {}, bearer(other.token));
  expect(body.data?.exportMyData.account.id).toBe(other.id);
});

test('a reviewer may leave, too', async () => {
  const reviewer = await somebody();
  await app.database.accounts.updateOne({ _id: reviewer.id }, { $set: { role: 'reviewer' } });
  expect((await deleteAccount(app.url, reviewer.token, reviewer.password)).message).toBeDefined();
});

test('an operator enables a closed account within the grace, and it is not erased', async () => {
  const patient = await somebody();
  await deleteAccount(app.url, patient.token, patient.password);
  expect((await run('accounts', 'enable', '--email', patient.email)).code).toBe(0);
  expect(await storedOf(patient.id)).not.toHaveProperty('erasureDueAt');
  authenticated(await graphqlApi(app.url).login(patient));
  const eraser = await openEraser(app, {
    ...testClock,
    now: () => testClock.now() + 2 * GRACE_MILLIS,
    elapsed: () => 0,
    after: () => () => {},
  });
  await eraser.erasure.run();
  expect(await storedOf(patient.id)).not.toBeNull();
});

test('an operator closes an account with the grace, and it keeps its time', async () => {
  const patient = await somebody();
  const before = Date.now();
  const closed = await run('accounts', 'erase', '--email', patient.email, '--yes', '--json');
  expect(closed.json).toMatchObject([{ id: patient.id, isErased: false, revoked: 2 }]);
  const due = (await storedOf(patient.id))?.erasureDueAt;
  expect(due?.getTime()).toBeGreaterThanOrEqual(before + GRACE_MILLIS);
  expect(await accountOf(app.url, patient.token)).toBeUndefined();
  refused(await graphqlApi(app.url).login(patient), 'credentials');
  await run('accounts', 'erase', '--id', patient.id, '--yes');
  expect((await storedOf(patient.id))?.erasureDueAt).toEqual(due);
  expect(await closingsOf(patient.id)).toMatchObject([
    { outcome: 'success', door: 'admin' },
    { outcome: 'failure', reason: 'already closed', door: 'admin' },
  ]);
});

test('an erasure that has begun cannot be undone', async () => {
  const patient = await somebody();
  await deleteAccount(app.url, patient.token, patient.password);
  await app.database.accounts.updateOne({ _id: patient.id }, { $set: { erasingSince: new Date() } });
  const refusal = await run('accounts', 'enable', '--email', patient.email);
  expect(refusal.code).toBe(1);
  expect(refusal.stderr).toContain('The account is being erased. It cannot be enabled any more.');
  expect((await storedOf(patient.id))?.disabledAt).not.toBeNull();
});

test('an operator has to agree, and to name one account', async () => {
  const patient = await somebody();
  const unasked = await run('accounts', 'erase', '--email', patient.email, '--now');
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain('without a terminal, this command needs --yes');
  expect((await run('accounts', 'erase', '--yes')).code).toBe(2);
  expect((await run('accounts', 'export', '--email', 'a@b', '--id', '1')).code).toBe(2);
  expect((await run('accounts', 'export', '--id', 'nobody')).code).toBe(1);
  expect((await storedOf(patient.id))?.disabledAt).toBeNull();
});
