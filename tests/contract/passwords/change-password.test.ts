import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { comparable, send, sendJson } from '../../support/http.ts';
import { freshPassword } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredPerson } from '../../support/second-factor.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { type TestApp, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const limited = useTestApp({ RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '3' });

const PATH = '/api/v1/auth/password';
const MINUTE_MILLIS = 60_000;
const incorrect = { currentPassword: ['The password is incorrect.'] };

/** A patient with two sessions. */
async function somebody({ database, url }: TestApp = app) {
  const patient = await aStoredPerson(database);
  const { token: other } = authenticated(await restApi(url).login(patient));
  return { ...patient, other, authorization: `Bearer ${patient.token}` };
}

const eventsOf = (accountId: string) =>
  auditEvents(app).find({ accountId, act: 'password change' }).sort({ _id: 1 }).toArray();

throughEachApi((apiOf) => {
  test('a changed password logs in, the old one does not, and the other sessions end', async () => {
    const api = apiOf(app.url);
    const { id, email, password, token, other, authorization } = await somebody();
    const newPassword = freshPassword();
    testClock.move(MINUTE_MILLIS);
    const changed = succeeded(
      await api.changePassword({ currentPassword: password, newPassword }, authorization),
    );
    expect(changed.message).toMatch(/^(password-updated|Your password has been changed\.)$/);
    expect(await accountOf(app.url, token)).toBeDefined();
    expect(await accountOf(app.url, other)).toBeUndefined();
    refused(await api.login({ email, password }), 'credentials');
    authenticated(await api.login({ email, password: newPassword }));
    const stored = await app.database.accounts.findOne({ _id: id });
    expect(stored?.updatedAt).toEqual(new Date(testClock.now()));
    expect(stored?.passwordChange).toEqual({ id: expect.any(String) });
    expect(await eventsOf(id)).toMatchObject([{ outcome: 'success', revoked: 1, ip: '127.0.0.1' }]);
  });

  test('the other sessions stay if the caller wants that', async () => {
    const api = apiOf(app.url);
    const { email, password, other, authorization } = await somebody();
    const newPassword = freshPassword();
    const wish = { currentPassword: password, newPassword, revokeOtherTokens: false };
    succeeded(await api.changePassword(wish, authorization));
    expect(await accountOf(app.url, other)).toBeDefined();
    refused(await api.login({ email, password }), 'credentials');
  });

  test('the new password has the rules of a registration', async () => {
    const api = apiOf(app.url);
    const { password, authorization } = await somebody();
    const field = apiOf === restApi ? 'password' : 'new password';
    const change = (newPassword: string) =>
      api.changePassword({ currentPassword: password, newPassword }, authorization);
    expectInvalid(await change('short'), {
      newPassword: [`The ${field} field must be at least 8 characters.`],
    });
    expectInvalid(await change('x'.repeat(73)), {
      newPassword: [`The ${field} field must not be greater than 72 bytes.`],
    });
    expectInvalid(await change('nul\0nul\0nul'), { newPassword: [`The ${field} field format is invalid.`] });
    expectInvalid(await change('\ud800 half a pair'), {
      newPassword: [`The ${field} field format is invalid.`],
    });
  });
});

test('a wrong current password changes nothing and is in the audit trail', async () => {
  const api = restApi(app.url);
  const { id, email, password, other, authorization } = await somebody();
  const wrong = { currentPassword: freshPassword(), newPassword: freshPassword() };
  expectInvalid(await api.changePassword(wrong, authorization), incorrect);
  expect(await accountOf(app.url, other)).toBeDefined();
  authenticated(await api.login({ email, password }));
  await eventually(async () =>
    expect(await eventsOf(id)).toMatchObject([
      { outcome: 'failure', reason: 'wrong password', revoked: null },
    ]),
  );
});

test('wrong current passwords count with the logins', async () => {
  const api = restApi(limited.url);
  const { email, password, authorization } = await somebody(limited);
  const change = (currentPassword: string) =>
    api.changePassword({ currentPassword, newPassword: freshPassword() }, authorization);
  expectInvalid(await change(freshPassword()), incorrect);
  refused(await api.login({ email, password: freshPassword() }), 'credentials');
  expectInvalid(await change(freshPassword()), incorrect);
  refused(await change(password), 'too many attempts');
  refused(await api.login({ email, password }), 'too many attempts');
  testClock.move(MINUTE_MILLIS);
  succeeded(await change(password));
});

test('changes of an account are limited: each sends a mail to an e-mail that nobody has confirmed', async () => {
  const api = restApi(limited.url);
  const { password, authorization } = await somebody(limited);
  const change = (currentPassword: string, newPassword: string) =>
    api.changePassword({ currentPassword, newPassword }, authorization);
  const wishes = [password, freshPassword(), freshPassword(), freshPassword(), freshPassword()];
  for (const time of [0, 1, 2]) {
    succeeded(await change(wishes[time] ?? '', wishes[time + 1] ?? ''));
  }
  refused(await change(wishes[3] ?? '', wishes[4] ?? ''), 'too many attempts');
  testClock.move(MINUTE_MILLIS);
  succeeded(await change(wishes[3] ?? '', wishes[4] ?? ''));
});

test('a change needs a valid token', async () => {
  const api = restApi(app.url);
  const { password, token } = await somebody();
  const input = { currentPassword: password, newPassword: freshPassword() };
  for (const authorization of [undefined, 'Bearer nobody', `Bearer unknown${token}`]) {
    refused(await api.changePassword(input, authorization), 'unauthenticated');
  }
});

test('blanks at the ends of both passwords count', async () => {
  const api = restApi(app.url);
  const { email, password, authorization } = await somebody();
  const newPassword = ` ${freshPassword()} `;
  succeeded(await api.changePassword({ currentPassword: password, newPassword }, authorization));
  refused(await api.login({ email, password: newPassword.trim() }), 'credentials');
  const trimmed = { currentPassword: newPassword.trim(), newPassword: password };
  expectInvalid(await api.changePassword(trimmed, authorization), incorrect);
  succeeded(await api.changePassword({ currentPassword: newPassword, newPassword: password }, authorization));
});

test('of many simultaneous changes with one password, one wins', async () => {
  const api = restApi(app.url);
  const { email, password, authorization } = await somebody();
  const wishes = Array.from({ length: 10 }, () => freshPassword());
  const outcomes = await Promise.all(
    wishes.map((newPassword) =>
      api.changePassword({ currentPassword: password, newPassword, revokeOtherTokens: false }, authorization),
    ),
  );
  const winners = wishes.filter((_, index) => outcomes[index]?.ok);
  expect(winners).toHaveLength(1);
  authenticated(await api.login({ email, password: winners[0] }));
  for (const outcome of outcomes.filter(({ ok }) => !ok)) {
    expectInvalid(outcome, incorrect);
  }
});

test('a changed password forgets an imported hash and the places of former logins', async () => {
  const api = restApi(app.url);
  const { id, password, authorization } = await somebody();
  await app.database.accounts.updateOne(
    { _id: id },
    { $set: { upgradedFrom: '0123456789abcdef', knownPlaces: ['thief', 'owner'] } },
  );
  const input = { currentPassword: password, newPassword: freshPassword() };
  succeeded(await api.changePassword(input, authorization));
  const stored = await app.database.accounts.findOne({ _id: id });
  expect(stored).not.toHaveProperty('upgradedFrom');
  expect(stored?.knownPlaces).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});

describe('the endpoint of REST', () => {
  const put = (body: unknown, headers: Record<string, string>) =>
    sendJson(`${app.url}${PATH}`, body, headers, 'PUT');

  test('the confirmation must be the same, if it is sent', async () => {
    const { password, token } = await somebody();
    const input = { current_password: password, password: freshPassword() };
    const differing = await put({ ...input, password_confirmation: freshPassword() }, bearer(token));
    expect([differing.status, differing.text]).toEqual([
      422,
      '{"message":"The password field confirmation does not match.","errors":{"password":["The password field confirmation does not match."]}}',
    ]);
    const same = await put({ ...input, password_confirmation: input.password }, bearer(token));
    expect([same.status, same.text]).toEqual([200, '{"status":"password-updated"}']);
  });

  test('a form is read like JSON, with 0 and 1 for no and yes', async () => {
    const { password, token, other } = await somebody();
    const fields = { current_password: password, password: freshPassword(), revoke_other_tokens: '0' };
    const body = new URLSearchParams(fields);
    const http = await send(`${app.url}${PATH}`, { method: 'PUT', headers: bearer(token), body });
    expect(http.status).toBe(200);
    expect(await accountOf(app.url, other)).toBeDefined();
  });

  test('a body of wrong types gets a text for each field', async () => {
    const { token } = await somebody();
    const http = await put(
      { current_password: ['a'], password: {}, revoke_other_tokens: 'yes' },
      bearer(token),
    );
    expect([http.status, JSON.parse(http.text).errors]).toEqual([
      422,
      {
        current_password: ['The current password field must be a string.'],
        password: ['The password field must be a string.'],
        revoke_other_tokens: ['The revoke other tokens field must be true or false.'],
      },
    ]);
  });

  test('a caller without a valid token hears only that, whatever the body is', async () => {
    const broken = await put('{', {});
    const empty = await put({}, bearer('nobody'));
    expect(broken.status).toBe(401);
    expect(comparable(broken)).toEqual(comparable(empty));
  });

  test('other methods are refused, and a form of another site too', async () => {
    const { token } = await somebody();
    const post = await sendJson(`${app.url}${PATH}`, {}, bearer(token));
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'PUT']);
    const options = await send(`${app.url}${PATH}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'PUT']);
    const foreign = { ...bearer(token), 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const form = await send(`${app.url}${PATH}`, {
      method: 'PUT',
      headers: foreign,
      body: new URLSearchParams({ password: 'x' }),
    });
    expect(form.status).toBe(403);
  });

  test('the request log calls it by its path', async () => {
    const { token } = await somebody();
    await put({}, bearer(token));
    await eventually(() =>
      expect(app.log.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ operation: 'password', method: 'PUT', status: 422 }),
      ),
    );
  });
});
