import { admin } from '../../support/admin-command.ts';
import { aPdf } from '../../support/documents.ts';
import type { Authenticated } from '../../support/expectations.ts';
import { succeeded } from '../../support/expectations.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide, newDoctor, newReviewer, refusalOf, resubmit, sendDecision } from '../../support/reviews.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp(mailSettings('smtp://127.0.0.1:1'));
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
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
  const stored = await app.database.profiles.findOne({ _id: id });
  expect(stored?.verification).toMatchObject({ grounds: ['unreadable', 'name-differs'] });
  const mails = app.database.db.collection('outgoing_mails');
  expect(await mails.findOne({ 'order.to.accountId': id })).toMatchObject({
    order: { kind: 'doctor decided', facts: { grounds: 'unreadable name-differs' } },
  });

  await resubmit(app, token, {
    licenseFile: aPdf('license.pdf'),
    diplomaFile: aPdf('diploma.pdf'),
    certificationFile: aPdf('certification.pdf'),
  });
  expect(await groundsOf(token)).toEqual(['UNREADABLE', 'NAME_DIFFERS']);
  await decide(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
  expect(await groundsOf(token)).toEqual([]);
});

test('a rejection without grounds stores none', async () => {
  const { account, token } = await newDoctor(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, ...REJECT, grounds: [] });
  const stored = await app.database.profiles.findOne({ _id: account.id });
  expect(Object.keys(stored?.verification ?? {})).not.toContain('grounds');
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
  const decided = await decide(app, reviewer.token, {
    id,
    revision: 2,
    ...REJECT,
    grounds: ['NUMBER_NOT_FOUND'],
  });
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
  const settings = { MONGODB_URI: app.database.uri, LOG_LEVEL: 'silent' };
  const run = (...words: string[]) => admin(settings, 'doctors', ...words, '--id', account.id, '--json');
  const reason = ['--reason', REJECT.reason];
  const wrong = await run('reject', ...reason, '--ground', 'ugly');
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('--ground must be of: unreadable, document-expired,');
  expect(await run('reject', ...reason, '--ground', 'wrong-document,unreadable')).toMatchObject({ code: 0 });
  expect((await run('show')).json).toMatchObject([{ grounds: ['unreadable', 'wrong-document'] }]);
});
