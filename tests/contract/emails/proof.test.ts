import { LONGEST_HOLD_MILLIS } from '../../../src/mail/outbox.ts';
import { admin } from '../../support/admin-command.ts';
import { throughEachApi } from '../../support/apis.ts';
import {
  emailLinkSettings,
  nextMails,
  nextMailTo,
  tokenIn,
  waitingMails,
} from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import {
  authenticated,
  expectInvalid,
  refused,
  registeredDoctor,
  succeeded,
} from '../../support/expectations.ts';
import { comparable, jsonOf, send, sendJson } from '../../support/http.ts';
import { adminOf } from '../../support/operators.ts';
import { aDoctor, aPatient, aSender, freshEmail, freshPassword } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { mailSettings, resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { introspect, SERVICES } from '../../support/services.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

let server: SmtpTestServer;
let app: TestApp;
/** It sends mails, but has no address for the links that prove an e-mail. */
let without: TestApp;

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;
const INVALID = { token: ['This e-mail verification token is invalid.'] };

beforeAll(async () => {
  server = await startSmtpServer();
  const limits = {
    RATE_LIMIT: 'on',
    RATE_LIMIT_LOGINS_PER_MINUTE: '3',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '8',
    TRUST_PROXY: 'loopback',
  };
  app = await createTestApp({ ...emailLinkSettings(server.url), ...SERVICES, ...limits });
  without = await createTestApp(mailSettings(server.url));
});
afterAll(async () => {
  await app.stop();
  await without.stop();
  await server.stop();
});

/** A new patient, and the token in the mail of the registration. */
async function somebody() {
  const patient = aPatient({ name: 'Win a prize at evil.example' });
  const { account, token } = authenticated(await restApi(app.url, aSender()).registerPatient(patient));
  const mail = await nextMailTo(server, patient.email);
  const authorization = `Bearer ${token}`;
  return { ...patient, id: account.id, session: token, authorization, mail, link: tokenIn(mail) };
}

const storedOf = (_id: string) => app.database.accounts.findOne({ _id });
const verifiedAt = async (session: string) => (await accountOf(app.url, session))?.emailVerifiedAt;
const eventsOf = (accountId: string, act: string) => trailOf(app, { accountId, act });

throughEachApi((apiOf) => {
  test('the link in the mail of a registration proves the e-mail, once, and changes nothing else', async () => {
    const api = apiOf(app.url, aSender());
    const { id, session, mail, link } = await somebody();
    expect(mail.subject).toBe('Confirm your e-mail address');
    expect(mail.raw).not.toContain('prize');
    expect(mail.text).toContain('If this account is not yours');
    const before = await storedOf(id);
    const user = await send(`${app.url}/api/v1/user`, { headers: bearer(session) });
    expect(await verifiedAt(session)).toBeNull();
    testClock.move(1_000);
    const proven = succeeded(await api.verifyEmail({ token: link }));
    expect(proven.message).toMatch(/^(email-verified|Your e-mail address is verified\.)$/);
    const at = new Date(testClock.now());
    expect(await verifiedAt(session)).toBe(at.toISOString());
    expect(await storedOf(id)).toEqual({ ...before, emailProof: { emailKey: before?.emailKey, at } });
    const after = await send(`${app.url}/api/v1/user`, { headers: bearer(session) });
    expect(after.text).toBe(user.text);
    expectInvalid(await api.verifyEmail({ token: link }), INVALID);
    expect(await eventsOf(id, 'e-mail proof')).toMatchObject([{ outcome: 'success', reason: null }]);
  });

  test('the link is sent again to somebody who is logged in, and to a proven e-mail no more', async () => {
    const api = apiOf(app.url, aSender());
    const { email, authorization, link } = await somebody();
    testClock.move(MINUTE_MILLIS);
    const sent = succeeded(await api.requestEmailVerification(authorization));
    expect(sent.message).toMatch(/^(verification-link-sent|We have emailed your verification link\.)$/);
    const again = tokenIn(await nextMailTo(server, email));
    expect(again).not.toBe(link);
    // Both work until one is used.
    succeeded(await api.verifyEmail({ token: link }));
    expectInvalid(await api.verifyEmail({ token: again }), INVALID);
    const done = succeeded(await api.requestEmailVerification(authorization));
    expect([done.http.status, done.message]).toEqual(
      apiOf === restApi ? [204, undefined] : [200, 'Your e-mail address is verified already.'],
    );
    await testClock.advance(LONGEST_HOLD_MILLIS);
    await eventually(async () => expect(await waitingMails(app)).toBe(0));
  });

  test('unknown, malformed and missing tokens are refused with one text, and count with the failed logins', async () => {
    const sender = aSender();
    const api = apiOf(app.url, sender);
    for (const token of ['x', 'A'.repeat(43), `${'A'.repeat(42)}=`, '😀'.repeat(43), '$ne']) {
      expectInvalid(await api.verifyEmail({ token }), INVALID);
    }
    expectInvalid(await api.verifyEmail({ token: '' }), { token: ['The token field is required.'] });
    refused(await api.verifyEmail({ token: ['A'.repeat(43)] }), 'validation');
    refused(await api.verifyEmail({ token: { $ne: null } }), 'validation');
    for (let time = 0; time < 3; time += 1) {
      expectInvalid(await api.verifyEmail({ token: 'B'.repeat(43) }), INVALID);
    }
    refused(await api.verifyEmail({ token: 'B'.repeat(43) }), 'too many attempts');
    refused(await api.login({ email: freshEmail(), password: freshPassword() }), 'too many attempts');
    // A valid one passes in any case.
    const { link } = await somebody();
    succeeded(await api.verifyEmail({ token: link }));
    testClock.move(MINUTE_MILLIS);
  });

  test('without its setting there are no links, whoever asks, and a mailed reset still proves the e-mail', async () => {
    const api = apiOf(without.url);
    const patient = aPatient();
    const { account, token } = authenticated(await api.registerPatient(patient));
    const change = { email: freshEmail(), password: patient.password };
    for (const authorization of [undefined, `Bearer ${token}`]) {
      refused(await api.requestEmailVerification(authorization), 'not found');
      refused(await api.changeEmail(change, authorization), 'not found');
    }
    refused(await api.verifyEmail({ token: 'A'.repeat(43) }), 'not found');
    succeeded(await api.requestPasswordReset({ email: patient.email }));
    const reset = tokenIn(await nextMailTo(server, patient.email));
    succeeded(await api.resetPassword({ token: reset, newPassword: freshPassword() }));
    await nextMailTo(server, patient.email);
    const stored = await without.database.accounts.findOne({ _id: account.id });
    expect(stored?.emailProof?.emailKey).toBe(patient.email);
  });
});

test('an e-mail gets one link a minute, and one sender at most as many as resets', async () => {
  const api = restApi(app.url, aSender());
  const { authorization } = await somebody();
  succeeded(await api.requestEmailVerification(authorization));
  await eventually(async () => expect(await waitingMails(app)).toBe(0));
  succeeded(await api.requestEmailVerification(authorization));
  succeeded(await api.requestEmailVerification(authorization));
  refused(await api.requestEmailVerification(authorization), 'too many attempts');
});

test('a new password, a disabling and another e-mail end the links before', async () => {
  const api = restApi(app.url, aSender());
  const changed = await somebody();
  const newPassword = freshPassword();
  succeeded(
    await api.changePassword({ currentPassword: changed.password, newPassword }, changed.authorization),
  );
  await nextMailTo(server, changed.email);
  expectInvalid(await api.verifyEmail({ token: changed.link }), INVALID);

  const disabled = await somebody();
  for (const command of ['disable', 'enable']) {
    await adminOf(app, 'accounts', command, '--account', disabled.id);
  }
  expectInvalid(await api.verifyEmail({ token: disabled.link }), INVALID);

  const moved = await somebody();
  await adminOf(app, 'accounts', 'set-email', '--account', moved.id, '--to', freshEmail());
  expectInvalid(await api.verifyEmail({ token: moved.link }), INVALID);
});

test('of many confirmations with two links at once, one wins', async () => {
  const { id, email, authorization, link } = await somebody();
  testClock.move(MINUTE_MILLIS);
  succeeded(await restApi(app.url, aSender()).requestEmailVerification(authorization));
  const links = [link, tokenIn(await nextMailTo(server, email))];
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, time) =>
      restApi(app.url, aSender()).verifyEmail({ token: links[time % 2] }),
    ),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  await eventually(async () =>
    expect((await eventsOf(id, 'e-mail proof')).filter(({ outcome }) => outcome === 'success')).toHaveLength(
      1,
    ),
  );
});

test('a token of a reset proves nothing at the other endpoint, and a link sets no password', async () => {
  const api = restApi(app.url, aSender());
  const { email, link } = await somebody();
  succeeded(await api.requestPasswordReset({ email }));
  const reset = tokenIn(await nextMailTo(server, email));
  expectInvalid(await api.verifyEmail({ token: reset }), INVALID);
  refused(await api.resetPassword({ token: link, newPassword: freshPassword() }), 'validation');
});

test('a mailed reset proves the e-mail, and an operator’s proves nothing', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  const code = await resetCodeOf(app, person.email);
  const password = freshPassword();
  succeeded(await api.resetPassword({ token: code, newPassword: password }));
  await nextMailTo(server, person.email);
  const { token } = authenticated(await api.login({ email: person.email, password }));
  expect(await verifiedAt(token)).toBeNull();

  succeeded(await api.requestPasswordReset({ email: person.email }));
  const mailed = tokenIn(await nextMailTo(server, person.email));
  const newPassword = freshPassword();
  succeeded(await api.resetPassword({ token: mailed, newPassword }));
  const { token: session } = authenticated(await api.login({ email: person.email, password: newPassword }));
  expect(await verifiedAt(session)).toBe(new Date(testClock.now()).toISOString());
  expect(await eventsOf(person.id, 'password reset')).toMatchObject([
    { reason: null },
    { reason: 'the e-mail is proven' },
  ]);
  const notice = await nextMailTo(server, person.email);
  expect(notice.text).not.toContain('If this account is not yours');
  // The second reset keeps the time of the first.
  const at = (await storedOf(person.id))?.emailProof?.at;
  testClock.move(MINUTE_MILLIS);
  succeeded(await api.requestPasswordReset({ email: person.email }));
  const second = tokenIn(await nextMailTo(server, person.email));
  succeeded(await api.resetPassword({ token: second, newPassword: freshPassword() }));
  await nextMailTo(server, person.email);
  expect((await storedOf(person.id))?.emailProof?.at).toEqual(at);
});

test('a registration is answered byte for byte as without the links, and a doctor gets a link, too', async () => {
  const patient = aPatient();
  const here = await restApi(app.url, aSender()).registerPatient(patient);
  const there = await restApi(without.url).registerPatient(patient);
  const shape = ({ http }: typeof here) =>
    http.text.replace(/"(id|token|created_at|updated_at)":"[^"]+"/g, '"$1":""');
  expect(shape(here)).toBe(shape(there));
  await nextMailTo(server, patient.email);
  const doctor = aDoctor();
  registeredDoctor(await restApi(app.url).registerDoctor(doctor));
  expect((await nextMailTo(server, doctor.email)).subject).toBe('Confirm your e-mail address');
});

test('every other writer of the e-mail ends the proof, and a proof that is damaged is none', async () => {
  const { id, session, link } = await somebody();
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: link }));
  const stored = await storedOf(id);
  const proof = { emailProof: stored?.emailProof };
  for (const damage of [
    { emailKey: freshEmail() },
    { emailProof: null },
    { emailProof: 'yes' },
    { emailProof: { emailKey: stored?.emailKey } },
    { emailProof: { emailKey: stored?.emailKey, at: 'today' } },
  ]) {
    await app.database.accounts.updateOne({ _id: id }, { $set: damage as object });
    expect(await verifiedAt(session)).toBeNull();
    await app.database.accounts.updateOne(
      { _id: id },
      { $set: { emailKey: stored?.emailKey, ...proof } as object },
    );
    expect(await verifiedAt(session)).toEqual(expect.any(String));
  }
  // Not even if the e-mail comes back.
  for (const to of [freshEmail(), stored?.email ?? '']) {
    await adminOf(app, 'accounts', 'set-email', '--account', id, '--to', to);
    expect(await verifiedAt(session)).toBeNull();
  }
});

test('services and proxies learn whether the e-mail is proven', async () => {
  const { session, link } = await somebody();
  const pass = async () =>
    (await send(`${app.url}/forward-auth?email_verified=true`, { headers: bearer(session) })).status;
  expect(await introspect(app.url, session)).toMatchObject({ active: true, email_verified: false });
  expect(await pass()).toBe(403);
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: link }));
  expect(await introspect(app.url, session)).toMatchObject({ active: true, email_verified: true });
  expect(await pass()).toBe(204);
  const wrong = await send(`${app.url}/forward-auth?email_verified=yes`, { headers: bearer(session) });
  expect(wrong.status).toBe(400);
});

test('a GET of the link and of the endpoints changes nothing', async () => {
  const { id, link, mail } = await somebody();
  expect(mail.text).toContain(`https://app.example.org/confirm?token=${link}`);
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
    for (const path of [`verify-email?token=${link}`, 'email/verification-notification']) {
      const { status } = await send(`${app.url}/api/v1/auth/${path}`, { method });
      expect([404, 405]).toContain(status);
    }
  }
  const { status, headers } = await send(`${app.url}/api/v1/auth/verify-email?token=${link}`);
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  const query = encodeURIComponent(`mutation{verifyEmail(token:"${link}"){message}}`);
  await send(`${app.url}/graphql?query=${query}`, { headers: { 'Apollo-Require-Preflight': 'true' } });
  expect((await storedOf(id))?.emailProof).toBeUndefined();
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: link }));
});

test('REST takes a form, and refuses that of another site', async () => {
  const { link } = await somebody();
  const url = `${app.url}/api/v1/auth/verify-email`;
  const body = new URLSearchParams({ token: link });
  const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
  expect((await send(url, { method: 'POST', headers: foreign, body })).status).toBe(403);
  const proven = await send(url, { method: 'POST', body });
  expect([proven.status, proven.text]).toEqual([200, '{"status":"email-verified"}']);
});

test('no database and no log has a token, and unknown ones are answered alike', async () => {
  const { link } = await somebody();
  for (const { collectionName } of await app.database.db.collections()) {
    const records = await app.database.db.collection(collectionName).find().toArray();
    expect(JSON.stringify(records)).not.toContain(link);
  }
  const url = `${app.url}/api/v1/auth/verify-email`;
  const answers = [];
  for (const token of ['x', 'A'.repeat(43)]) {
    answers.push(comparable(await sendJson(url, { token }, aSender())));
  }
  expect(answers[0]).toEqual(answers[1]);
});

test('an operator sees the proof, and can have the link mailed but not prove anything', async () => {
  const { id, email, link } = await somebody();
  const show = async () => (await adminOf(app, 'accounts', 'show', '--account', id, '--json')).json;
  expect(await show()).toMatchObject([{ emailVerifiedAt: null }]);
  const stderr = expect.stringContaining('EMAIL_VERIFICATION_URL');
  const without = await adminOf(app, 'accounts', 'verify-email', '--account', id);
  expect(without).toMatchObject({ code: 1, stderr });
  const settings = { MONGODB_URI: app.database.uri, ...emailLinkSettings(server.url) };
  testClock.move(2 * MINUTE_MILLIS);
  const done = await admin(settings, 'accounts', 'verify-email', '--account', id, '--json');
  expect(done.json).toEqual([{ id, email, isOrdered: true }]);
  expect(await show()).toMatchObject([{ emailVerifiedAt: null }]);
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: link }));
  expect(await show()).toMatchObject([{ emailVerifiedAt: expect.any(String) }]);
  const again = await admin(settings, 'accounts', 'verify-email', '--account', id, '--json');
  expect(again.json).toEqual([{ id, email, isOrdered: false }]);
  expect(await eventsOf(id, 'e-mail proof request')).toMatchObject([
    { outcome: 'failure' },
    { outcome: 'success' },
    { outcome: 'failure', reason: 'proven already' },
  ]);
  await nextMails(server, 0);
});

test('the export has the proof and the links', async () => {
  const { session, link } = await somebody();
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: link }));
  const query = '{ exportMyData { account { emailVerifiedAt } emailLinks { newEmail expiresAt } } }';
  const http = await sendJson(`${app.url}/graphql`, { query }, bearer(session));
  expect(jsonOf(http)).toEqual({
    data: { exportMyData: { account: { emailVerifiedAt: expect.any(String) }, emailLinks: [] } },
  });
});

// The last one: operators' commands have the real time, so no token of theirs is valid after this.
test('a link is valid for a day', async () => {
  const [early, late] = [await somebody(), await somebody()];
  testClock.move(DAY_MILLIS - 2 * LONGEST_HOLD_MILLIS);
  succeeded(await restApi(app.url, aSender()).verifyEmail({ token: early.link }));
  testClock.move(2 * LONGEST_HOLD_MILLIS);
  expectInvalid(await restApi(app.url, aSender()).verifyEmail({ token: late.link }), INVALID);
});
