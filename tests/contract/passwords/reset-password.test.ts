import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { comparable, send, sendJson } from '../../support/http.ts';
import { freshEmail, freshPassword } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredPerson } from '../../support/second-factor.ts';
import { accountOf } from '../../support/session.ts';
import { type TestApp, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const limited = useTestApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '3',
  RATE_LIMIT_LOGINS_PER_MINUTE: '2',
});

const PATH = '/api/v1/auth/reset-password';
const MINUTE_MILLIS = 60_000;
const INVALID = 'This password reset token is invalid.';
/** 32 bytes in base64url, as of a real one. */
const unknownToken = 'A'.repeat(43);

const resetTokens = () => app.database.db.collection('reset_tokens');

async function somebody({ database }: TestApp = app) {
  const { token: session, ...patient } = await aStoredPerson(database);
  return { ...patient, session };
}

/** GraphQL reports it on the token, Laravel on the e-mail. */
function expectInvalidToken(outcome: Outcome) {
  const { message, errors } = refused(outcome, 'validation');
  expect([message, Object.values(errors)]).toEqual([INVALID, [[INVALID]]]);
  expect(['token', 'email']).toContain(Object.keys(errors)[0]);
}

const eventsOf = (accountId: string) =>
  auditEvents(app)
    .find({ accountId, act: { $in: ['reset link', 'password reset'] } })
    .sort({ _id: 1 })
    .toArray();

throughEachApi((apiOf) => {
  test('a reset ends all sessions, and only the new password logs in', async () => {
    const api = apiOf(app.url);
    const { id, email, password, session } = await somebody();
    const token = await resetCodeOf(app, email);
    const newPassword = freshPassword();
    const reset = succeeded(await api.resetPassword({ token, newPassword }));
    expect(reset.message).toBe('Your password has been reset.');
    expect(await accountOf(app.url, session)).toBeUndefined();
    refused(await api.login({ email, password }), 'credentials');
    authenticated(await api.login({ email, password: newPassword }));
    const events = await eventsOf(id);
    expect(events).toMatchObject([
      { act: 'reset link', outcome: 'success', door: 'admin', operator: expect.any(String) },
      { act: 'password reset', outcome: 'success', revoked: 1, ip: '127.0.0.1' },
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test('a refused new password leaves the token valid', async () => {
    const api = apiOf(app.url);
    const { email } = await somebody();
    const token = await resetCodeOf(app, email);
    const { errors } = refused(await api.resetPassword({ token, newPassword: 'short' }), 'validation');
    expect(Object.keys(errors)).toEqual(['newPassword']);
    succeeded(await api.resetPassword({ token: ` ${token}\n`, newPassword: freshPassword() }));
  });

  test('tokens that nobody can have made are invalid, and hostile ones are refused', async () => {
    const api = apiOf(app.url);
    const newPassword = freshPassword();
    for (const token of ['x', '$ne', unknownToken, `${unknownToken}A`, '0'.repeat(64), '__proto__']) {
      expectInvalidToken(await api.resetPassword({ token, newPassword }));
    }
    const texts = {
      '': 'The token field is required.',
      'a\0b': 'The token field format is invalid.',
      '\ud800': 'The token field format is invalid.',
      ['A'.repeat(50_000)]: 'The token field must not be greater than 255 characters.',
    };
    for (const [token, text] of Object.entries(texts)) {
      expectInvalid(await api.resetPassword({ token, newPassword }), { token: [text] });
    }
    refused(await api.resetPassword({ token: 'A'.repeat(1_100_000), newPassword }), 'too large');
    for (const token of [['a'], { $gt: '' }, 12, true, null]) {
      refused(await api.resetPassword({ token, newPassword }), 'validation');
    }
  });

  test('a request for a link without mails says so', async () => {
    const { message } = refused(
      await apiOf(app.url).requestPasswordReset({ email: freshEmail() }),
      'not found',
    );
    expect(message).toBe('Passwords are not reset by e-mail here. Ask the operator for a reset link.');
  });
});

test('a token works once, and its use ends the other tokens of the account', async () => {
  const api = restApi(app.url);
  const { id, email } = await somebody();
  const [first, second] = [await resetCodeOf(app, email), await resetCodeOf(app, email)];
  const newPassword = freshPassword();
  succeeded(await api.resetPassword({ token: second, newPassword }));
  expectInvalidToken(await api.resetPassword({ token: second, newPassword: freshPassword() }));
  expectInvalidToken(await api.resetPassword({ token: first, newPassword: freshPassword() }));
  expect(await resetTokens().countDocuments({ accountId: id })).toBe(0);
  authenticated(await api.login({ email, password: newPassword }));
});

test('a token is valid for 60 minutes', async () => {
  const api = restApi(app.url);
  const { email } = await somebody();
  const [late, inTime] = [await resetCodeOf(app, email), await resetCodeOf(app, email)];
  // The operator's command has a clock of its own, which advances meanwhile.
  const behindMillis = Date.now() - testClock.now();
  testClock.move(behindMillis + 61 * MINUTE_MILLIS);
  expectInvalidToken(await api.resetPassword({ token: late, newPassword: freshPassword() }));
  testClock.move(-2 * MINUTE_MILLIS);
  succeeded(await api.resetPassword({ token: inTime, newPassword: freshPassword() }));
  testClock.move(-behindMillis - 59 * MINUTE_MILLIS);
});

test('a token is not valid for a disabled account, after a changed password, or after a changed e-mail', async () => {
  const api = restApi(app.url);
  const newPassword = freshPassword();
  const disabled = await somebody();
  const token = await resetCodeOf(app, disabled.email);
  const setDisabled = (disabledAt: Date | null) =>
    app.database.accounts.updateOne({ _id: disabled.id }, { $set: { disabledAt } });
  await setDisabled(new Date());
  expectInvalidToken(await api.resetPassword({ token, newPassword }));
  await setDisabled(null);
  succeeded(await api.resetPassword({ token, newPassword }));

  const changed = await somebody();
  const beforeChange = await resetCodeOf(app, changed.email);
  const change = { currentPassword: changed.password, newPassword: freshPassword() };
  succeeded(await api.changePassword(change, `Bearer ${changed.session}`));
  expectInvalidToken(await api.resetPassword({ token: beforeChange, newPassword }));

  const moved = await somebody();
  const ofFormerEmail = await resetCodeOf(app, moved.email);
  await app.database.accounts.updateOne({ _id: moved.id }, { $set: { email: freshEmail() } });
  expectInvalidToken(await api.resetPassword({ token: ofFormerEmail, newPassword }));
});

test('guesses of tokens count with the failed logins of their sender, and keep no valid token out', async () => {
  const sender = { 'X-Forwarded-For': '10.1.2.3' };
  const api = restApi(limited.url, sender);
  const guess = (token: string) => api.resetPassword({ token, newPassword: freshPassword() });
  const { email, password } = await somebody(limited);
  const token = await resetCodeOf(limited, email);
  expectInvalidToken(await guess(unknownToken));
  refused(await api.login({ email: freshEmail(), password }), 'credentials');
  expectInvalidToken(await guess('no token'));
  refused(await guess(unknownToken), 'too many attempts');
  succeeded(await guess(token));
  refused(await guess(token), 'too many attempts');
  testClock.move(MINUTE_MILLIS);
});

test('after a reset its owner can log in, however often the old password was tried before', async () => {
  const api = restApi(limited.url);
  const { email } = await somebody(limited);
  refused(await api.login({ email, password: freshPassword() }), 'credentials');
  refused(await api.login({ email, password: freshPassword() }), 'credentials');
  refused(await api.login({ email, password: freshPassword() }), 'too many attempts');
  const newPassword = freshPassword();
  const token = await resetCodeOf(limited, email);
  succeeded(await api.resetPassword({ token, newPassword }));
  authenticated(await api.login({ email, password: newPassword }));
  testClock.move(MINUTE_MILLIS);
});

describe('the endpoint of REST', () => {
  const post = (body: object) => sendJson(`${app.url}${PATH}`, body);

  test('an e-mail that is sent must be that of the account', async () => {
    const { email } = await somebody();
    const token = await resetCodeOf(app, email);
    const password = freshPassword();
    const wrong = await post({ token, password, email: freshEmail() });
    const unknown = await post({ token: unknownToken, password });
    expect(comparable(wrong)).toEqual(comparable(unknown));
    expect([wrong.status, wrong.text]).toEqual([
      422,
      `{"message":"${INVALID}","errors":{"email":["${INVALID}"]}}`,
    ]);
    const right = await post({
      token,
      password,
      password_confirmation: password,
      email: email.toUpperCase(),
    });
    expect([right.status, right.text]).toEqual([200, '{"status":"Your password has been reset."}']);
  });

  test('forms are read, other methods refused', async () => {
    const { email } = await somebody();
    const fields = { token: await resetCodeOf(app, email), password: freshPassword() };
    const form = await send(`${app.url}${PATH}`, { method: 'POST', body: new URLSearchParams(fields) });
    expect(form.status).toBe(200);
    for (const path of [PATH, '/api/v1/auth/forgot-password']) {
      const get = await send(app.url + path);
      expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});

test('the audit trail has invalid tokens as failures, without an account', async () => {
  await restApi(app.url).resetPassword({ token: unknownToken, newPassword: freshPassword() });
  await eventually(async () => {
    const query = { act: 'password reset', outcome: 'failure', accountId: null, reason: INVALID } as const;
    expect(await auditEvents(app).countDocuments(query)).toBeGreaterThan(0);
  });
});
