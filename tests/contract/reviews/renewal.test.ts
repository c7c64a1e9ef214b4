import { letTwoHoursPass, sweep } from '../../documents/support/aftermath.ts';
import { aPdf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { type RegisteredDoctor, succeeded } from '../../support/expectations.ts';
import { FEED, readAll, readFeed } from '../../support/feed.ts';
import { answerBeforeFiles } from '../../support/multipart.ts';
import { adminOf } from '../../support/operators.ts';
import type { Fields } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  doctorsOf,
  newDoctor,
  newDocuments,
  newReviewer,
  openDoctor,
  refusalOf,
  resubmit,
  resubmitRequest,
  sendDecision,
  statusesOf,
  urlsOf,
} from '../../support/reviews.ts';
import { APPOINTMENTS, clientEntry, introspect } from '../../support/services.ts';
import { accountOf } from '../../support/session.ts';
import { storedDocuments, testClock, useTestApp } from '../../support/test-app.ts';

const BEGIN = new Date('2027-01-15T12:00:00Z');
const UNTIL = '2027-02-28';
const END = Date.parse('2027-03-01T00:00:00Z');
const NEXT = { until: '2029-02-28' };
const NEXT_END = '2029-03-01T00:00:00.000Z';

const app = useTestApp({
  ...FEED,
  INTROSPECTION_CLIENTS: [FEED.INTROSPECTION_CLIENTS, clientEntry(APPOINTMENTS)].join(','),
});
beforeEach(() => testClock.set(BEGIN));

type Decision = Omit<Parameters<typeof decide>[2], 'id'>;

/** Tokens of reviewers end soon, so each decision has its own. */
const decideOn = async ({ account: { id } }: RegisteredDoctor, decision: Decision) =>
  decide(app, (await newReviewer(app)).token, { id, ...decision });

/** A doctor whose verification ends in 44 days. */
async function aDoctor(until: string | undefined = UNTIL) {
  const doctor = await newDoctor(app);
  await decideOn(doctor, { revision: 0, decision: 'APPROVE', ...(until && { until }) });
  return doctor;
}

/** What services hear of a doctor after a place in the feed, once all that is stored is published. */
async function eventsOf({ account: { id } }: RegisteredDoctor, after: string) {
  const unpublished = { unpublished: { $exists: true } };
  await eventually(async () =>
    expect(await app.database.db.collection('audit_events').countDocuments(unpublished)).toBe(0),
  );
  const { events } = await readAll(app.url, after);
  return events.filter(({ account }) => account?.id === id);
}

async function seenByReviewer({ account: { id } }: RegisteredDoctor) {
  const { token } = await newReviewer(app);
  const { edges } = await doctorsOf(app, token, { proposals: true, first: 100 });
  return edges.find(({ node }) => node.account.id === id)?.node;
}

const correct = async ({ token }: RegisteredDoctor, fields: Fields) =>
  succeeded(await restApi(app.url).updateMyProfile(fields, `Bearer ${token}`));

const statusOf = async ({ token }: RegisteredDoctor) => (await introspect(app.url, token)).verification;

test('new documents stand beside the old ones while the doctor stays verified, and an approval renews', async () => {
  const doctor = await aDoctor();
  expect((await accountOf(app.url, doctor.token))?.profile?.verification).toMatchObject({
    isRenewable: true,
  });
  testClock.move(1_000);
  const answer = await resubmit(app, doctor.token, { licenseFile: aPdf('new.pdf') });
  const submittedAt = new Date(testClock.now()).toISOString();
  const untilNow = { status: 'VERIFIED', until: new Date(END).toISOString(), isRenewable: false };
  const proposal = { name: null, specialization: null, licenseNumber: null, submittedAt, hasDocuments: true };
  expect(answer.data?.resubmitDocuments).toMatchObject({ proposal, verification: untilNow });
  expect(urlsOf(answer.data?.resubmitDocuments ?? {})).toEqual(urlsOf(doctor.profile));
  expect(await statusOf(doctor)).toBe('verified');

  const seen = await seenByReviewer(doctor);
  expect(seen).toMatchObject({ revision: 2, profile: { proposal } });
  const [old, fresh] = [urlsOf(doctor.profile), urlsOf(seen?.newDocuments ?? {})];
  expect(fresh.slice(1)).toEqual(old.slice(1));
  expect(fresh[0]).not.toBe(old[0]);
  expect(await statusesOf([...old, ...fresh])).toEqual(Array(6).fill(200));

  const { next } = await readFeed(app.url, {});
  const { profile, newDocuments: left } = await decideOn(doctor, {
    revision: 2,
    decision: 'APPROVE',
    ...NEXT,
  });
  expect(urlsOf(profile)).toEqual(fresh);
  expect(left).toBeNull();
  expect(profile).toMatchObject({ proposal: null, verification: { status: 'VERIFIED', until: NEXT_END } });
  expect(await statusesOf([...fresh, old[0] ?? ''])).toEqual([200, 200, 200, 404]);
  expect(await eventsOf(doctor, next)).toMatchObject([
    {
      type: 'doctor.verified',
      account: { verification: 'verified', verified_until: Date.parse(NEXT_END) / 1000 },
    },
  ]);
});

test('a rejection leaves the old end and the old documents, and others can be sent', async () => {
  const doctor = await aDoctor();
  await resubmit(app, doctor.token);
  const fresh = urlsOf((await seenByReviewer(doctor))?.newDocuments ?? {});
  const { next } = await readFeed(app.url, {});
  const rejected = await decideOn(doctor, { revision: 2, decision: 'REJECT', reason: 'Not readable.' });
  const verification = { status: 'VERIFIED', until: new Date(END).toISOString(), reason: 'Not readable.' };
  expect(rejected).toMatchObject({ newDocuments: null, profile: { proposal: null, verification } });
  expect(urlsOf(rejected.profile)).toEqual(urlsOf(doctor.profile));
  expect(await statusesOf([...urlsOf(doctor.profile), ...fresh])).toEqual([200, 200, 200, 404, 404, 404]);
  expect(await eventsOf(doctor, next)).toEqual([]);
  expect((await resubmit(app, doctor.token)).errors).toBeUndefined();
});

test('after the end the doctor is expired until an approval, and then verified again', async () => {
  const doctor = await aDoctor();
  testClock.set(END);
  await resubmit(app, doctor.token, { diplomaFile: aPdf('new.pdf') });
  expect(await statusOf(doctor)).toBe('expired');
  await decideOn(doctor, { revision: 2, decision: 'APPROVE', ...NEXT });
  expect(await statusOf(doctor)).toBe('verified');
  const events = await trailOf(app, { act: 'review', accountId: doctor.account.id });
  expect(events.at(-1)?.reason).toBe(`renewal approved until ${NEXT_END}`);
});

test('a correction keeps the documents and the end, changed or taken back', async () => {
  const doctor = await aDoctor();
  testClock.move(1_000);
  await resubmit(app, doctor.token, { licenseFile: aPdf('new.pdf') });
  const sentAt = new Date(testClock.now()).toISOString();
  const before = await seenByReviewer(doctor);
  testClock.move(1_000);
  const { specialization, licenseNumber } = doctor.profile;
  // What counts already is no proposal, and must not take the documents away.
  await correct(doctor, { specialization, licenseNumber, workHistory: 'A clinic.' });
  expect(await seenByReviewer(doctor)).toMatchObject({
    newDocuments: before?.newDocuments,
    profile: { proposal: { submittedAt: sentAt, hasDocuments: true } },
  });
  await correct(doctor, { licenseNumber: 'MD-2' });
  const changed = await seenByReviewer(doctor);
  expect(changed).toMatchObject({
    newDocuments: before?.newDocuments,
    profile: { proposal: { licenseNumber: 'MD-2' } },
  });
  await correct(doctor, { licenseNumber });
  const back = await seenByReviewer(doctor);
  const proposal = { licenseNumber: null, hasDocuments: true };
  expect(back).toMatchObject({ newDocuments: before?.newDocuments, profile: { proposal } });
  await correct(doctor, { licenseNumber: 'MD-3' });
  const revision = (await seenByReviewer(doctor))?.revision ?? 0;
  const { profile } = await decideOn(doctor, { revision, decision: 'APPROVE', ...NEXT });
  expect(profile).toMatchObject({ licenseNumber: 'MD-3', verification: { until: NEXT_END } });
  expect(urlsOf(profile)).toEqual(urlsOf(before?.newDocuments ?? {}));
});

test('documents join a correction that waits', async () => {
  const doctor = await aDoctor();
  await correct(doctor, { licenseNumber: 'MD-2' });
  await resubmit(app, doctor.token, { licenseFile: aPdf('new.pdf') });
  const proposal = { licenseNumber: 'MD-2', hasDocuments: true };
  expect(await seenByReviewer(doctor)).toMatchObject({ profile: { proposal } });
});

test.each(['SUSPEND', 'REJECT'] as const)(
  '%s removes the documents with their files, also after a sweep',
  async (decision) => {
    const doctor = await aDoctor();
    await resubmit(app, doctor.token);
    const fresh = urlsOf((await seenByReviewer(doctor))?.newDocuments ?? {});
    // A sweep finds documents that wait, and leaves them.
    await letTwoHoursPass(app);
    await sweep(app);
    expect(await statusesOf(fresh)).toEqual([200, 200, 200]);
    const decided = await decideOn(doctor, { revision: 2, decision, reason: 'Forged.' });
    expect(decided).toMatchObject({ newDocuments: null, profile: { proposal: null } });
    expect(await statusesOf([...fresh, ...urlsOf(doctor.profile)])).toEqual([404, 404, 404, 200, 200, 200]);
    const stored = await app.database.profiles.findOne({ _id: doctor.account.id });
    expect(stored?.documentHashes).toHaveLength(3);
  },
);

test('another end leaves the documents, and a renewal needs an end', async () => {
  const doctor = await aDoctor();
  await resubmit(app, doctor.token);
  const before = await seenByReviewer(doctor);
  await decideOn(doctor, { revision: 2, decision: 'CHANGE_END', until: '2027-03-31' });
  const after = await seenByReviewer(doctor);
  expect(after).toMatchObject({
    newDocuments: before?.newDocuments,
    profile: { proposal: { hasDocuments: true } },
  });
  expect(await statusesOf(urlsOf(after?.newDocuments ?? {}))).toEqual([200, 200, 200]);
  const { token } = await newReviewer(app);
  const variables = { id: doctor.account.id, revision: 3, decision: 'APPROVE' };
  expect(refusalOf(await sendDecision(app, token, variables))).toMatchObject({
    errors: { until: ['The until field is required.'] },
  });
});

test('only from 60 days before the end, once at a time, and with at least one document', async () => {
  const doctor = await aDoctor('2027-03-31');
  const refused = async (documents: Fields = newDocuments()) =>
    refusalOf(await resubmit(app, doctor.token, documents));
  testClock.set(Date.parse('2027-04-01T00:00:00Z') - 60 * 86_400_000 - 1);
  expect(await refused()).toMatchObject({
    errors: { input: ['Documents can be submitted only from 60 days before the verification ends.'] },
  });
  testClock.move(1);
  expect(await refused({})).toMatchObject({ errors: { input: ['At least one document is required.'] } });
  const before = (await storedDocuments(app)).length;
  expect((await resubmit(app, doctor.token)).errors).toBeUndefined();
  expect(await refused()).toMatchObject({
    errors: { input: ['Your new documents wait for a decision already.'] },
  });
  expect((await storedDocuments(app)).length).toBe(before + 3);
});

test('a doctor whose verification does not end is refused before the body, as before', async () => {
  const doctor = await aDoctor('');
  const { text } = await answerBeforeFiles(app.url, resubmitRequest(doctor.token));
  expect(text).toContain('Documents can be submitted again only after a rejection.');
});

test('of two renewals at once, one wins', async () => {
  const doctor = await aDoctor();
  const answers = await Promise.all([1, 2, 3].map(() => resubmit(app, doctor.token)));
  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  const { token } = await newReviewer(app);
  const fresh = urlsOf((await openDoctor(app, token, doctor.account.id)).newDocuments ?? {});
  expect(await statusesOf(fresh)).toEqual([200, 200, 200]);
});

test('doctors show prints both, and approve renews', async () => {
  testClock.set(new Date());
  const day = (days: number) => new Date(testClock.now() + days * 86_400_000).toISOString().slice(0, 10);
  const doctor = await aDoctor(day(10));
  await resubmit(app, doctor.token);
  const which = ['--account', doctor.account.id];
  const { stdout } = await adminOf(app, 'doctors', 'show', ...which);
  expect(stdout).toMatch(/new license file url +\/storage\/licenses/i);
  expect(stdout).not.toMatch(/hasDocuments|has documents/);
  const approved = await adminOf(app, 'doctors', 'approve', ...which, '--until', day(400));
  expect(approved.stdout).toMatch(/^The renewal of doctor \S+ is approved until /);
});
