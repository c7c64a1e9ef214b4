import { eventually } from '../../support/eventually.ts';
import { type Authenticated, authenticated, succeeded } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { adminOf } from '../../support/operators.ts';
import { aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  newDoctor,
  newRejectedDoctor,
  newReviewer,
  refusalOf,
  resubmit,
  sendDecision,
} from '../../support/reviews.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(mailSettings('smtp://127.0.0.1:1'));
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

const eventsOf = (filter: object) => trailOf(app, { act: 'review', ...filter });

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
  const by = await adminOf(app, 'audit', '--by', reviewer.account.id, '--limit', '1', '--json');
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
    const sent = { id: account.id, revision, decision: 'APPROVE' };
    expect(refusalOf(await sendDecision(app, reviewer.token, sent))).toEqual({
      ...{ data: null, code: 'BAD_USER_INPUT' },
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
  const ids = [patient.account.id, reviewer.account.id, account.id, 'x', '{"$gt":""}', 'y'.repeat(50_000)];
  for (const id of [...ids, '\0']) {
    const sent = { id, revision: 0, decision: 'APPROVE' };
    const refusal = refusalOf(await sendDecision(app, reviewer.token, sent));
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
  ['without a reason', 'REJECT', undefined, 'is required'],
  ['with a blank reason', 'SUSPEND', ' \n\t', 'is required'],
  ['with a long reason', 'REJECT', 'x'.repeat(1_001), 'must not be greater than 1000 characters'],
  ['with a huge reason', 'REJECT', 'x'.repeat(90_000), 'must not be greater than 1000 characters'],
  ['with a control character', 'SUSPEND', 'a\u0007b', 'format is invalid'],
  ['with an escape sequence', 'APPROVE', '\u001b[2Jx', 'format is invalid'],
  ['with a NUL', 'REJECT', 'a\0b', 'format is invalid'],
  ['with half a character', 'REJECT', 'a\ud800b', 'format is invalid'],
])('a decision %s is refused', async (_how, decision, reason, rule) => {
  const { account } = await newDoctor(app);
  const variables = { id: account.id, revision: 0, decision, reason };
  const errors = { reason: [`The reason field ${rule}.`] };
  const refusal = { data: null, code: 'BAD_USER_INPUT', errors };
  expect(refusalOf(await sendDecision(app, reviewer.token, variables))).toEqual(refusal);
  expect((await profileOf(account.id))?.verification).toBeUndefined();
});

test('a reason may have 1,000 characters, of any plane', async () => {
  const { account } = await newDoctor(app);
  const reason = '\u{1f600}'.repeat(1_000);
  const { id } = account;
  const { profile } = await decide(app, reviewer.token, { id, revision: 0, decision: 'REJECT', reason });
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

const REJECT = { decision: 'REJECT', reason: 'Please scan it again.' } as const;

const groundsOf = async (token: string) => (await accountOf(app.url, token))?.profile?.verification.grounds;

test('the grounds of a rejection are stored once each, shown to the doctor, and gone with the next decision', async () => {
  const { account, token } = await newDoctor(app);
  const { id } = account;
  const grounds = ['NAME_DIFFERS', 'UNREADABLE', 'NAME_DIFFERS'] as const;
  const rejected = await decide(app, reviewer.token, { id, revision: 0, ...REJECT, grounds: [...grounds] });
  expect(rejected.profile.verification.grounds).toEqual(['UNREADABLE', 'NAME_DIFFERS']);
  expect(await groundsOf(token)).toEqual(['UNREADABLE', 'NAME_DIFFERS']);
  expect((await profileOf(id))?.verification).toMatchObject({ grounds: ['unreadable', 'name-differs'] });
  const mails = app.database.db.collection('outgoing_mails');
  expect(await mails.findOne({ 'order.to.accountId': id })).toMatchObject({
    order: { kind: 'doctor decided', facts: { grounds: 'unreadable name-differs' } },
  });

  await resubmit(app, token);
  expect(await groundsOf(token)).toEqual(['UNREADABLE', 'NAME_DIFFERS']);
  await decide(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
  expect(await groundsOf(token)).toEqual([]);
});

test('a rejection without grounds stores none', async () => {
  const { account, token } = await newDoctor(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, ...REJECT, grounds: [] });
  expect((await profileOf(account.id))?.verification).not.toHaveProperty('grounds');
  expect(await groundsOf(token)).toEqual([]);
});

test.each(['APPROVE', 'SUSPEND'] as const)(
  'only a rejection has grounds: %s is refused with them',
  async (decision) => {
    const { account } = await newDoctor(app);
    const variables = { id: account.id, revision: 0, decision, reason: 'x', grounds: ['UNREADABLE'] };
    expect(refusalOf(await sendDecision(app, reviewer.token, variables))).toEqual({
      ...{ data: null, code: 'BAD_USER_INPUT' },
      errors: { grounds: ['Only a rejection has grounds.'] },
    });
    const unknown = { ...variables, decision: 'REJECT', grounds: ['UGLY'] };
    expect(refusalOf(await sendDecision(app, reviewer.token, unknown)).data).toBeNull();
  },
);

test('the rejection of a correction has grounds, and the doctor stays verified', async () => {
  const { account, token } = await newDoctor(app);
  const { id } = account;
  await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
  succeeded(await restApi(app.url).updateMyProfile({ licenseNumber: 'MD-2' }, `Bearer ${token}`));
  const grounds = ['NUMBER_NOT_FOUND'] as const;
  const decided = await decide(app, reviewer.token, { id, revision: 2, ...REJECT, grounds: [...grounds] });
  expect(decided.profile.verification).toMatchObject({ status: 'VERIFIED', grounds: ['NUMBER_NOT_FOUND'] });
});

test('what another program has stored as grounds is left out', async () => {
  const { account, token } = await newDoctor(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, ...REJECT });
  for (const [stored, shown] of [
    [['ugly', 'unreadable'], ['UNREADABLE']],
    ['unreadable', []],
  ]) {
    await app.database.profiles.updateOne({ _id: account.id }, {
      $set: { 'verification.grounds': stored },
    } as never);
    expect(await groundsOf(token)).toEqual(shown);
  }
  await app.database.profiles.updateOne({ _id: account.id }, {
    $unset: { 'verification.grounds': '' },
  } as never);
});

test('an operator rejects with grounds on the command line, and show prints them', async () => {
  const { account } = await newDoctor(app);
  const run = (...words: string[]) => adminOf(app, 'doctors', ...words, '--id', account.id, '--json');
  const reason = ['--reason', REJECT.reason];
  const wrong = await run('reject', ...reason, '--ground', 'ugly');
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('--ground must be of: unreadable, document-expired,');
  expect(await run('reject', ...reason, '--ground', 'wrong-document,unreadable')).toMatchObject({ code: 0 });
  expect((await run('show')).json).toMatchObject([{ grounds: ['unreadable', 'wrong-document'] }]);
});
