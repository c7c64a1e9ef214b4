import { mailTo } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { type RegisteredDoctor, succeeded } from '../../support/expectations.ts';
import { askAccounts, FEED, readAll, readFeed } from '../../support/feed.ts';
import { jsonOf } from '../../support/http.ts';
import { adminOf } from '../../support/operators.ts';
import { exportData, trailOf } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  doctorsOf,
  newDoctor,
  newReviewer,
  refusalOf,
  resubmit,
  sendDecision,
} from '../../support/reviews.ts';
import { APPOINTMENTS, clientEntry, introspect } from '../../support/services.ts';
import { accountOf } from '../../support/session.ts';
import { useSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const DAY = 86_400_000;
const BEGIN = new Date('2027-01-15T12:00:00Z');

const server = useSmtpServer();
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({
    ...FEED,
    INTROSPECTION_CLIENTS: [FEED.INTROSPECTION_CLIENTS, clientEntry(APPOINTMENTS)].join(','),
    TIME_ZONE: 'Europe/Berlin',
    ...mailSettings(server.url),
  });
});
afterAll(() => app.stop());
beforeEach(() => testClock.set(BEGIN));

/** Of 31 January in Berlin. */
const UNTIL = '2027-01-31T23:00:00.000Z';

type Decision = Parameters<typeof decide>[2];

/** Tokens of reviewers end soon, so each decision has its own. */
const decideOn = async (id: string, decision: Omit<Decision, 'id'>) =>
  decide(app, (await newReviewer(app)).token, { id, ...decision });

const refusedDecision = async (id: string, decision: object) =>
  refusalOf(await sendDecision(app, (await newReviewer(app)).token, { id, ...decision }));

async function aDoctorUntil(until = '2027-01-31'): Promise<RegisteredDoctor & { id: string }> {
  const doctor = await newDoctor(app);
  const { id } = doctor.account;
  await decideOn(id, { revision: 0, decision: 'APPROVE', until });
  return { ...doctor, id };
}

const verificationIn = async (token: string) => (await accountOf(app.url, token))?.profile?.verification;

const account = (id: string, verification: string) => ({ id, role: 'doctor', state: 'active', verification });

test('an approval without a last day has no end, and nothing shows one', async () => {
  const { account: own, token } = await newDoctor(app);
  await decideOn(own.id, { revision: 0, decision: 'APPROVE' });
  testClock.set(Date.parse('2127-01-01T00:00:00Z'));
  const answer = await introspect(app.url, token);
  expect(answer).toMatchObject({ verification: 'verified' });
  expect(answer).not.toHaveProperty('verified_until');
  expect(await verificationIn(token)).toMatchObject({ status: 'VERIFIED', until: null });
  const stored = await app.database.profiles.findOne({ _id: own.id });
  expect(stored?.verification).not.toHaveProperty('until');
  expect(jsonOf(await askAccounts(app.url, { ids: [own.id] }))).toMatchObject({
    accounts: [account(own.id, 'verified')],
  });
});

test.each(['2027-01-14', '2127-02-01', '9999-12-31', '0001-01-01'])(
  'the last day %s is refused, and today is not',
  async (until) => {
    const { account: own } = await newDoctor(app);
    const text = 'The until field must be a day from today on, YYYY-MM-DD, within 100 years.';
    expect(await refusedDecision(own.id, { revision: 0, decision: 'APPROVE', until })).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: { until: [text] },
    });
    await decideOn(own.id, { revision: 0, decision: 'APPROVE', until: '2027-01-15' });
  },
);

test.each(['2027-02-30', '1 March', ''])('the text %j is no day', async (until) => {
  const { account: own } = await newDoctor(app);
  const refusal = await refusedDecision(own.id, { revision: 0, decision: 'APPROVE', until });
  expect(refusal).toMatchObject({ data: null, code: 'BAD_USER_INPUT' });
});

test('the day in Berlin is today there, although it is yesterday in UTC', async () => {
  testClock.set(Date.parse('2027-01-15T23:30:00Z'));
  const { account: own } = await newDoctor(app);
  const { errors } = await refusedDecision(own.id, { revision: 0, decision: 'APPROVE', until: '2027-01-15' });
  expect(errors).toHaveProperty('until');
  await decideOn(own.id, { revision: 0, decision: 'APPROVE', until: '2027-01-16' });
});

test('a rejection, a suspension and the approval of a correction take no last day', async () => {
  const { account: own } = await newDoctor(app);
  const { id, token } = await aDoctorUntil();
  await restApi(app.url).updateMyProfile({ licenseNumber: 'MD-2' }, `Bearer ${token}`);
  for (const [doctor, decision, revision] of [
    [own.id, 'REJECT', 0],
    [own.id, 'SUSPEND', 0],
    [id, 'APPROVE', 2],
  ] as const) {
    const sent = { revision, decision, reason: 'For a test.', until: '2027-06-30' };
    expect(await refusedDecision(doctor, sent)).toMatchObject({
      errors: { until: ['Only the approval of a doctor and a change of the end have one.'] },
    });
  }
});

test('a decision of its own gives a verified doctor an end, moves it and takes it away', async () => {
  const doctor = await newDoctor(app);
  const { id } = doctor.account;
  await decideOn(id, { revision: 0, decision: 'APPROVE' });
  await mailTo(server, doctor.account.email);
  const { next } = await readFeed(app.url, {});
  const steps = [
    ['2027-01-31', UNTIL, 'valid until the end of 31 January 2027'],
    ['2028-02-29', '2028-02-29T23:00:00.000Z', 'valid until the end of 29 February 2028'],
    [undefined, null, 'this does not end any more'],
  ] as const;
  for (const [index, [day, until, mailed]] of steps.entries()) {
    const decided = await decideOn(id, {
      revision: index + 1,
      decision: 'CHANGE_END',
      ...(day && { until: day }),
      reason: 'As the license says.',
    });
    expect(decided.profile.verification).toMatchObject({
      status: 'VERIFIED',
      until,
      reason: expect.any(String),
    });
    const seconds = until === null ? undefined : Date.parse(until) / 1000;
    expect((await introspect(app.url, doctor.token)).verified_until).toBe(seconds);
    expect((await exportData(app.url, doctor.token)).data.profile?.verification.until).toBe(until);
    const { text } = await mailTo(server, doctor.account.email);
    expect(text).toContain(mailed);
    expect(text).toContain('As the license says.');
  }
  await eventually(async () => {
    const { events } = await readAll(app.url, next);
    const own = events.filter(({ account: about }) => about?.id === id);
    expect(own.map(({ type }) => type)).toEqual(Array(3).fill('doctor.verified'));
    expect(own.at(-1)?.account).toEqual(account(id, 'verified'));
  });
  const events = await trailOf(app, { act: 'review', accountId: id });
  expect(events.map(({ reason }) => reason)).toEqual([
    'approved',
    `end changed to ${UNTIL}`,
    'end changed to 2028-02-29T23:00:00.000Z',
    'end removed',
  ]);
});

test('only a verified doctor can get another end', async () => {
  const pending = await newDoctor(app);
  const ended = await aDoctorUntil();
  testClock.set(Date.parse(UNTIL));
  for (const [id, revision] of [
    [pending.account.id, 0],
    [ended.id, 1],
  ] as const) {
    const sent = { revision, decision: 'CHANGE_END', until: '2027-06-30' };
    expect(await refusedDecision(id, sent)).toMatchObject({
      errors: { decision: ['Only the verification of a verified doctor has an end.'] },
    });
  }
});

test.each(['APPROVE', 'REJECT'] as const)('an end survives a correction, at %s', async (decision) => {
  const doctor = await aDoctorUntil();
  const { id, token } = doctor;
  const correct = restApi(app.url).updateMyProfile({ licenseNumber: 'MD-2' }, `Bearer ${token}`);
  succeeded(await correct);
  // Another end leaves the correction as it is.
  await decideOn(id, { revision: 2, decision: 'CHANGE_END', until: '2027-02-28' });
  expect((await accountOf(app.url, token))?.profile?.proposal).toMatchObject({ licenseNumber: 'MD-2' });
  const decided = await decideOn(id, { revision: 3, decision, reason: 'As the register says.' });
  const until = '2027-02-28T23:00:00.000Z';
  expect(decided.profile).toMatchObject({ proposal: null, verification: { status: 'VERIFIED', until } });
  expect(decided.profile.licenseNumber === 'MD-2').toBe(decision === 'APPROVE');
  // Also after the end, where the doctor stays expired.
  testClock.set(Date.parse(until));
  await restApi(app.url).updateMyProfile({ licenseNumber: 'MD-3' }, `Bearer ${token}`);
  const late = await decideOn(id, { revision: 5, decision, reason: 'As the register says.' });
  expect(late.profile).toMatchObject({ proposal: null, verification: { status: 'EXPIRED', until } });
});

test.each(['SUSPEND', 'REJECT'] as const)('an end is not forgotten by a decision to %s', async (decision) => {
  const { id, token } = await aDoctorUntil();
  await decideOn(id, { revision: 1, decision, reason: 'As the register says.' });
  if (decision === 'REJECT') {
    await resubmit(app, token);
  }
  const revision = decision === 'REJECT' ? 3 : 2;
  expect(await refusedDecision(id, { revision, decision: 'APPROVE' })).toMatchObject({
    errors: { until: ['The until field is required.'] },
  });
  const { profile } = await decideOn(id, { revision, decision: 'APPROVE', until: '2027-06-30' });
  expect(profile.verification).toMatchObject({ status: 'VERIFIED', until: '2027-06-30T22:00:00.000Z' });
  // Without an end, once that is what somebody wants.
  await decideOn(id, { revision: revision + 1, decision: 'CHANGE_END' });
  await decideOn(id, { revision: revision + 2, decision: 'SUSPEND', reason: 'As the register says.' });
  const again = await decideOn(id, { revision: revision + 3, decision: 'APPROVE' });
  expect(again.profile.verification).toMatchObject({ status: 'VERIFIED', until: null });
});

test('an expired doctor can be approved with another end, rejected and suspended', async () => {
  const [one, two, three] = [await aDoctorUntil(), await aDoctorUntil(), await aDoctorUntil()];
  testClock.set(Date.parse(UNTIL));
  expect(await refusedDecision(one.id, { revision: 1, decision: 'APPROVE' })).toMatchObject({
    errors: { until: ['The until field is required.'] },
  });
  const { profile } = await decideOn(one.id, { revision: 1, decision: 'APPROVE', until: '2027-06-30' });
  expect(profile.verification).toMatchObject({ status: 'VERIFIED', until: '2027-06-30T22:00:00.000Z' });
  const reason = 'The license has ended.';
  const rejected = await decideOn(two.id, { revision: 1, decision: 'REJECT', reason });
  expect(rejected.profile.verification).toMatchObject({ status: 'REJECTED', until: null });
  const suspended = await decideOn(three.id, { revision: 1, decision: 'SUSPEND', reason });
  expect(suspended.profile.verification).toMatchObject({ status: 'SUSPENDED', until: null });
});

test('the lists: who has expired, who is verified, and whose verification ends within 60 days, in its order', async () => {
  const far = await aDoctorUntil('2027-06-30');
  const last = await aDoctorUntil('2027-02-28');
  const ended = await aDoctorUntil('2027-01-20');
  const first = await aDoctorUntil('2027-01-31');
  testClock.set(Date.parse('2027-01-25T12:00:00Z'));
  const { token } = await newReviewer(app);
  const own = new Set([far, last, ended, first].map(({ id }) => id));
  const listed = async (variables: object) => {
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof doctorsOf>> = await doctorsOf(app, token, {
        ...variables,
        first: 1,
        after,
      });
      ids.push(...page.ids);
      after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null;
    } while (after !== null);
    return ids.filter((id) => own.has(id));
  };
  expect(await listed({ ending: true })).toEqual([first.id, last.id]);
  expect(await listed({ status: 'EXPIRED' })).toEqual([ended.id]);
  expect(await listed({ status: 'VERIFIED' })).toEqual([far.id, last.id, first.id]);
});

test('a program that has stored the word expired verifies nobody', async () => {
  const { id, token } = await aDoctorUntil();
  await app.database.db
    .collection<{ _id: string }>('doctor_profiles')
    .updateOne({ _id: id }, { $set: { 'verification.status': 'expired' } });
  expect(await introspect(app.url, token)).toMatchObject({ verification: 'pending' });
});

describe('with VERIFICATION_DAYS', () => {
  const byDefault = useTestApp({ VERIFICATION_DAYS: '365' });

  test('an approval of which nothing is said has that end, a day of the reviewer comes first', async () => {
    const reviewer = await newReviewer(byDefault);
    const ends = [];
    for (const until of [undefined, '2027-02-01']) {
      const { account: own } = await newDoctor(byDefault);
      const sent = { id: own.id, revision: 0, decision: 'APPROVE', ...(until && { until }) } as const;
      ends.push((await decide(byDefault, reviewer.token, sent)).profile.verification.until);
    }
    expect(ends).toEqual(['2028-01-16T00:00:00.000Z', '2027-02-02T00:00:00.000Z']);
  });
});

test('commands approve until a day, change the end, and list by it', async () => {
  const run = (...words: string[]) => adminOf(app, 'doctors', ...words);
  // Commands have the clock of the machine.
  testClock.set(new Date());
  const day = (days: number) => new Date(testClock.now() + days * DAY).toISOString().slice(0, 10);
  const endOf = (days: number) => new Date(Date.parse(day(days)) + DAY).toISOString();
  const { account: own } = await newDoctor(app);
  const which = ['--account', own.id];
  for (const until of ['2027-02-30', 'none']) {
    expect(await run('approve', ...which, '--until', until)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--until must be a day, YYYY-MM-DD.'),
    });
  }
  expect((await run('approve', ...which, '--until', day(-2))).code).toBe(1);
  expect(await run('approve', ...which, '--until', day(30))).toMatchObject({
    stdout: `Doctor ${own.id} is approved until ${endOf(30)}.\n`,
  });
  expect((await run('list', '--ending', '--json')).json).toContainEqual(
    expect.objectContaining({ id: own.id, status: 'verified', until: endOf(30) }),
  );
  expect((await run('set-end', ...which)).code).toBe(2);
  expect(await run('set-end', ...which, '--until', day(40))).toMatchObject({
    stdout: `The verification of doctor ${own.id} ends at ${endOf(40)}.\n`,
  });
  expect((await run('show', ...which)).stdout).toContain(endOf(40));
  const shown = await adminOf(app, 'accounts', 'show', ...which);
  expect(shown.stdout).toContain(endOf(40));
  expect((await run('set-end', ...which, '--until', 'none', '--json')).json).toEqual([
    { id: own.id, status: 'verified', reason: null, revision: 3 },
  ]);
  const refused = await run('list', '--ending', '--proposals');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Give only one of --status') });
});
