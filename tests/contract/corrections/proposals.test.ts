import { ExportMyDataDocument } from '../../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../../support/apis.ts';
import { type Authenticated, succeeded } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { adminOf } from '../../support/operators.ts';
import type { Fields } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide, doctorsOf, newDoctor, newReviewer, refusalOf, sendDecision } from '../../support/reviews.ts';
import { introspect, SERVICES } from '../../support/services.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp({ ...SERVICES, ...mailSettings('smtp://127.0.0.1:1') });
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

const PROPOSED = { name: 'Dr. Married', licenseNumber: 'MD-2' };

async function aVerifiedDoctor() {
  const { account, token, profile } = await newDoctor(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, decision: 'APPROVE' });
  const correct = async (fields: Fields) =>
    succeeded(await restApi(app.url).updateMyProfile(fields, `Bearer ${token}`));
  return { id: account.id, name: account.name, email: account.email, profile, token, correct };
}

const storedOf = async (_id: string) => ({
  account: await app.database.accounts.findOne({ _id }),
  profile: await app.database.profiles.findOne({ _id }),
});

const reject = { decision: 'REJECT', reason: 'The register has another name.' } as const;

throughEachApi((apiOf) => {
  test('what was reviewed stays as it is until a reviewer approves, and the rest counts at once', async () => {
    const { id, name, token, profile } = await aVerifiedDoctor();
    testClock.move(1_000);
    const sent = { ...PROPOSED, phone: '+1 555 0155', workHistory: 'A clinic.' };
    const done = succeeded(await apiOf(app.url).updateMyProfile(sent, `Bearer ${token}`));
    expect(done.account).toMatchObject({ name, phone: sent.phone });
    const proposal = {
      ...PROPOSED,
      specialization: null,
      submittedAt: new Date(testClock.now()).toISOString(),
    };
    expect(await accountOf(app.url, token)).toMatchObject({
      name,
      profile: {
        licenseNumber: profile.licenseNumber,
        workHistory: sent.workHistory,
        verification: { status: 'VERIFIED' },
        proposal,
      },
    });
    const services = { name, role: 'doctor', verification: 'verified' };
    expect(await introspect(app.url, token)).toMatchObject(services);
    const { edges } = await doctorsOf(app, reviewer.token, { proposals: true, first: 100 });
    const waiting = edges.find(({ node }) => node.account.id === id)?.node;
    expect(waiting).toMatchObject({ account: { name }, profile: { proposal }, revision: 2 });

    const decided = await decide(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
    const after = { licenseNumber: 'MD-2', proposal: null, verification: { status: 'VERIFIED' } };
    expect(decided).toMatchObject({ account: { name: PROPOSED.name }, profile: after, revision: 3 });
    expect(await accountOf(app.url, token)).toMatchObject({ name: PROPOSED.name, profile: after });
    expect(await introspect(app.url, token)).toMatchObject({ ...services, name: PROPOSED.name });
    expect(await trailOf(app, { accountId: id, act: { $in: ['correction', 'review'] } })).toMatchObject([
      { reason: 'approved' },
      { reason: 'phone, workHistory, name (proposed), licenseNumber (proposed)' },
      { reason: 'correction approved', byAccountId: reviewer.account.id },
    ]);
  });
});

test('a rejection drops the proposal alone, and the doctor reads why and stays verified', async () => {
  const { id, name, token, correct } = await aVerifiedDoctor();
  await correct(PROPOSED);
  const decided = await decide(app, reviewer.token, { id, revision: 2, ...reject });
  expect(decided).toMatchObject({ account: { name }, revision: 3 });
  const verification = { status: 'VERIFIED', reason: reject.reason };
  expect(await accountOf(app.url, token)).toMatchObject({
    name,
    profile: { licenseNumber: 'MD-12345', proposal: null, verification },
  });
  expect((await storedOf(id)).profile).not.toHaveProperty('proposal');
  const orders = await app.database.db
    .collection('outgoing_mails')
    .find({ 'order.to.accountId': id })
    .sort({ createdAt: 1 })
    .toArray();
  expect(orders.at(-1)?.order?.facts).toMatchObject({ status: 'correction rejected', reason: reject.reason });
  // Without a proposal, it is about the doctor.
  const rejected = await decide(app, reviewer.token, { id, revision: 3, ...reject });
  expect(rejected.profile.verification.status).toBe('REJECTED');
});

test('a suspension drops the proposal, and a later correction counts at once without lifting it', async () => {
  const { id, token, correct } = await aVerifiedDoctor();
  await correct(PROPOSED);
  await decide(app, reviewer.token, { id, revision: 2, decision: 'SUSPEND', reason: 'A complaint.' });
  const suspended = { verification: { status: 'SUSPENDED' }, proposal: null };
  expect(await accountOf(app.url, token)).toMatchObject({ name: 'Dr. Doc Tor', profile: suspended });
  await correct({ name: 'Dr. Other' });
  expect(await accountOf(app.url, token)).toMatchObject({ name: 'Dr. Other', profile: suspended });
  expect(await introspect(app.url, token)).toMatchObject({ verification: 'suspended', name: 'Dr. Other' });
});

test('later corrections are added to the proposal, and the reviewed value takes one back', async () => {
  const { id, name, profile, correct } = await aVerifiedDoctor();
  await correct({ name: PROPOSED.name });
  testClock.move(1_000);
  await correct({ licenseNumber: 'MD-2' });
  const submittedAt = new Date(testClock.now());
  expect((await storedOf(id)).profile?.proposal).toEqual({ ...PROPOSED, submittedAt });
  testClock.move(1_000);
  // The same again keeps its place in the queue.
  await correct({ licenseNumber: 'MD-2', phone: '+1 555 0156' });
  expect((await storedOf(id)).profile?.proposal).toEqual({ ...PROPOSED, submittedAt });
  await correct({ name });
  expect((await storedOf(id)).profile?.proposal).toMatchObject({ licenseNumber: 'MD-2' });
  expect((await storedOf(id)).profile?.proposal).not.toHaveProperty('name');
  await correct({ licenseNumber: profile.licenseNumber });
  expect((await storedOf(id)).profile).not.toHaveProperty('proposal');
});

test('a decision on what a reviewer has not seen changes nothing', async () => {
  const { id, correct } = await aVerifiedDoctor();
  await correct({ name: 'Dr. Seen' });
  await correct({ name: 'Dr. Unseen' });
  const before = await storedOf(id);
  const late = await sendDecision(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
  expect(refusalOf(late).errors).toEqual({ revision: ['The doctor has changed since. Read again.'] });
  expect(await storedOf(id)).toEqual(before);
});

test('of corrections and a decision at once, none is lost and the status is that of the decision', async () => {
  const { id, token } = await aVerifiedDoctor();
  const api = graphqlApi(app.url);
  const sent = [{ phone: '+1 555 0157' }, { name: 'Dr. Race' }, { workHistory: 'Raced.' }];
  const [decision, ...corrections] = await Promise.all([
    sendDecision(app, reviewer.token, { id, revision: 1, decision: 'SUSPEND', reason: 'At once.' }),
    ...sent.map((fields) => api.updateMyProfile(fields, `Bearer ${token}`)),
  ]);
  corrections.map((outcome) => succeeded(outcome));
  const { account, profile } = await storedOf(id);
  expect({ ...account, ...profile }).toMatchObject({ phone: '+1 555 0157', workHistory: 'Raced.' });
  const status = decision.data ? 'suspended' : 'verified';
  expect(profile?.verification?.status).toBe(status);
  // It counts, waits, or was dropped with the suspension of which the doctor knows.
  const isThere = account?.name === 'Dr. Race' || profile?.proposal?.name === 'Dr. Race';
  expect(isThere || status === 'suspended').toBe(true);
  expect(profile).not.toHaveProperty('accountChange');
});

test('doctors with a proposal have a list of their own, in pages and the oldest first', async () => {
  await app.database.profiles.updateMany({}, { $unset: { proposal: '' } });
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { id, correct } = await aVerifiedDoctor();
    testClock.move(1_000);
    await correct(PROPOSED);
    ids.push(id);
  }
  const first = await doctorsOf(app, reviewer.token, { proposals: true, first: 2 });
  expect(first).toMatchObject({ ids: ids.slice(0, 2), pageInfo: { hasNextPage: true } });
  const rest = await doctorsOf(app, reviewer.token, { proposals: true, after: first.pageInfo.endCursor });
  expect(rest).toMatchObject({ ids: ids.slice(2), pageInfo: { hasNextPage: false } });
  const verified = await doctorsOf(app, reviewer.token, { status: 'VERIFIED', first: 100 });
  expect(verified.ids).toEqual(expect.arrayContaining(ids));
});

test('a correction does not change when the documents were sent, and does not follow them in its list', async () => {
  const [early, late] = [await aVerifiedDoctor(), await aVerifiedDoctor()];
  const sent = async ({ id }: { id: string }, list: Fields) =>
    (await doctorsOf(app, reviewer.token, { ...list, first: 100 })).edges.find(
      ({ node }) => node.account.id === id,
    )?.node.submittedAt;
  const before = await sent(early, { status: 'VERIFIED' });
  for (const { correct } of [late, early]) {
    testClock.move(1_000);
    await correct(PROPOSED);
  }
  const { ids } = await doctorsOf(app, reviewer.token, { proposals: true, first: 100 });
  expect(ids.slice(-2)).toEqual([late.id, early.id]);
  expect(await sent(early, { proposals: true })).toBe(before);
  await decide(app, reviewer.token, { id: early.id, revision: 2, decision: 'APPROVE' });
  expect(await sent(early, { status: 'VERIFIED' })).toBe(before);
});

test('an operator sees old and new, and decides', async () => {
  const { id, correct } = await aVerifiedDoctor();
  await correct(PROPOSED);
  const run = (...words: string[]) => adminOf(app, 'doctors', ...words);
  const listed = await run('list', '--proposals', '--json');
  expect(listed.json).toContainEqual(expect.objectContaining({ id, status: 'verified' }));
  expect(await run('list', '--proposals', '--status', 'verified')).toMatchObject({ code: 2 });
  const { stdout } = await run('show', '--id', id);
  expect(stdout).toMatch(/^name {20}Dr\. Doc Tor$/m);
  expect(stdout).toMatch(/^proposed name {11}Dr\. Married$/m);
  expect(stdout).not.toContain('proposed specialization');
  const approved = await run('approve', '--id', id, '--revision', '2');
  expect(approved.stdout).toBe(`The correction of doctor ${id} is approved.\n`);
  expect(await storedOf(id)).toMatchObject({
    account: { name: PROPOSED.name },
    profile: { licenseNumber: 'MD-2' },
  });
});

test('the export of a doctor has the proposal', async () => {
  const { token, correct } = await aVerifiedDoctor();
  await correct(PROPOSED);
  const { body } = await execute(app.url, ExportMyDataDocument, {}, bearer(token));
  expect(body.data?.exportMyData.profile?.proposal).toMatchObject({ ...PROPOSED, specialization: null });
});

/** What a kill leaves after the profile was written, and before the account was. */
async function killedBetween(doctor: { id: string }) {
  const fields = { name: 'Dr. Killed' };
  const { profile } = await storedOf(doctor.id);
  const revision = (profile?.revision ?? 0) + 1;
  const change = { revision, accountChange: { revision, at: new Date(testClock.now()), fields } };
  await app.database.profiles.updateOne({ _id: doctor.id }, { $set: change });
  return { revision };
}

test.each<
  [string, (doctor: { id: string; revision: number; correct(fields: Fields): Promise<unknown> }) => unknown]
>([
  ['another correction', ({ correct }) => correct({ phone: '+1 555 0158' })],
  [
    'a decision',
    ({ id, revision }) =>
      decide(app, reviewer.token, { id, revision, decision: 'SUSPEND', reason: 'Later.' }),
  ],
])('before %s, what a kill has left undone is done, once', async (_what, act) => {
  const doctor = await aVerifiedDoctor();
  const { revision } = await killedBetween(doctor);
  await act({ ...doctor, revision });
  const { account, profile } = await storedOf(doctor.id);
  expect(account?.name).toBe('Dr. Killed');
  expect(profile).not.toHaveProperty('accountChange');
  expect(profile?.revision).toBe(revision + 1);
});

test('an instance of an earlier version decides on a doctor with a proposal, and nothing of it is lost', async () => {
  const { id, token, correct } = await aVerifiedDoctor();
  await correct(PROPOSED);
  // It knows neither proposals nor that the name lives in them.
  const verification = {
    status: 'rejected',
    decidedAt: new Date(),
    reason: 'Old.',
    submittedAt: new Date(),
  } as const;
  await app.database.profiles.updateOne({ _id: id }, { $set: { verification, revision: 3 } });
  expect(await accountOf(app.url, token)).toMatchObject({
    name: 'Dr. Doc Tor',
    profile: { proposal: PROPOSED, verification: { status: 'REJECTED' } },
  });
  await correct({ phone: '+1 555 0159' });
  expect(await accountOf(app.url, token)).toMatchObject({
    ...{ name: PROPOSED.name, phone: '+1 555 0159' },
    profile: { licenseNumber: 'MD-2', proposal: null, verification: { status: 'REJECTED' } },
  });
});

test.each([{ name: 7, submittedAt: new Date() }, { name: 'Without a time' }, 'text'])(
  'a profile with the proposal %j of another program is not shown',
  async (proposal) => {
    const { id, token } = await aVerifiedDoctor();
    await app.database.profiles.updateOne({ _id: id }, { $set: { proposal } as never });
    expect((await accountOf(app.url, token))?.profile ?? null).toBeNull();
    expect((await doctorsOf(app, reviewer.token, { proposals: true, first: 100 })).ids).not.toContain(id);
  },
);
