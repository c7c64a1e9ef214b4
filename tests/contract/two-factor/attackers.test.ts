// Attackers who have one thing of an account with an app: how many codes they can guess, and that its owner gets in meanwhile.

import { addAttempts } from '../../support/attempts.ts';
import { emailLinkSettings, tokenIn, useMailedApp } from '../../support/email-links.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { addPasskey, loginCredential, PASSKEYS, passkeysByRest } from '../../support/passkeys.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  byRest,
  codeAt,
  done,
  enrol,
  nextCode,
  TEXTS,
  TWO_FACTOR,
  wrongCode,
} from '../../support/second-factor.ts';
import { letMailsBeSent, testClock } from '../../support/test-app.ts';

const [MINUTE_MILLIS, HOUR_MILLIS] = [60_000, 3_600_000];

const { app, server } = useMailedApp((url) => ({
  ...{ ...TWO_FACTOR, ...PASSKEYS, ...emailLinkSettings(url), TRUST_PROXY: '1', RATE_LIMIT: 'on' },
  ...{ RATE_LIMIT_LOGINS_PER_MINUTE: 'off', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off' },
  ...{ RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: 'off', RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: 'off' },
}));

let places = 0;
/** The headers of an address that no account knows. Without headers, a request comes from the home of the owners. */
function aPlace(): Record<string, string> {
  places += 1;
  return { 'X-Forwarded-For': `203.0.${places}.7` };
}

/** The token in the next mail with a link to somebody. Notices are left out. */
async function nextLinkTo(email: string): Promise<string> {
  await letMailsBeSent();
  for (;;) {
    const mail = await server.nextMail();
    if (mail.recipients.includes(email) && mail.text.includes('token=')) {
      return tokenIn(mail);
    }
  }
}

/** An owner with a proven e-mail and an app. @param before called before the app is added */
async function anOwner(before: (person: ReturnType<typeof aPatient>) => Promise<unknown> = async () => {}) {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  succeeded(await restApi(app.url).verifyEmail({ token: await nextLinkTo(patient.email) }));
  await before(patient);
  const enrolled = await enrol(app.url, { ...patient, token });
  return { ...patient, ...enrolled, id: String(account.id) };
}
type Owner = Awaited<ReturnType<typeof anOwner>>;

const login = ({ email, password }: Pick<Owner, 'email' | 'password'>, proof = {}, sent = {}) =>
  byRest(app.url, sent)('login', { email, password, ...proof });

/** Sends wrong codes from a place. @returns how many were compared */
async function guess(owner: Owner, sent: Record<string, string>, times: number): Promise<number> {
  let compared = 0;
  for (let count = 0; count < times; count += 1) {
    const { message } = await login(owner, { code: wrongCode(owner.secretKey) }, sent);
    compared += message === TEXTS.wrong ? 1 : 0;
  }
  return compared;
}

/** Sets a new password by a mailed link. @returns the account with it */
async function reset(owner: Owner, sent: Record<string, string> = {}): Promise<Owner> {
  const api = restApi(app.url, sent);
  // One mailbox gets seven links an hour.
  testClock.move(10 * MINUTE_MILLIS);
  succeeded(await api.requestPasswordReset(owner));
  const token = await nextLinkTo(owner.email);
  const password = freshPassword();
  succeeded(await api.resetPassword({ token, newPassword: password }));
  return { ...owner, password };
}

const codePlacesOf = async ({ id }: Owner) => (await app.database.accounts.findOne({ _id: id }))?.codePlaces;

test('the mailbox, with or without the password, has sixty guesses a day, and locks the owner out neither at home nor of a passkey', async () => {
  let owner = await anOwner();
  const proof = { password: owner.password, code: codeAt(owner.secretKey) };
  const { authenticator } = await addPasskey(app.url, { token: owner.token }, undefined, proof);
  const attacker = aPlace();
  let compared = 0;
  for (let round = 0; round < 7; round += 1) {
    owner = await reset(owner, attacker);
    compared += await guess(owner, attacker, 10);
  }
  expect(compared).toBe(60);
  testClock.move(HOUR_MILLIS);
  owner = await reset(owner);
  expect(await guess(owner, attacker, 1)).toBe(0);
  done(await login(owner, { code: codeAt(owner.secretKey) }));
  const credential = await loginCredential(app.url, authenticator);
  expect(await passkeysByRest(app.url, attacker)('loginWithPasskey', { credential })).toMatchObject({
    ok: true,
  });
});

test('the password alone has ten guesses an hour, also from places that were known before the app', async () => {
  const known = [aPlace(), aPlace(), aPlace()];
  const owner = await anOwner(async (patient) => {
    for (const sent of known) {
      authenticated(await restApi(app.url, sent).login(patient));
    }
  });
  let compared = 0;
  for (const sent of [...known, aPlace()]) {
    compared += await guess(owner, sent, 4);
  }
  expect(compared).toBe(10);
  done(await login(owner, { code: codeAt(owner.secretKey) }));
});

test('the password alone uses up the right logins of strangers, not those of the owner at home or after a reset', async () => {
  const owner = await anOwner();
  const attacker = aPlace();
  expect(await login(owner, {}, attacker)).toMatchObject({ message: TEXTS.required });
  await addAttempts(app, 'right-logins', 119);
  for (const sent of [attacker, aPlace()]) {
    expect((await login(owner, {}, sent)).http.status).toBe(429);
  }
  done(await login(owner, { code: codeAt(owner.secretKey) }));
  nextCode();
  const sent = aPlace();
  const after = await reset(owner, sent);
  done(await login(after, { code: codeAt(owner.secretKey) }, sent));
});

test('a place is known for codes once a second factor was proven there: new passwords keep it', async () => {
  let owner = await anOwner();
  const [home] = (await codePlacesOf(owner)) ?? [];
  expect(home).toMatch(/^[\w-]{43}$/);
  const work = aPlace();
  owner = await reset(owner, work);
  expect(await codePlacesOf(owner)).toEqual([home]);
  const { token } = done<{ token: string }>(await login(owner, { code: codeAt(owner.secretKey) }, work));
  nextCode();
  const newPassword = freshPassword();
  const change = { currentPassword: owner.password, newPassword, code: codeAt(owner.secretKey) };
  done(await byRest(app.url, aPlace())('changePassword', change, token));
  expect(await codePlacesOf(owner)).toHaveLength(3);
  expect((await codePlacesOf(owner))?.[0]).toBe(home);
});

test('recovery codes are renewed ten times a day, and a reset begins anew', async () => {
  const owner = await anOwner();
  const renew = async ({ password }: Owner, token: string) => {
    nextCode();
    return byRest(app.url)('renewRecoveryCodes', { password, code: codeAt(owner.secretKey) }, token);
  };
  for (let count = 0; count < 10; count += 1) {
    done(await renew(owner, owner.token));
  }
  expect((await renew(owner, owner.token)).http.status).toBe(429);
  testClock.move(HOUR_MILLIS);
  const after = await reset(owner);
  nextCode();
  const { token } = done<{ token: string }>(await login(after, { code: codeAt(owner.secretKey) }));
  done(await renew(after, token));
});
