import {
  emailLinkSettings,
  nextMails,
  nextMailTo,
  tokenIn,
  useMailedApp,
} from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { registeredDoctor, succeeded } from '../../support/expectations.ts';
import { aDoctor, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  aStoredPerson,
  byRest,
  codeAt,
  done,
  enrol,
  nextCode,
  type Perform,
  TEXTS,
  TWO_FACTOR,
  throughEach,
  wrongCode,
} from '../../support/second-factor.ts';
import { accountOf } from '../../support/session.ts';
import { testClock } from '../../support/test-app.ts';

const HOUR_MILLIS = 3_600_000;
const GRACE_MILLIS = 604_800_000;
const UNPROVEN = { email: ['Your email address is not verified.'] };

const { app, server } = useMailedApp((url) => ({
  ...{ ...TWO_FACTOR, ...emailLinkSettings(url), TWO_FACTOR_REQUIRED: 'doctor' },
  ...{ TWO_FACTOR_ISSUER: 'St. Mary', RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: 'off' },
}));

/** The subject of the next mail to an e-mail, which tells its owner what happened and has no secret. */
async function nextSubject(email: string, ...secrets: string[]): Promise<string> {
  const { subject, raw, text } = await nextMailTo(server, email);
  for (const secret of secrets) {
    expect(raw).not.toContain(secret);
  }
  expect(text).toContain('app.example.org');
  return subject;
}

/** Moves the clock when no mail is being sent: one whose end is not stored yet would be sent again. */
async function move(millis: number): Promise<void> {
  const mails = app.database.db.collection('outgoing_mails');
  await eventually(async () => expect(await mails.countDocuments({ claim: { $exists: true } })).toBe(0));
  testClock.move(millis);
}

const act: Perform = (...words) => byRest(app.url)(...words);

throughEach((performAt) => {
  test('an enrolment needs a proven e-mail, and a login that the policy refuses can ask for a link', async () => {
    const doctor = aDoctor();
    const { account, token } = registeredDoctor(await restApi(app.url).registerDoctor(doctor));
    const { email, password } = doctor;
    await nextMailTo(server, email);
    expect((await performAt(app.url)('enableTwoFactor', { password }, token)).errors).toEqual(UNPROVEN);
    await move(GRACE_MILLIS);
    const { challenge } = await performAt(app.url)('login', { email, password });
    expect((await performAt(app.url)('enableTwoFactor', { password, challenge })).errors).toEqual(UNPROVEN);
    const none = await performAt(app.url)('requestEmailVerification', { challenge: 'none' });
    expect(none.errors).toEqual({ challenge: [TEXTS.challenge] });
    done(await performAt(app.url)('requestEmailVerification', { challenge }));
    const link = tokenIn(await nextMailTo(server, email));
    succeeded(await restApi(app.url).verifyEmail({ token: link }));
    const { url, secretKey } = done<{ url: string; secretKey: string }>(
      await performAt(app.url)('enableTwoFactor', { password, challenge }),
    );
    expect(decodeURIComponent(url)).toContain(`totp/St. Mary:${email}`);
    const confirmed = done<{ token: string }>(
      await performAt(app.url)('confirmTwoFactor', { challenge, code: codeAt(secretKey) }),
    );
    expect(await accountOf(app.url, confirmed.token)).toMatchObject({ id: account.id });
    expect(await nextSubject(email, secretKey)).toBe('Two-factor authentication is on');
    // The challenge is used up with that.
    const again = await performAt(app.url)('requestEmailVerification', { challenge });
    expect(again.errors).toEqual({ challenge: [TEXTS.challenge] });
  });
});

test('the owner hears of everything that happens to a second factor', async () => {
  const person = await aStoredPerson(app.database);
  const { email, password } = person;
  const first = await enrol(app.url, person);
  const { secretKey, recoveryCodes } = first;
  const secrets = [secretKey, ...recoveryCodes];
  expect(await nextSubject(email, ...secrets)).toBe('Two-factor authentication is on');

  const wrong = () => act('login', { email, password, code: wrongCode(secretKey) });
  await wrong();
  await wrong();
  await wrong();
  expect(await nextSubject(email, ...secrets)).toBe('Wrong codes at your account');
  await wrong();

  for (const [index, recoveryCode] of recoveryCodes.slice(0, 8).entries()) {
    const fields = { email, password, recoveryCode };
    // One mailbox gets seven notices an hour.
    await move(HOUR_MILLIS);
    done(await act('login', fields));
    // The eighth leaves two, and orders a second mail.
    const mails = await nextMailsTo(email, index === 7 ? 2 : 1);
    expect(mails.map(({ subject }) => subject).sort()).toEqual(
      index === 7
        ? ['A recovery code was used', 'You have few recovery codes left']
        : ['A recovery code was used'],
    );
    expect(mails.some(({ text }) => text.includes(`Codes left: ${9 - index}.`))).toBe(true);
  }

  const renewal = () => ({ password, code: codeAt(secretKey) });
  await move(HOUR_MILLIS);
  done(await act('renewRecoveryCodes', renewal(), first.token));
  expect(await nextSubject(email, ...secrets)).toBe('New recovery codes');
  nextCode();

  const second = await enrol(app.url, { password, token: first.token }, { code: codeAt(secretKey) });
  expect(await nextSubject(email, second.secretKey)).toBe('Your authenticator app was replaced');
  const removal = { password, code: codeAt(second.secretKey) };
  done(await act('disableTwoFactor', removal, second.token));
  expect(await nextSubject(email)).toBe('Two-factor authentication is off');
});

test('a change of the e-mail asks for a code, and a login challenge is no setup challenge', async () => {
  const person = await aStoredPerson(app.database);
  const { password, email } = person;
  const { secretKey, token } = await enrol(app.url, person);
  await nextMailTo(server, email);
  const own = freshEmail();
  const change = (proof: object) => act('changeEmail', { email: own, password, ...proof }, token);
  expect((await change({})).errors).toEqual({ code: [TEXTS.required] });
  expect((await change({ code: wrongCode(secretKey) })).errors).toEqual({ code: [TEXTS.wrong] });
  const { challenge } = await act('login', { email, password });
  for (const name of ['enableTwoFactor', 'confirmTwoFactor', 'requestEmailVerification'] as const) {
    const fields = {
      enableTwoFactor: { password, challenge },
      confirmTwoFactor: { code: codeAt(secretKey), challenge },
      requestEmailVerification: { challenge },
    };
    expect((await act(name, fields[name])).errors).toEqual({ challenge: [TEXTS.challenge] });
  }
  done(await change({ code: codeAt(secretKey) }));
  expect([...(await nextMails(server, 2)).keys()].sort()).toEqual([email, own].sort());
});

test('after a hundred wrong codes in a row the password opens nothing, until a mailed link sets a new one', async () => {
  const person = await aStoredPerson(app.database);
  const { id, email, password } = person;
  const { secretKey, recoveryCodes, token } = await enrol(app.url, person);
  await nextMailTo(server, email);
  const login = (proof: object, chosen = password) => act('login', { email, password: chosen, ...proof });
  await app.database.db
    .collection('factors')
    .updateOne({ accountId: id, kind: 'app' }, { $set: { wrong: 99, wrongSince: await changeOf(id) } });
  expect(await login({ recoveryCode: 'none' })).toMatchObject({ message: TEXTS.wrongRecovery });
  const blocked = { ok: false, errors: { password: [TEXTS.blocked] }, challenge: undefined };
  for (const proof of [{}, { code: codeAt(secretKey) }, { recoveryCode: recoveryCodes[0] }]) {
    expect(await login(proof)).toMatchObject(blocked);
  }
  const fields = { currentPassword: password, newPassword: freshPassword(), code: codeAt(secretKey) };
  expect(await act('changePassword', fields, token)).toMatchObject(blocked);
  // Whoever does not know the password hears nothing of it.
  expect((await login({}, 'wrong')).errors).not.toHaveProperty('password');

  const next = await resetByMail(email);
  expect(await login({}, next)).toMatchObject({ message: TEXTS.required });
  done(await login({ code: codeAt(secretKey) }, next));
});

test('a mailed reset of a proven e-mail keeps the second factor', async () => {
  const person = await aStoredPerson(app.database);
  const { email } = person;
  const { secretKey } = await enrol(app.url, person);
  await nextMailTo(server, email);
  const password = await resetByMail(email);
  const login = (proof: object) => act('login', { email, password, ...proof });
  expect((await login({})).message).toBe(TEXTS.required);
  done(await login({ code: codeAt(secretKey) }));
});

const changeOf = async (_id: string) =>
  (await app.database.accounts.findOne({ _id }))?.passwordChange?.id ?? null;

/** Sets a new password by a mailed link. @returns it */
async function resetByMail(email: string): Promise<string> {
  succeeded(await restApi(app.url).requestPasswordReset({ email }));
  const token = tokenIn(await nextMailTo(server, email));
  const newPassword = freshPassword();
  succeeded(await restApi(app.url).resetPassword({ token, newPassword }));
  await nextMailTo(server, email);
  return newPassword;
}

/** The mails that the last request has ordered, all to one e-mail. */
async function nextMailsTo(email: string, count: number) {
  const mails = [await nextMailTo(server, email)];
  while (mails.length < count) {
    mails.push(await server.nextMail());
  }
  return mails;
}
