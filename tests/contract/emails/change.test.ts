import { type ApiOf, throughEachApi } from '../../support/apis.ts';
import { named } from '../../support/database-messages.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import {
  emailLinkSettings,
  nextMails,
  nextMailTo,
  tokenIn,
  waitingMails,
} from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { comparable, send, sendJson } from '../../support/http.ts';
import { adminOf } from '../../support/operators.ts';
import { aPatient, aSender, freshEmail, freshPassword } from '../../support/people.ts';
import { deleteAccount, exportData, trailOf } from '../../support/privacy.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { type ReceivedMail, type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, letMailsBeSent, type TestApp, testClock } from '../../support/test-app.ts';

let server: SmtpTestServer;
let proxy: DatabaseProxy;
let app: TestApp;

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;
const INVALID = { token: ['This e-mail verification token is invalid.'] };

beforeAll(async () => {
  server = await startSmtpServer();
  proxy = await startDatabaseProxy();
  const settings = {
    RATE_LIMIT: 'on',
    RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '50',
    TRUST_PROXY: 'loopback',
  };
  app = await createTestApp({ ...emailLinkSettings(server.url), ...settings }, proxy.through);
});
afterAll(async () => {
  await proxy.restore();
  await app.stop();
  await proxy.stop();
  await server.stop();
});

/** A new patient whose e-mail is proven, unless the mail of the registration is left alone. */
async function somebody({ isProven = true } = {}) {
  const patient = aPatient({ name: 'Win a prize at evil.example' });
  const api = restApi(app.url, aSender());
  const { account, token } = authenticated(await api.registerPatient(patient));
  const link = tokenIn(await nextMailTo(server, patient.email));
  if (isProven) {
    succeeded(await api.verifyEmail({ token: link }));
  }
  return { ...patient, id: account.id, session: token, authorization: `Bearer ${token}`, link };
}

type Person = Awaited<ReturnType<typeof somebody>>;

/** Asks for another e-mail. */
const changeTo = (api: ReturnType<ApiOf>, { authorization, password }: Person, email = freshEmail()) =>
  api.changeEmail({ email, password }, authorization);

/** Asks for another e-mail. @returns the mails to both addresses, by recipient */
async function ask(api: ReturnType<ApiOf>, person: Person, email: string) {
  succeeded(await changeTo(api, person, email));
  return nextMails(server, 2);
}

/** Asks for another e-mail. @returns the token in the mail to it */
async function linkTo(api: ReturnType<ApiOf>, person: Person, email: string): Promise<string> {
  return tokenIn((await ask(api, person, email)).get(email) as ReceivedMail);
}

const storedOf = (_id: string) => app.database.accounts.findOne({ _id });
const waiting = (order: object = {}) => waitingMails(app, order);

/** Waits until every mail is sent or dropped. */
async function allSent(): Promise<void> {
  await letMailsBeSent();
  await eventually(async () => expect(await waiting()).toBe(0));
}

throughEachApi((apiOf) => {
  test('the link to the new e-mail changes it and proves it, and both addresses hear of the request', async () => {
    const api = apiOf(app.url, aSender());
    const person = await somebody();
    const email = freshEmail();
    const code = await resetCodeOf(app, person.email);
    const mails = await ask(api, person, email);
    const [link, notice] = [mails.get(email), mails.get(person.email)];
    expect(link?.subject).toBe('Confirm your new e-mail address');
    expect(notice?.subject).toBe('A new e-mail address for your account');
    expect(notice?.text).toContain('choose a new password at once: that stops the change');
    for (const mail of [link, notice]) {
      expect(mail?.raw).not.toContain('prize');
    }
    expect(notice?.raw).not.toContain(email);
    expect(link?.raw).not.toContain(person.email);
    const token = tokenIn(link as ReceivedMail);
    const before = await storedOf(person.id);
    expect(before?.email).toBe(person.email);
    testClock.move(1_000);

    succeeded(await api.verifyEmail({ token }));
    const at = new Date(testClock.now());
    const after = await storedOf(person.id);
    expect(after).toMatchObject({
      email,
      emailKey: email,
      updatedAt: at,
      emailProof: { emailKey: email, at },
    });
    expect(after).not.toHaveProperty('knownPlaces');
    expect(after).not.toHaveProperty('emailChange');
    expect(after?.passwordHash).toBe(before?.passwordHash);
    expect(await accountOf(app.url, person.session)).toMatchObject({
      email,
      emailVerifiedAt: at.toISOString(),
    });
    refused(await api.login({ email: person.email, password: person.password }), 'credentials');
    authenticated(await api.login({ email, password: person.password }));
    const done = await nextMailTo(server, person.email);
    expect(done.subject).toBe('Your e-mail address was changed');
    expectInvalid(await api.verifyEmail({ token }), INVALID);
    refused(await api.resetPassword({ token: code, newPassword: freshPassword() }), 'validation');
    const events = await trailOf(app, { accountId: person.id, act: /^e-mail change/, outcome: 'success' });
    expect(events.map(({ act }) => act)).toEqual(['e-mail change request', 'e-mail change']);
  });

  test('a taken e-mail gets the same answer, its owner a mail, one a day, and nobody a link', async () => {
    const api = apiOf(app.url, aSender());
    const [person, owner] = [await somebody(), await somebody()];
    const free = await changeTo(api, person);
    await nextMails(server, 2);
    const taken = await changeTo(api, person, owner.email.toUpperCase());
    expect(succeeded(taken).http.status).toBe(apiOf === restApi ? 202 : 200);
    expect(comparable(taken.http)).toEqual(comparable(free.http));
    expect((await nextMailTo(server, person.email)).subject).toBe('A new e-mail address for your account');
    // It is ordered when the link would have been written.
    await eventually(async () => expect(await waiting({ 'order.kind': 'e-mail in use' })).toBe(1));
    const told = await nextMailTo(server, owner.email);
    expect(told.subject).toBe('You have an account already');
    expect(told.text).not.toMatch(/confirm\?token/);
    testClock.move(2 * MINUTE_MILLIS);
    succeeded(await changeTo(api, person, owner.email));
    await nextMailTo(server, person.email);
    await allSent();
    expect(server.mails.filter(({ recipients }) => recipients.includes(owner.email))).toHaveLength(2);
    expect((await storedOf(person.id))?.email).toBe(person.email);
    // Nor does an export say that the e-mail is taken.
    const { data } = await exportData(app.url, person.session);
    expect(data.emailLinks).toHaveLength(3);
    expect(data.emailLinks).toEqual(
      expect.arrayContaining([{ newEmail: owner.email, expiresAt: expect.any(String) }]),
    );
  });

  test('a wrong password counts as a failed login, and the present e-mail is refused in any spelling', async () => {
    const api = apiOf(app.url, aSender());
    const person = await somebody();
    const { email, authorization, password } = person;
    for (const same of [email, email.toUpperCase()]) {
      expectInvalid(await api.changeEmail({ email: same, password }, authorization), {
        email: ['The email field and the current email must be different.'],
      });
    }
    const wrong = { email: freshEmail(), password: freshPassword() };
    let outcome = await api.changeEmail(wrong, authorization);
    expectInvalid(outcome, { password: ['The password is incorrect.'] });
    for (let time = 0; time < 10 && !outcome.ok && outcome.kind === 'validation'; time += 1) {
      outcome = await api.changeEmail(wrong, authorization);
    }
    refused(outcome, 'too many attempts');
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(await storedOf(person.id)).not.toHaveProperty('emailChange');
    testClock.move(MINUTE_MILLIS);
  });

  test('what is no new e-mail is refused', async () => {
    const api = apiOf(app.url, aSender());
    const { authorization, password } = await somebody();
    const text = 'The email field must be a valid email address.';
    for (const email of ['nobody', 'a@example.org\r\nBcc: b@example.org', 'a@exаmple.org']) {
      expectInvalid(await api.changeEmail({ email, password }, authorization), { email: [text] });
    }
    for (const wrong of [{ email: `${'a'.repeat(300)}@a.org` }, { email: ['a@a.org'] }, { password: {} }]) {
      const fields = { email: freshEmail(), password, ...wrong };
      refused(await api.changeEmail(fields, authorization), 'validation');
    }
    for (const wrong of [undefined, 'Bearer nobody']) {
      refused(await api.changeEmail({ email: freshEmail(), password }, wrong), 'unauthenticated');
    }
    await eventually(async () => expect(await waiting()).toBe(0));
  });
});

test('one change is pending: a later request ends the link of the one before, and the same again does not', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  const [first, second] = [freshEmail(), freshEmail()];
  const former = await linkTo(api, person, first);
  const link = await linkTo(api, person, second);
  expectInvalid(await api.verifyEmail({ token: former }), INVALID);
  testClock.move(2 * MINUTE_MILLIS);
  const again = await linkTo(api, person, second);
  succeeded(await api.verifyEmail({ token: link }));
  await nextMailTo(server, person.email);
  expectInvalid(await api.verifyEmail({ token: again }), INVALID);
  expect((await storedOf(person.id))?.email).toBe(second);
});

test('a new password, a disabling, a closing and an operator’s e-mail end a pending change', async () => {
  const api = restApi(app.url, aSender());
  const acts: ((person: Person) => Promise<unknown>)[] = [
    async ({ authorization, password, email }) => {
      const change = { currentPassword: password, newPassword: freshPassword() };
      succeeded(await api.changePassword(change, authorization));
      await nextMailTo(server, email);
    },
    ({ id }) => adminOf(app, 'accounts', 'disable', '--account', id),
    async ({ session, password, email }) => {
      await deleteAccount(app.url, session, password);
      await nextMailTo(server, email);
    },
    ({ id }) => adminOf(app, 'accounts', 'set-email', '--account', id, '--to', freshEmail()),
  ];
  for (const act of acts) {
    const person = await somebody();
    const token = await linkTo(api, person, freshEmail());
    await act(person);
    expect(await storedOf(person.id)).not.toHaveProperty('emailChange');
    await adminOf(app, 'accounts', 'enable', '--account', person.id);
    expectInvalid(await api.verifyEmail({ token }), INVALID);
    expect(await app.database.db.collection('email_proofs').countDocuments({ accountId: person.id })).toBe(0);
  }
});

test('a link that waits to be mailed when a new password comes is never sent', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  const email = freshEmail();
  succeeded(await changeTo(api, person, email));
  const change = { currentPassword: person.password, newPassword: freshPassword() };
  succeeded(await api.changePassword(change, person.authorization));
  await nextMails(server, 2);
  await allSent();
  expect(server.mails.flatMap(({ recipients }) => recipients)).not.toContain(email);
});

test('of two accounts that change to one e-mail, one wins, whatever the order of the links', async () => {
  const api = restApi(app.url, aSender());
  const people = [await somebody(), await somebody()];
  const email = freshEmail();
  const links: string[] = [];
  for (const person of people) {
    links.push(await linkTo(api, person, email));
    testClock.move(2 * MINUTE_MILLIS);
  }
  const write = proxy.hold(named('update accounts'));
  const confirmations = links.map((token) => api.verifyEmail({ token }));
  await write.arrived(2);
  write.release();
  const outcomes = await Promise.all(confirmations);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expectInvalid(outcomes.find(({ ok }) => !ok) as (typeof outcomes)[number], INVALID);
  expect(await app.database.accounts.countDocuments({ emailKey: email })).toBe(1);
  await nextMails(server, 1);
});

test('of many confirmations of one change at once, one wins', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  const token = await linkTo(api, person, freshEmail());
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => api.verifyEmail({ token })));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  await nextMailTo(server, person.email);
});

test('if the switch is lost, the account is as before and the link still works', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  const email = freshEmail();
  const token = await linkTo(api, person, email);
  const before = await storedOf(person.id);
  const broken = proxy.breakAt({ command: named('update accounts'), when: 'before' }, 'cut all');
  const stopClock = testClock.run();
  const outcome = await api.verifyEmail({ token }).finally(stopClock);
  await broken;
  expect(outcome.ok).toBe(false);
  await proxy.restore();
  expect(await storedOf(person.id)).toEqual(before);
  succeeded(await api.verifyEmail({ token }));
  expect((await storedOf(person.id))?.email).toBe(email);
  await nextMailTo(server, person.email);
});

test('an account may ask for ten changes a day, and every one of them is told to the present e-mail', async () => {
  const api = restApi(app.url, aSender());
  const person = await somebody();
  for (let time = 0; time < 10; time += 1) {
    succeeded(await changeTo(restApi(app.url, aSender()), person));
  }
  refused(await changeTo(api, person), 'too many attempts');
  const orders = { 'order.kind': 'e-mail change requested', 'order.to.email': person.email };
  expect(await app.database.db.collection('outgoing_mails').countDocuments(orders)).toBe(10);
  await app.database.db.collection('outgoing_mails').deleteMany({});
  testClock.move(DAY_MILLIS);
  succeeded(await changeTo(api, person));
  await nextMails(server, 2);
});

test('one address gets one link a minute, whoever asks', async () => {
  const api = restApi(app.url, aSender());
  const [one, other] = [await somebody(), await somebody()];
  const email = freshEmail();
  const link = await linkTo(api, one, email);
  succeeded(await changeTo(restApi(app.url, aSender()), other, email));
  await nextMailTo(server, other.email);
  await allSent();
  expect(server.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(1);
  succeeded(await api.verifyEmail({ token: link }));
  await nextMailTo(server, one.email);
});

test('the mails to an e-mail that is not proven say what to do for somebody who did not register', async () => {
  const person = await somebody({ isProven: false });
  const api = restApi(app.url, aSender());
  const mails = await ask(api, person, freshEmail());
  expect(mails.get(person.email)?.text).toContain('If this account is not yours');
  const change = { currentPassword: person.password, newPassword: freshPassword() };
  succeeded(await api.changePassword(change, person.authorization));
  expect((await nextMailTo(server, person.email)).text).toContain('If this account is not yours');
});

test('a registration succeeds even if its mail cannot be ordered', async () => {
  const broken = proxy.breakAt({ command: named('update outgoing_mails'), when: 'before' }, 'cut');
  const api = restApi(app.url, aSender());
  const patient = aPatient();
  const registered = authenticated(await api.registerPatient(patient));
  await broken;
  const failure = 'the mail to prove the e-mail of a new account was not ordered';
  expect(app.log.filter((line) => line.includes(failure))).toHaveLength(1);
  succeeded(await api.requestEmailVerification(`Bearer ${registered.token}`));
  tokenIn(await nextMailTo(server, patient.email));
});

test('the export shows the new e-mail of a pending change, and nobody else’s', async () => {
  const person = await somebody();
  const email = freshEmail();
  await linkTo(restApi(app.url, aSender()), person, email);
  const { data } = await exportData(app.url, person.session);
  expect(data.emailLinks).toEqual([{ newEmail: email, expiresAt: expect.any(String) }]);
  await adminOf(app, 'accounts', 'erase', '--account', person.id, '--now', '--yes');
  for (const { collectionName } of await app.database.db.collections()) {
    const records = await app.database.db.collection(collectionName).find().toArray();
    expect(JSON.stringify(records)).not.toContain(email);
  }
});

describe('the endpoint of REST', () => {
  const url = () => `${app.url}/api/v1/auth/user/email`;

  test('answers 202, refuses other methods and forms of other sites, and a caller without a token hears only that', async () => {
    const person = await somebody();
    const headers = bearer(person.session);
    const broken = await sendJson(url(), '{', {}, 'PUT');
    expect(broken.status).toBe(401);
    expect(comparable(broken)).toEqual(comparable(await sendJson(url(), {}, bearer('nobody'), 'PUT')));
    const get = await send(url(), { headers });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'PUT']);
    const body = new URLSearchParams({ email: freshEmail(), password: person.password });
    const foreign = { ...headers, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    expect((await send(url(), { method: 'PUT', headers: foreign, body })).status).toBe(403);
    const asked = await send(url(), { method: 'PUT', headers, body });
    expect([asked.status, asked.text]).toEqual([202, '{"status":"verification-link-sent"}']);
    await nextMails(server, 2);
  });
});
