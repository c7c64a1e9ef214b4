import { jest } from '@jest/globals';
import mongoose from 'mongoose';
import type { MessageOrder } from '../../../src/stores/messages.ts';
import { throughEachApi } from '../../support/apis.ts';
import { emailLinkSettings, nextMails, nextMailTo, tokenIn } from '../../support/email-links.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { aPatient, type Fields, freshEmail, freshPassword } from '../../support/people.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { type ReceivedMail, type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

let server: SmtpTestServer;
let app: TestApp;

beforeAll(async () => {
  server = await startSmtpServer();
  app = await createTestApp(emailLinkSettings(server.url));
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

/** What a test has ordered and not sent. */
afterEach(async () => {
  await app.database.db.collection('outgoing_mails').deleteMany({});
});

const DAY_MILLIS = 86_400_000;
const MAX_DEVICES = 8;
const A_DAY = 5;
const FIREFOX = 'Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0';
const FIREFOX_LATER = 'Mozilla/5.0 (Android 15; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0';
const EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0';

/** A new patient whose e-mail is proven, without a login. */
async function somebody(headers: Record<string, string> = {}) {
  const patient = aPatient({ name: 'Win a prize at evil.example' });
  const api = restApi(app.url, headers);
  const { account, token } = authenticated(await api.registerPatient(patient));
  succeeded(await api.verifyEmail({ token: tokenIn(await nextMailTo(server, patient.email)) }));
  return { ...patient, id: account.id, authorization: `Bearer ${token}` };
}

const devicesOf = async (_id: string): Promise<unknown> =>
  (await app.database.accounts.findOne({ _id }))?.knownDevices;

/** The notices to an e-mail that are ordered and not sent yet. The clock stands still, so none is sent by itself. */
const noticesTo = (email: string) =>
  app.database.db
    .collection<{ order: MessageOrder }>('outgoing_mails')
    .find({ 'order.kind': 'new device', 'order.to.email': email })
    .toArray();

/** Logs in from a device. @param headers others that it sends */
const logIn = async (userAgent: string, credentials: Fields, apiOf = restApi, headers = {}) =>
  authenticated(await apiOf(app.url, { 'User-Agent': userAgent, ...headers }).login(credentials));

throughEachApi((apiOf) => {
  test('a login from another device is mailed in the language of the account, with device and time, and once', async () => {
    const person = await somebody({ 'User-Agent': 'registrar/1', 'Accept-Language': 'de' });
    const { id, email } = person;
    expect(await devicesOf(id)).toBeUndefined();
    await logIn(FIREFOX, person, apiOf);
    await logIn(FIREFOX_LATER, person, apiOf);
    expect(await devicesOf(id)).toEqual(['Firefox on Android']);
    expect(await noticesTo(email)).toEqual([]);

    await logIn(EDGE, person, apiOf, { 'Accept-Language': 'en' });
    const [date, time] = new Date(testClock.now()).toISOString().split('T');
    const mail = await nextMailTo(server, email);
    expect(mail.subject).toBe('Anmeldung mit einem anderen Gerät');
    expect(mail.text).toContain('das das Konto noch nicht kannte: Microsoft Edge auf Windows.');
    expect(mail.text).toContain(` ${date?.slice(0, 4)} um ${time?.slice(0, 5)} UTC `);
    expect(mail.raw).not.toMatch(/prize|127\.0\.0\.1|::1/);
    await logIn(EDGE, person, apiOf);
    await logIn(FIREFOX, person, apiOf);
    expect(await noticesTo(email)).toEqual([]);
    expect(await devicesOf(id)).toEqual(['Firefox on Android', 'Microsoft Edge on Windows']);
  });
});

test('a mail has only known names of browsers and systems, whatever the User-Agent says', async () => {
  const agents = [
    ['evil.example/1.0', 'an unknown program'],
    [`${'evil'.repeat(2_500)}/1.0`, 'an unknown program'],
    ['', 'an unknown program'],
    ['evil.example (Windows NT 10.0; Win64; x64)', 'Windows'],
    ['Mozilla/5.0 (Android 14; evil.example) Gecko/131.0 Firefox/131.0 <b>evil</b>', 'Firefox on Android'],
  ] as const;
  const person = await somebody();
  await logIn('node', person);
  for (const [agent, shown] of agents) {
    await logIn(agent, person);
    // Some have no name: they are one device.
    const isKnown = agent === '';
    const [order] = await noticesTo(person.email);
    expect(order === undefined).toBe(isKnown);
    expect(JSON.stringify(order ?? '')).not.toContain('evil');
    if (!isKnown) {
      const mail = await nextMailTo(server, person.email);
      expect(mail.text).toContain(`did not know: ${shown}.`);
      expect(mail.raw).not.toContain('evil');
    }
  }
  expect(await devicesOf(person.id)).toEqual([
    'node',
    'evil.example',
    'unknown device',
    'evil.example on Windows',
    'Firefox on Android',
  ]);
});

test('of simultaneous logins from a new device, one is mailed', async () => {
  const person = await somebody();
  await logIn('node', person);
  await Promise.all([logIn(EDGE, person), logIn(EDGE, person), logIn(EDGE, person)]);
  expect(await noticesTo(person.email)).toHaveLength(1);
  expect(await devicesOf(person.id)).toEqual(['node', 'Microsoft Edge on Windows']);
});

test('an e-mail that is not proven gets no notice', async () => {
  const person = await somebody();
  await app.database.accounts.updateOne(
    { _id: person.id },
    { $set: { 'emailProof.emailKey': 'former@example.org' } },
  );
  await logIn('node', person);
  await logIn(EDGE, person);
  expect(await noticesTo(person.email)).toEqual([]);
  expect(await devicesOf(person.id)).toEqual(['node', 'Microsoft Edge on Windows']);
});

test('a reset of the password forgets all devices, a change all but its own', async () => {
  const person = await somebody();
  await logIn('node', person);
  await logIn(EDGE, person);
  const changed = freshPassword();
  const change = { currentPassword: person.password, newPassword: changed };
  const api = restApi(app.url, { 'User-Agent': EDGE });
  succeeded(await api.changePassword(change, person.authorization));
  expect(await devicesOf(person.id)).toEqual(['Microsoft Edge on Windows']);
  const token = await resetCodeOf(app, person.email);
  const password = freshPassword();
  succeeded(await api.resetPassword({ token, newPassword: password }));
  expect(await devicesOf(person.id)).toBeUndefined();
  // The device of the second login.
  expect(await noticesTo(person.email)).toHaveLength(1);
  await logIn(FIREFOX, { ...person, password });
  expect(await noticesTo(person.email)).toHaveLength(1);
  expect(await devicesOf(person.id)).toEqual(['Firefox on Android']);
});

test('a change of the e-mail forgets all devices, and a notice that waits goes to the former one', async () => {
  const person = await somebody();
  await logIn('node', person);
  const api = restApi(app.url);
  const email = freshEmail();
  const { password } = person;
  succeeded(await api.changeEmail({ email, password }, person.authorization));
  const token = tokenIn((await nextMails(server, 2)).get(email) as ReceivedMail);
  await logIn(EDGE, person);
  succeeded(await api.verifyEmail({ token }));
  expect(await devicesOf(person.id)).toBeUndefined();
  await logIn(FIREFOX, { email, password });
  expect(await noticesTo(email)).toEqual([]);
  await nextMails(server, 2);
  const mails = server.mails.slice(-2);
  expect(mails.map(({ recipients }) => recipients)).toEqual([[person.email], [person.email]]);
  expect(mails.map(({ subject }) => subject).sort()).toEqual([
    'A login from another device',
    'Your e-mail address was changed',
  ]);
});

test('an account gets five notices a day, and remembers the eight devices that were used last', async () => {
  const person = await somebody();
  for (let device = 0; device <= MAX_DEVICES + 1; device += 1) {
    await logIn(`device-${device}/1`, person);
    await logIn('device-0/2', person);
  }
  expect(await noticesTo(person.email)).toHaveLength(A_DAY);
  const known = await devicesOf(person.id);
  expect(known).toHaveLength(MAX_DEVICES);
  expect(known).toEqual(expect.arrayContaining(['device-0', 'device-3', 'device-9']));
  testClock.move(DAY_MILLIS);
  // It was forgotten.
  await logIn('device-1/1', person);
  expect(await noticesTo(person.email)).toHaveLength(A_DAY + 1);
});

test('a login succeeds although its notice cannot be ordered, and the notice does not count', async () => {
  const person = await somebody();
  await logIn('node', person);
  const { prototype } = mongoose.mongo.Collection;
  const { insertOne } = prototype;
  const refusing = jest.spyOn(prototype, 'insertOne').mockImplementation(function (
    this: mongoose.mongo.Collection,
    ...given: unknown[]
  ) {
    return this.collectionName === 'outgoing_mails'
      ? Promise.reject(new Error('the disk is full'))
      : (insertOne as (...all: unknown[]) => unknown).apply(this, given);
  } as never);
  for (let device = 0; device < A_DAY; device += 1) {
    await logIn(`device-${device}/1`, person);
  }
  expect(refusing).toHaveBeenCalled();
  refusing.mockRestore();
  expect(await noticesTo(person.email)).toEqual([]);
  await logIn(EDGE, person);
  expect(await noticesTo(person.email)).toHaveLength(1);
});

test.each([
  ['no devices, as an earlier version', {}],
  ['null', { knownDevices: null, knownPlaces: null }],
  ['a text', { knownDevices: 'Firefox on Android', knownPlaces: 'text' }],
  ['other values than texts', { knownDevices: [7, {}, null, 'a\u0007b'], knownPlaces: [7, {}] }],
])('an account with %s remembers its next device without a notice', async (_, fields) => {
  const person = await somebody();
  await app.database.accounts.updateOne({ _id: person.id }, { $set: fields as object });
  await logIn(EDGE, person);
  expect(await devicesOf(person.id)).toEqual(['Microsoft Edge on Windows']);
  expect(await noticesTo(person.email)).toEqual([]);
});
