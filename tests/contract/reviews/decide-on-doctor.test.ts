import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { admin } from '../../support/admin-command.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authenticated, authenticated } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import {
  decide,
  newDoctor,
  newRejectedDoctor,
  newReviewer,
  refusalOf,
  sendDecision,
} from '../../support/reviews.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

const eventsOf = (filter: object) =>
  app.database.db
    .collection<StoredAuditEvent>('audit_events')
    .find({ act: 'review', ...filter })
    .toArray();

const profileOf = (id: string) => app.database.profiles.findOne({ _id: id });

test('a decision has a status, a time and a reason, which the doctor sees', async () => {
  const { account, token } = await newDoctor(app);
  const reason = 'The license is not readable.\nPlease scan it again.';
  const { id } = account;
  const decided = await decide(app, reviewer.token, { id, revision: 0, decision: 'REJECT', reason });
  const verification = { status: 'REJECTED', decidedAt: new Date(testClock.now()).toISOString(), reason };
  expect(decided).toMatchObject({ account: { id }, revision: 1, profile: { verification } });
  expect((await accountOf(app.url, token))?.profile).toMatchObject({ verification });
  const approved = await decide(app, reviewer.token, { id, revision: 1, decision: 'APPROVE' });
  expect(approved).toMatchObject({
    revision: 2,
    submittedAt: decided.submittedAt,
    profile: { verification: { status: 'VERIFIED', reason: null } },
  });
});

test('the audit trail has each decision with the doctor and the reviewer, and without the reason', async () => {
  const { account } = await newDoctor(app);
  const reason = 'A secret reason.';
  await decide(app, reviewer.token, { id: account.id, revision: 0, decision: 'SUSPEND', reason });
  const events = await eventsOf({ accountId: account.id });
  expect(events).toMatchObject([
    { outcome: 'success', reason: 'suspended', byAccountId: reviewer.account.id, door: 'graphql' },
  ]);
  expect(JSON.stringify(events)).not.toContain(reason);
  // An operator finds what a reviewer has done.
  const settings = { MONGODB_URI: app.database.uri, LOG_LEVEL: 'silent' };
  const by = await admin(settings, 'audit', '--by', reviewer.account.id, '--limit', '1', '--json');
  expect(by.json[0]).toMatchObject({ accountId: account.id, reason: 'suspended' });
});

test('the request log names the reviewer, not the doctor', async () => {
  const { account } = await newDoctor(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, decision: 'APPROVE' });
  await eventually(() => {
    const line = app.log.findLast((text) => text.includes('"operation":"decideOnDoctor"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ accountId: reviewer.account.id });
  });
});

test('every status has its decisions, and the same status again is refused', async () => {
  const { account } = await newDoctor(app);
  let revision = 0;
  const send = (decision: string) =>
    sendDecision(app, reviewer.token, { id: account.id, revision, decision, reason: 'For a test.' });
  const expectDecided = async (decision: string, status: string) => {
    const { data } = await send(decision);
    expect(data?.decideOnDoctor.profile.verification.status).toBe(status);
    revision += 1;
  };
  const expectRefused = async (decision: string, text: string) =>
    expect(refusalOf(await send(decision))).toMatchObject({
      data: null,
      code: 'BAD_USER_INPUT',
      errors: { decision: [text] },
    });
  await expectDecided('APPROVE', 'VERIFIED');
  await expectRefused('APPROVE', 'The doctor is already verified.');
  await expectDecided('SUSPEND', 'SUSPENDED');
  await expectRefused('SUSPEND', 'The doctor is already suspended.');
  await expectDecided('REJECT', 'REJECTED');
  await expectRefused('REJECT', 'The doctor is already rejected.');
  await expectRefused('SUSPEND', 'A rejected doctor cannot be suspended.');
  await expectDecided('APPROVE', 'VERIFIED');
  await expectDecided('REJECT', 'REJECTED');
  expect((await profileOf(account.id))?.revision).toBe(revision);
});

test('a decision on an old revision changes nothing', async () => {
  const { account } = await newRejectedDoctor(app, reviewer);
  const before = await profileOf(account.id);
  for (const revision of [0, 2, -1, 2 ** 31 - 1]) {
    const refusal = refusalOf(
      await sendDecision(app, reviewer.token, { id: account.id, revision, decision: 'APPROVE' }),
    );
    expect(refusal).toEqual({
      data: null,
      code: 'BAD_USER_INPUT',
      errors: { revision: ['The doctor has changed since. Read again.'] },
    });
  }
  expect(await profileOf(account.id)).toEqual(before);
});

test('only a suspension needs no revision', async () => {
  const { account } = await newDoctor(app);
  const decideBlindly = async (decision: string) => {
    const query = `mutation { decideOnDoctor(id: "${account.id}", decision: ${decision}, reason: "No license.") { revision } }`;
    return refusalOf(jsonOf(await sendJson(`${app.url}/graphql`, { query }, bearer(reviewer.token))));
  };
  for (const decision of ['APPROVE', 'REJECT']) {
    expect(await decideBlindly(decision)).toMatchObject({ errors: { revision: [expect.any(String)] } });
  }
  expect(await decideBlindly('SUSPEND')).toMatchObject({ data: { decideOnDoctor: { revision: 1 } } });
});

test('of several reviewers who decide at once, one wins', async () => {
  const { account } = await newDoctor(app);
  const others = await Promise.all([newReviewer(app), newReviewer(app), newReviewer(app)]);
  const decisions = ['APPROVE', 'REJECT', 'REJECT', 'APPROVE'];
  const answers = await Promise.all(
    [reviewer, ...others].map(({ token }, i) =>
      sendDecision(app, token, { id: account.id, revision: 0, decision: decisions[i], reason: 'At once.' }),
    ),
  );
  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  expect((await profileOf(account.id))?.revision).toBe(1);
  const successes = await eventsOf({ accountId: account.id, outcome: 'success' });
  expect(successes).toHaveLength(1);
});

test('ids of nobody, of patients, reviewers and disabled doctors are all unknown', async () => {
  const patient = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  const { account } = await newDoctor(app);
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { disabledAt: new Date() } });
  const ids = [
    patient.account.id,
    reviewer.account.id,
    account.id,
    'x',
    '{"$gt":""}',
    'y'.repeat(50_000),
    '\0',
  ];
  for (const id of ids) {
    const refusal = refusalOf(
      await sendDecision(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' }),
    );
    expect(refusal).toMatchObject({ data: null, code: 'NOT_FOUND' });
  }
  expect((await profileOf(account.id))?.verification).toBeUndefined();
});

test('nobody but reviewers decides, and the audit trail has who tried', async () => {
  const patient = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  const doctor = await newDoctor(app);
  const former = await newReviewer(app);
  await app.database.accounts.updateOne({ _id: former.account.id }, { $set: { role: 'patient' } });
  const decision = { id: doctor.account.id, revision: 0, decision: 'APPROVE' };
  for (const { account, token } of [patient, doctor, former]) {
    const refusal = refusalOf(await sendDecision(app, token, decision));
    expect(refusal).toMatchObject({ data: null, code: 'FORBIDDEN' });
    const events = () => eventsOf({ byAccountId: account.id, outcome: 'failure' });
    // The refusals of one minute become a sum, which waits for the writing of those before it.
    await afterSums(async () => expect(await events()).toMatchObject([{ accountId: null }]));
  }
  const disabled = await newReviewer(app);
  await app.database.accounts.updateOne({ _id: disabled.account.id }, { $set: { disabledAt: new Date() } });
  for (const token of [undefined, 'nonsense', disabled.token]) {
    expect(refusalOf(await sendDecision(app, token, decision)).code).toBe('UNAUTHENTICATED');
  }
  expect((await profileOf(doctor.account.id))?.verification).toBeUndefined();
});

test.each([
  ['without a reason', 'REJECT', undefined, 'The reason field is required.'],
  ['with a blank reason', 'SUSPEND', ' \n\t', 'The reason field is required.'],
  [
    'with a long reason',
    'REJECT',
    'x'.repeat(1_001),
    'The reason field must not be greater than 1000 characters.',
  ],
  [
    'with a huge reason',
    'REJECT',
    'x'.repeat(90_000),
    'The reason field must not be greater than 1000 characters.',
  ],
  ['with a control character', 'SUSPEND', 'a\u0007b', 'The reason field format is invalid.'],
  ['with an escape sequence', 'APPROVE', '\u001b[2Jx', 'The reason field format is invalid.'],
  ['with a NUL', 'REJECT', 'a\0b', 'The reason field format is invalid.'],
  ['with half a character', 'REJECT', 'a\ud800b', 'The reason field format is invalid.'],
])('a decision %s is refused', async (_how, decision, reason, text) => {
  const { account } = await newDoctor(app);
  const variables = { id: account.id, revision: 0, decision, reason };
  expect(refusalOf(await sendDecision(app, reviewer.token, variables))).toEqual({
    data: null,
    code: 'BAD_USER_INPUT',
    errors: { reason: [text] },
  });
  expect((await profileOf(account.id))?.verification).toBeUndefined();
});

test('a reason may have 1,000 characters, of any plane', async () => {
  const { account } = await newDoctor(app);
  const reason = '\u{1f600}'.repeat(1_000);
  const { profile } = await decide(app, reviewer.token, {
    id: account.id,
    revision: 0,
    decision: 'REJECT',
    reason,
  });
  expect(profile.verification.reason).toBe(reason);
});

test('aliases do not repeat a decision without limit', async () => {
  const { account } = await newDoctor(app);
  const operationOf = (count: number) => {
    const field = `decideOnDoctor(id: "${account.id}", revision: 0, decision: APPROVE) { revision }`;
    return `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')} }`;
  };
  const send = (count: number) =>
    sendJson(`${app.url}/graphql`, { query: operationOf(count) }, bearer(reviewer.token));
  expect((await send(50)).status).toBe(400);
  expect((await profileOf(account.id))?.verification).toBeUndefined();
  await send(10);
  expect((await profileOf(account.id))?.revision).toBe(1);
});

test('a profile without the new fields is pending, and REST shows no verification', async () => {
  const { account, token, profile } = await newDoctor(app);
  expect(await profileOf(account.id)).not.toHaveProperty('verification');
  expect((await accountOf(app.url, token))?.profile).toMatchObject({ verification: { status: 'PENDING' } });
  expect(profile).not.toHaveProperty('verification');
});
