import type { RegisteredDoctor } from '../../support/expectations.ts';
import { FEED, readAll, readFeed } from '../../support/feed.ts';
import { trailOf } from '../../support/privacy.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { decide, newDoctor, newDocuments, newReviewer, resubmit, settled } from '../../support/reviews.ts';
import { useSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const DAY = 86_400_000;
const BEGIN = Date.parse('2027-01-15T12:00:00Z');

const server = useSmtpServer();
/** Two instances on one database. */
let app: TestApp;
let other: TestApp;
let start: string;
beforeAll(async () => {
  testClock.set(BEGIN);
  const settings = { ...FEED, ...mailSettings(server.url) };
  app = await createTestApp(settings);
  other = await createTestApp(settings, () => app.database.uri);
  start = (await readFeed(app.url, {})).next;
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});
beforeEach(() => testClock.set(BEGIN));

const dayIn = (days: number) => new Date(BEGIN + days * DAY).toISOString().slice(0, 10);
/** When the verification ends whose last day is in so many days. */
const endIn = (days: number) => Date.parse(dayIn(days)) + DAY;

async function aDoctorFor(days: number): Promise<RegisteredDoctor> {
  const doctor = await newDoctor(app);
  const { id } = doctor.account;
  const { token } = await newReviewer(app);
  await decide(app, token, { id, revision: 0, decision: 'APPROVE', until: dayIn(days) });
  return doctor;
}

/** What was told of a doctor before: how many events, and how many mails. */
const known = new Map<string, { events: number; mails: number }>();

/** Sets the time, lets both instances look, and says what they have told of a doctor since the last call. */
async function toldAt(millis: number, { account: { id, email } }: RegisteredDoctor) {
  await settled(app);
  testClock.set(millis);
  await testClock.advance(60_000);
  await settled(app);
  const { events } = await readAll(app.url, start);
  const types = events.filter(({ account }) => account?.id === id).map(({ type }) => type);
  const told = types.filter((type) => type.startsWith('doctor.expir'));
  const mails = server.mails.filter(
    ({ recipients, text }) => recipients.includes(email) && text.includes('Your verification as a doctor at'),
  );
  const before = known.get(id) ?? { events: 0, mails: 0 };
  known.set(id, { events: told.length, mails: mails.length });
  return { events: told.slice(before.events), mails: mails.length - before.mails };
}

const nothing = { events: [], mails: 0 };

test('a doctor gets a mail 60 and 7 days before the end, and services hear twice, whatever instance tells', async () => {
  const doctor = await aDoctorFor(100);
  const end = endIn(100);
  expect(await toldAt(end - 60 * DAY - 1_000_000, doctor)).toEqual(nothing);
  expect(await toldAt(end - 60 * DAY, doctor)).toEqual({ events: ['doctor.expiring'], mails: 1 });
  expect(await toldAt(end - 30 * DAY, doctor)).toEqual(nothing);
  expect(await toldAt(end - 7 * DAY, doctor)).toEqual({ events: [], mails: 1 });
  // A clock that is set back repeats nothing.
  expect(await toldAt(end - 61 * DAY, doctor)).toEqual(nothing);
  expect(await toldAt(end - 50 * DAY, doctor)).toEqual(nothing);
  expect(await toldAt(end, doctor)).toEqual({ events: ['doctor.expired'], mails: 0 });
  expect(await toldAt(end + 400 * DAY, doctor)).toEqual(nothing);
  const stored = await app.database.profiles.findOne({ _id: doctor.account.id });
  expect(stored).not.toHaveProperty('tellAt');
  expect(stored?.eventNotes ?? []).toEqual([]);
  expect(await trailOf(app, { accountId: doctor.account.id, act: /^verification/ })).toMatchObject([
    { act: 'verification notice', door: 'gateway' },
    { act: 'verification end', door: 'gateway' },
  ]);
});

test('an end within 60 days is told to services at once, and only mails are sent that are still ahead', async () => {
  const doctor = await aDoctorFor(30);
  expect(await toldAt(BEGIN + 1_000, doctor)).toEqual({ events: ['doctor.expiring'], mails: 0 });
  expect(await toldAt(endIn(30) - 7 * DAY, doctor)).toEqual({ events: [], mails: 1 });
  testClock.set(BEGIN);
  const late = await aDoctorFor(3);
  expect(await toldAt(testClock.now(), late)).toEqual({ events: ['doctor.expiring'], mails: 0 });
  expect(await toldAt(endIn(3), late)).toEqual({ events: ['doctor.expired'], mails: 0 });
});

test('after an outage the latest is told, once', async () => {
  const one = await aDoctorFor(100);
  expect(await toldAt(endIn(100) - 3 * DAY, one)).toEqual({ events: ['doctor.expiring'], mails: 1 });
  testClock.set(BEGIN);
  const long = await aDoctorFor(90);
  expect(await toldAt(endIn(90) + 2 * DAY, long)).toEqual({ events: ['doctor.expired'], mails: 0 });
});

test('another end is told anew, and a correction and documents repeat nothing', async () => {
  const doctor = await aDoctorFor(65);
  const { id } = doctor.account;
  expect(await toldAt(endIn(65) - 60 * DAY, doctor)).toMatchObject({ events: ['doctor.expiring'] });
  await resubmit(app, doctor.token, newDocuments());
  const decideNow = async (revision: number, more: { decision: 'REJECT' | 'CHANGE_END'; until?: string }) =>
    decide(app, (await newReviewer(app)).token, { id, revision, reason: 'For a test.', ...more });
  await decideNow(2, { decision: 'REJECT' });
  expect(await toldAt(testClock.now(), doctor)).toEqual(nothing);
  await decideNow(3, { decision: 'CHANGE_END', until: dayIn(200) });
  expect(await toldAt(testClock.now(), doctor)).toEqual(nothing);
  expect(await toldAt(endIn(200) - 60 * DAY, doctor)).toEqual({ events: ['doctor.expiring'], mails: 1 });
  await decideNow(4, { decision: 'CHANGE_END' });
  expect(await toldAt(endIn(200), doctor)).toEqual(nothing);
});

test('a record without the end, by an earlier version, is told nothing and is left', async () => {
  const doctor = await aDoctorFor(65);
  await app.database.profiles.updateOne({ _id: doctor.account.id }, { $unset: { 'verification.until': '' } });
  expect(await toldAt(endIn(65), doctor)).toEqual(nothing);
});
