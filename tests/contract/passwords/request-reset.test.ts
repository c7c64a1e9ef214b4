import { LONGEST_HOLD_MILLIS } from '../../../src/mail/outbox.ts';
import { emailDigest } from '../../../src/stores/email-key.ts';
import { throughEachApi } from '../../support/apis.ts';
import { useMailedApp } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aPatient, aSender, freshEmail, freshPassword } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import type { ReceivedMail } from '../../support/smtp-server.ts';
import { testClock } from '../../support/test-app.ts';

const MINUTE_MILLIS = 60_000;
const limits = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '3',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '8',
  TRUST_PROXY: 'loopback',
};
const { app, server } = useMailedApp((url) => ({ ...mailSettings(url), ...limits }));

async function somebody() {
  const patient = aPatient({ name: 'Win a prize at evil.example' });
  const { account, token } = authenticated(await restApi(app.url, aSender()).registerPatient(patient));
  return { ...patient, id: account.id, session: token };
}

/** The mail that the last request has ordered: it waits for a moment before it is sent. */
async function nextMail(): Promise<ReceivedMail> {
  await testClock.advance(LONGEST_HOLD_MILLIS);
  return server.nextMail();
}

/** How many mails are still to be sent. */
const waiting = () =>
  app.database.db.collection('outgoing_mails').countDocuments({ order: { $exists: true } });

/** The token in the link of a mail. */
function tokenIn({ text, html }: ReceivedMail): string {
  const [, token = ''] = /https:\/\/app\.example\.org\/reset#token=([\w-]{43})\b/.exec(text) ?? [];
  expect(html).toContain(token);
  rememberPassword(token);
  return token;
}

throughEachApi((apiOf) => {
  test('a forgotten password is reset with the link of a mail, and a second mail says so', async () => {
    const api = apiOf(app.url, aSender());
    const { email, password, session } = await somebody();
    const asked = succeeded(await api.requestPasswordReset({ email: email.toUpperCase() }));
    expect(asked.message).toBe('We have emailed your password reset link.');
    const link = await nextMail();
    expect(link).toMatchObject({ recipients: [email], subject: 'Choose a new password' });
    expect(link.raw).not.toContain('prize');
    const token = tokenIn(link);

    const newPassword = freshPassword();
    succeeded(await api.resetPassword({ token, newPassword }));
    expect(await accountOf(app.url, session)).toBeUndefined();
    refused(await api.login({ email, password }), 'credentials');
    const { token: current } = authenticated(await api.login({ email, password: newPassword }));
    const notice = await nextMail();
    expect(notice).toMatchObject({ recipients: [email], subject: 'Your password was changed' });
    expect(notice.text).toMatch(/was changed on \d+ \w+ \d{4} at \d\d:\d\d UTC/);
    expect(notice.raw).not.toContain(token);

    const change = { currentPassword: newPassword, newPassword: password };
    succeeded(await api.changePassword(change, `Bearer ${current}`));
    expect((await nextMail()).subject).toBe('Your password was changed');
    expect(app.log.join('')).not.toContain(email);
  });
});

test('the answer is the same for an unknown e-mail and a disabled account, and they get no mail', async () => {
  const api = restApi(app.url, aSender());
  const [known, disabled] = [await somebody(), await somebody()];
  await app.database.accounts.updateOne({ _id: disabled.id }, { $set: { disabledAt: new Date() } });
  const answers = [];
  for (const email of [freshEmail(), disabled.email, known.email]) {
    answers.push(comparable((await api.requestPasswordReset({ email })).http));
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect((await nextMail()).recipients).toEqual([known.email]);
  await eventually(async () => expect(await waiting()).toBe(0));
  expect(server.mails.flatMap(({ recipients }) => recipients)).not.toContain(disabled.email);
});

test('an e-mail gets one mail a minute, and every request the same answer', async () => {
  const api = restApi(app.url, aSender());
  const { email } = await somebody();
  const first = succeeded(await api.requestPasswordReset({ email }));
  tokenIn(await nextMail());
  await eventually(async () => expect(await waiting()).toBe(0));
  const second = succeeded(await api.requestPasswordReset({ email: email.toUpperCase() }));
  expect(comparable(second.http)).toEqual(comparable(first.http));
  expect(await waiting()).toBe(0);
  testClock.move(MINUTE_MILLIS + 1);
  succeeded(await api.requestPasswordReset({ email }));
  tokenIn(await nextMail());
  expect(server.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(2);
});

test('requests count with the failed logins of their sender, not with those of the e-mail', async () => {
  const sender = aSender();
  const api = restApi(app.url, sender);
  const patient = await somebody();
  for (let time = 0; time < 7; time += 1) {
    succeeded(await api.requestPasswordReset({ email: freshEmail() }));
  }
  refused(await api.login({ email: freshEmail(), password: freshPassword() }), 'credentials');
  refused(await api.requestPasswordReset({ email: patient.email }), 'too many attempts');
  refused(await api.login({ email: freshEmail(), password: freshPassword() }), 'too many attempts');
  const elsewhere = restApi(app.url, aSender());
  authenticated(await elsewhere.login(patient));
  testClock.move(MINUTE_MILLIS);
});

test('one sender cannot fill a mailbox, and its owner asks from another place', async () => {
  const sender = aSender();
  const email = freshEmail();
  for (let time = 0; time < 3; time += 1) {
    succeeded(await restApi(app.url, sender).requestPasswordReset({ email: email.toUpperCase() }));
  }
  refused(await restApi(app.url, sender).requestPasswordReset({ email }), 'too many attempts');
  succeeded(await restApi(app.url, sender).requestPasswordReset({ email: freshEmail() }));
  succeeded(await restApi(app.url, aSender()).requestPasswordReset({ email }));
  testClock.move(MINUTE_MILLIS);
});

test('a mail is in the language of its reader, not in that of the request', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url, { ...aSender(), 'Accept-Language': 'de' }).registerPatient(patient));
  const stranger = restApi(app.url, { ...aSender(), 'Accept-Language': 'en' });
  succeeded(await stranger.requestPasswordReset({ email: patient.email }));
  const link = await nextMail();
  expect(link).toMatchObject({ recipients: [patient.email], subject: 'Wählen Sie ein neues Passwort' });
  expect(link.html).toContain('<html lang="de" dir="ltr">');
  const token = tokenIn(link);
  expect(link.text).toBe(
    [
      `Jemand hat für Ihr Konto bei Clinic (app.example.org) ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie eines über diesen Link, der einmal und 60 Minuten lang funktioniert.\nNeues Passwort wählen:\nhttps://app.example.org/reset#token=${token}`,
      '-'.repeat(40),
      'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
      'Wenn dieses Konto nicht Ihres ist, hat jemand Ihre E-Mail-Adresse benutzt: Wählen Sie über den Link oben ein neues Passwort, das den Zugang aller anderen beendet, und schließen Sie das Konto.',
    ].join('\n\n'),
  );
  succeeded(await stranger.resetPassword({ token, newPassword: freshPassword() }));
  const notice = await nextMail();
  expect(notice.subject).toBe('Ihr Passwort wurde geändert');
  expect(notice.text).toMatch(/ wurde am \d+\. \S+ \d{4} um \d\d:\d\d UTC geändert\./);

  // A reader without a language gets MAIL_LANGUAGE.
  const { email } = await somebody();
  succeeded(
    await restApi(app.url, { ...aSender(), 'Accept-Language': 'de' }).requestPasswordReset({ email }),
  );
  expect((await nextMail()).subject).toBe('Choose a new password');
});

test('an e-mail that is none is refused', async () => {
  const api = restApi(app.url, aSender());
  const text = 'The email field must be a valid email address.';
  expectInvalid(await api.requestPasswordReset({ email: 'nobody' }), { email: [text] });
  expectInvalid(await api.requestPasswordReset({ email: 'a@example.org\r\nBcc: b@example.org' }), {
    email: [text],
  });
  expectInvalid(await api.requestPasswordReset({ email: '' }), {
    email: ['The email field is required.'],
  });
  refused(await api.requestPasswordReset({ email: ['a@example.org'] }), 'validation');
});

test('the audit trail has requests with the digest of the e-mail alone, and the database no token', async () => {
  const { email } = await somebody();
  succeeded(await restApi(app.url, aSender()).requestPasswordReset({ email }));
  const token = tokenIn(await nextMail());
  const events = await auditEvents(app)
    .find({ act: 'password reset request', emailDigest: emailDigest(email) })
    .toArray();
  expect(events).toMatchObject([{ outcome: 'success', accountId: null }]);
  for (const { collectionName } of await app.database.db.collections()) {
    const records = await app.database.db.collection(collectionName).find().toArray();
    expect(JSON.stringify(records)).not.toContain(token);
  }
});
