import { randomUUID } from 'node:crypto';
import { addAttempts } from '../../support/attempts.ts';
import {
  emailLinkSettings,
  nextMails,
  nextMailTo,
  tokenIn,
  useMailedApp,
} from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { registeredDoctor, succeeded } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import {
  adminOf,
  change,
  changed,
  type Details,
  logInAgain,
  newOperator,
  newStaffReviewer,
  OPERATOR_API,
  opened,
  operate,
  type Staff,
} from '../../support/operators.ts';
import { aDoctor, freshEmail, freshPassword } from '../../support/people.ts';
import { auditEvents, exportData } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredOwner, aStoredPerson, enrol } from '../../support/second-factor.ts';
import { accountOf } from '../../support/session.ts';
import { letMailsBeSent, testClock } from '../../support/test-app.ts';

const DAY_MILLIS = 86_400_000;

const { app, server } = useMailedApp((url) => ({ ...OPERATOR_API, ...emailLinkSettings(url) }));
let operator: Staff;
let second: Staff;
let third: Staff;
let reviewer: Staff;
beforeAll(async () => {
  operator = await newOperator(app);
  second = await newOperator(app);
  third = await newOperator(app);
  reviewer = await newStaffReviewer(app);
});

/** The time has passed, and operators have logged in again: their tokens end. */
async function later(millis: number): Promise<void> {
  testClock.move(millis);
  operator = await logInAgain(app, operator);
  second = await logInAgain(app, second);
}

// An operator makes 60 changes an hour. The time does not pass before the last tests: commands have that of the machine.
beforeEach(async () => {
  await app.database.db.collection('attempt_counts').deleteMany({});
});

const countOrders = () =>
  app.database.db.collection('outgoing_mails').countDocuments({ order: { $exists: true } });

/** What a test has ordered and not sent. */
afterEach(async () => {
  await app.database.db.collection('outgoing_mails').deleteMany({});
});

/** A patient whose e-mail is proven. */
const somebody = () => aStoredPerson(app.database);

/** What the trail has about an account since an act, the newest first. */
const eventsOf = (details: Details, act: string) => details.events.filter((event) => event.act === act);

test('an operator disables, enables, unlocks, logs out and closes; the trail has who, what and why, and the owner a mail', async () => {
  const { id, email, token } = await somebody();
  const disabled = 'was disabled on';
  const enabled = 'was enabled again on';
  const acts = [
    ['disableAccount', 'disabling', 'disabled', disabled],
    ['enableAccount', 'enabling', 'active', enabled],
    ['unlockAccount', 'unlocking', 'active', undefined],
    ['endSessions', 'revocation', 'active', undefined],
    ['closeAccount', 'closing', 'closed', 'The operator of Clinic (app.example.org) has closed your account'],
    ['enableAccount', 'enabling', 'active', enabled],
  ] as const;
  for (const [name, act, state, mailed] of acts) {
    const reason = `Ticket ${randomUUID()}`;
    const details = await changed(app, operator, name, { account: id, reason });
    expect(details.state).toBe(state);
    expect(await countOrders()).toBe(mailed ? 1 : 0);
    if (mailed) {
      const { text } = await nextMailTo(server, email);
      expect(text).toContain(mailed);
      expect(text).toContain('the operator of the service');
      // Neither the reason nor a link.
      expect(text).not.toMatch(/Ticket|https?:/);
      await eventually(async () => expect(await countOrders()).toBe(0));
    }
    // Where nothing was different, the event comes after the answer.
    await eventually(async () => {
      const [event] = eventsOf(await opened(app, operator, id), act);
      expect(event).toMatchObject({ actor: operator.id, channel: 'operators' });
      expect(event?.outcome === 'success' ? event.reason : reason).toBe(reason);
    });
  }
  expect(await accountOf(app.url, token)).toBeUndefined();
});

test('of two operators who have seen the same, one gets CONFLICT, and so does whoever has seen an older state', async () => {
  const { id } = await somebody();
  const { version } = await opened(app, operator, id);
  const both = await Promise.all(
    [operator, second].map((one) => change(app, one, 'disableAccount', { account: id, version })),
  );
  expect(both.map(({ code }) => code ?? 'done').sort()).toEqual(['CONFLICT', 'done']);
  const late = await change(app, second, 'enableAccount', { account: id, version });
  expect(late).toMatchObject({ code: 'CONFLICT', data: null });
  const seen = await opened(app, operator, id);
  await adminOf(app, 'accounts', 'enable', '--account', id);
  const outdated = { account: id, version: seen.version };
  expect(await change(app, operator, 'enableAccount', outdated)).toMatchObject({ code: 'CONFLICT' });
  expect((await opened(app, operator, id)).state).toBe('active');
});

test('an owner who changes something again and again keeps no operator from the account', async () => {
  const { id, token, password } = await somebody();
  const { version } = await opened(app, operator, id);
  const authorization = `Bearer ${token}`;
  succeeded(await restApi(app.url).updateMyProfile({ name: 'Pat Other' }, authorization));
  const newPassword = freshPassword();
  succeeded(await restApi(app.url).changePassword({ currentPassword: password, newPassword }, authorization));
  await enrol(app.url, { password: newPassword, token });
  expect((await changed(app, operator, 'disableAccount', { account: id, version })).state).toBe('disabled');
  for (let mails = 0; mails < 3; mails += 1) {
    await letMailsBeSent();
    expect((await server.nextMail()).recipients).toHaveLength(1);
  }
});

// The table of operations has the own account and unknown ids for each change.
test.each([
  ['disableAccount', {}],
  ['correctEmail', { email: 'new@example.org' }],
  ['confirmAct', { act: 'a' }],
  ['declineAct', { act: 'a' }],
])('%s does not touch operators and reviewers, and knows no account of no id', async (name, more) => {
  for (const { id } of [reviewer, second, operator]) {
    const refused = await change(app, operator, name, { account: id, ...more });
    expect(refused).toMatchObject({ code: 'FORBIDDEN', data: null });
  }
  const nobody = { account: 'nobody', version: 'v', ...more };
  expect(await change(app, operator, name, nobody)).toMatchObject({ code: 'NOT_FOUND' });
  expect((await opened(app, second, reviewer.id)).state).toBe('active');
});

test.each(['', ' ', 'a\nb', 'x'.repeat(256), '\u0000'])(
  'a change without a reason is refused: %j',
  async (reason) => {
    const { id } = await somebody();
    const refused = await change(app, operator, 'disableAccount', { account: id, reason });
    expect(refused.code).toBe('BAD_USER_INPUT');
    expect((await opened(app, operator, id)).state).toBe('active');
  },
);

test('an operator saves the data of a person, with a reason, without links to documents and as an event', async () => {
  const doctor = aDoctor();
  const { account, token } = registeredDoctor(await graphqlApi(app.url).registerDoctor(doctor));
  await nextMailTo(server, doctor.email);
  const id = String(account.id);
  const own = await exportData(app.url, token);
  const reason = `Ticket ${randomUUID()}`;
  const { version } = await opened(app, operator, id);
  const exported = (staff: Staff, fields: object = { version }) =>
    operate(app, EXPORT, { input: { account: id, version: '', reason, ...fields } }, staff.token);
  const { data } = await exported(operator);
  const saved = JSON.parse(String(data?.exportAccount));
  expect(Object.keys(saved).sort()).toEqual(Object.keys(own.data).sort());
  const ofAccount = JSON.parse(JSON.stringify(own.data.account).replaceAll('"DOCTOR"', '"doctor"'));
  expect(saved.account).toEqual(ofAccount);
  const { currentInstitution, licenseNumber } = doctor as Record<string, string>;
  expect(saved.profile).toMatchObject({ licenseNumber, currentInstitution: currentInstitution ?? null });
  expect(JSON.stringify(own.data)).toMatch(/licenseFileUrl.*\/storage\/licenses\//);
  const profile = await app.database.profiles.findOne({ _id: id });
  const hidden = [
    /storage|licenses|diplomas|certifications\/|Url|FilePath|sha256|documentHashes|licenseKeys/,
  ];
  expect(String(data?.exportAccount)).not.toMatch(hidden[0] as RegExp);
  expect(String(data?.exportAccount)).not.toContain(profile?.licenseKeys?.[0]);
  const [event] = eventsOf(await opened(app, operator, id), 'data export');
  expect(event).toMatchObject({ actor: operator.id, channel: 'operators', reason, outcome: 'success' });
  // The version counts as for every change.
  expect(await exported(second)).toMatchObject({ code: 'CONFLICT', data: null });
  expect((await exported(reviewer)).code).toBe('FORBIDDEN');
  await addAttempts(app, 'operator-changes', 59);
  const seen = await opened(app, operator, id);
  expect((await exported(operator, { version: seen.version })).code).toBe('TOO_MANY_ATTEMPTS');
});

test('the data of somebody who is disabled, closed or being erased can be saved, too, and only after a proof', async () => {
  const { id } = await somebody();
  const late = await newOperator(app);
  const save = async () => {
    const { version } = await opened(app, late, id);
    return operate(app, EXPORT, { input: { account: id, version, reason: 'Asked.' } }, late.token);
  };
  for (const field of ['disabledAt', 'erasureDueAt', 'erasingSince']) {
    await app.database.accounts.updateOne({ _id: id }, { $set: { [field]: new Date(testClock.now()) } });
    expect(JSON.parse(String((await save()).data?.exportAccount))).toMatchObject({ account: { id } });
  }
  const issued = { authTime: new Date(testClock.now() - 901_000) };
  await app.database.tokens.updateMany({ accountId: late.id }, { $set: issued });
  expect((await save()).code).toBe('INSUFFICIENT_USER_AUTHENTICATION');
});

const EXPORT = 'mutation ($input: AccountChangeInput!) { exportAccount(input: $input) }';

/** The acts that together open any account. */
const ACTS = {
  correctEmail: 'e-mail change',
  removeSecondFactor: 'second factor reset',
  sendResetLink: 'reset link',
} as const;
type Guarded = keyof typeof ACTS;
const NAMES = Object.keys(ACTS) as Guarded[];
const fieldsOf = (name: Guarded) => (name === 'correctEmail' ? { email: freshEmail() } : {});

/** Does one of the acts, and takes its mails. */
async function act(staff: Staff, name: Guarded, account: string): Promise<Details> {
  const details = await changed(app, staff, name, { account, ...fieldsOf(name) });
  if (details.requested === null) {
    await nextMails(server, name === 'correctEmail' ? 2 : 1);
  }
  return details;
}

const ORDERS = NAMES.flatMap((first) =>
  NAMES.filter((other) => other !== first).map((other) => [first, other] as const),
);

test.each(ORDERS)('after %s, one operator alone cannot do %s', async (first, then) => {
  const { id, token } = await aStoredOwner(app.database);
  expect((await act(operator, first, id)).requested).toBeNull();
  expect(await accountOf(app.url, token)).toBeUndefined();
  const before = await app.database.accounts.findOne({ _id: id });
  const waiting = await act(operator, then, id);
  expect(waiting.requested).toMatchObject({ act: ACTS[then], requestedBy: operator.id });
  expect(waiting.guarded).toContain(ACTS[then]);
  // Nothing has changed, whoever asks again, and in whatever order.
  for (const name of NAMES.filter((one) => one !== first)) {
    await change(app, operator, name, { account: id, ...fieldsOf(name) });
  }
  expect(await app.database.accounts.findOne({ _id: id })).toEqual(before);
  const { requested } = await opened(app, operator, id);
  const alone = await change(app, operator, 'confirmAct', { account: id, act: requested?.id });
  expect(alone).toMatchObject({ code: 'FORBIDDEN', data: null });
  const declined = await changed(app, operator, 'declineAct', { account: id, act: requested?.id });
  expect(declined.requested).toBeNull();

  const again = await act(operator, then, id);
  const confirmed = { account: id, act: again.requested?.id, reason: 'I have called, too.' };
  const done = await change(app, second, 'confirmAct', confirmed);
  if (then === 'removeSecondFactor' && done.code === undefined) {
    expect(await app.database.accounts.findOne({ _id: id })).not.toHaveProperty('factors');
  }
  expect(done.code).toBeUndefined();
  await nextMails(server, then === 'correctEmail' ? 2 : 1);
  const [event] = eventsOf(await opened(app, second, id), 'act confirmation');
  expect(event).toMatchObject({ actor: second.id, outcome: 'success' });
});

test('an act of the command line counts, and so does a refused one not', async () => {
  const { id, email } = await somebody();
  await adminOf(app, 'accounts', 'reset-link', '--email', email);
  expect((await act(operator, 'correctEmail', id)).requested).toMatchObject({ act: 'e-mail change' });
  const other = await somebody();
  const taken = await change(app, operator, 'correctEmail', { account: other.id, email });
  expect(taken).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect((await act(operator, 'sendResetLink', other.id)).requested).toBeNull();
});

test('a mail that waits is sent again, and only one to this account', async () => {
  const [{ id, email }, stranger] = [await somebody(), await somebody()];
  const order = (accountId: string, _id: string) => ({
    ...{ _id, order: { kind: 'password changed', to: { accountId } }, orderedFrom: '', attempts: 1 },
    createdAt: new Date(testClock.now()),
    nextAttemptAt: new Date(testClock.now() + 3_600_000),
    expiresAt: new Date(testClock.now() + DAY_MILLIS),
  });
  const [mine, other] = [randomUUID(), randomUUID()];
  await app.database.db
    .collection('outgoing_mails')
    .insertMany([order(id, mine), order(stranger.id, other)] as never);
  expect((await opened(app, operator, id)).mails).toMatchObject([{ id: mine, kind: 'password changed' }]);
  const wrong = await change(app, operator, 'resendMail', { account: id, mail: other });
  expect(wrong).toMatchObject({ code: 'NOT_FOUND' });
  await changed(app, operator, 'resendMail', { account: id, mail: mine });
  await testClock.advance(10_000);
  expect((await server.nextMail()).recipients).toEqual([email]);
});

test('an operator makes 60 changes and opens 600 accounts an hour, and somebody is told at 200', async () => {
  const busy = await newOperator(app);
  const { id } = await somebody();
  const { version: seen } = await opened(app, busy, id);
  const { version: changedOnce } = await changed(app, busy, 'unlockAccount', { account: id, version: seen });
  await addAttempts(app, 'operator-changes', 58);
  const { version } = await changed(app, busy, 'unlockAccount', { account: id, version: changedOnce });
  const refused = await change(app, busy, 'unlockAccount', { account: id, version });
  expect(refused).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  const open = () => operate(app, `{ account(id: "${id}") { id } }`, {}, busy.token);
  const alarms = () => auditEvents(app).countDocuments({ act: 'many readings', byAccountId: busy.id });
  const list = () => operate(app, '{ accounts { nodes { id } } }', {}, busy.token);
  const trail = () => operate(app, '{ auditEvents { nodes { id } } }', {}, busy.token);
  const waiting = () => operate(app, '{ waitingActs { id } }', {}, busy.token);
  await open();
  await trail();
  await addAttempts(app, 'many-readings', 195);
  await waiting();
  await list();
  expect(await alarms()).toBe(0);
  await open();
  expect(await alarms()).toBe(1);
  await addAttempts(app, 'opened-accounts', 594);
  expect((await open()).code).toBeUndefined();
  for (const read of [open, trail, waiting]) {
    expect((await read()).code).toBe('TOO_MANY_ATTEMPTS');
  }
  expect((await operate(app, `{ account(id: "${id}") { id } }`, {}, second.token)).code).toBeUndefined();
});

test('the same act again needs nobody else, and after seven days no act does', async () => {
  const { id } = await aStoredOwner(app.database);
  await act(operator, 'sendResetLink', id);
  await later(120_000);
  expect((await act(operator, 'sendResetLink', id)).requested).toBeNull();
  await later(7 * DAY_MILLIS - 600_000);
  expect((await act(operator, 'removeSecondFactor', id)).requested).not.toBeNull();
  await later(DAY_MILLIS);
  expect((await act(operator, 'removeSecondFactor', id)).requested).toBeNull();
});

test('a request ends after a day, with its operator, and with a change of the account', async () => {
  const { id } = await somebody();
  await act(operator, 'sendResetLink', id);
  const asked = await act(operator, 'correctEmail', id);
  const confirm = () => change(app, second, 'confirmAct', { account: id, act: asked.requested?.id });
  await later(DAY_MILLIS + 1);
  expect((await opened(app, second, id)).requested).toBeNull();
  expect(await confirm()).toMatchObject({ code: 'NOT_FOUND' });

  third = await logInAgain(app, third);
  const other = await act(third, 'correctEmail', id);
  await adminOf(app, 'accounts', 'disable', '--account', third.id);
  const orphaned = await change(app, second, 'confirmAct', { account: id, act: other.requested?.id });
  expect(orphaned).toMatchObject({ code: 'FORBIDDEN' });
});

test('a corrected e-mail counts when its mailbox has answered, and gets no link to a new password for a day', async () => {
  const { id, email, token, password } = await somebody();
  const next = freshEmail();
  const details = await changed(app, operator, 'correctEmail', { account: id, email: next });
  expect(details).toMatchObject({ email, devices: [] });
  expect(await accountOf(app.url, token)).toBeUndefined();
  const mails = await nextMails(server, 2);
  expect([...mails.keys()].sort()).toEqual([email, next].sort());
  const BY_OPERATOR = 'The operator of Clinic (app.example.org)';
  expect(mails.get(email)?.text).toContain(`${BY_OPERATOR} has asked for another e-mail address`);
  expect(mails.get(next)?.text).toContain(`${BY_OPERATOR} wants to use this e-mail address`);
  const api = restApi(app.url);
  succeeded(await api.login({ email, password }));
  const link = mails.get(next);
  succeeded(await api.verifyEmail({ token: link ? tokenIn(link) : '' }));
  expect(await opened(app, operator, id)).toMatchObject({ email: next });
  const { text: former } = await nextMailTo(server, email);
  expect(former).toContain(`${BY_OPERATOR} has changed the e-mail address of your account`);
  expect(former).toContain('If you did not ask for this, tell the operator of the service at once.');

  const reset = async () => {
    succeeded(await api.requestPasswordReset({ email: next }));
    await letMailsBeSent();
  };
  await reset();
  await eventually(async () => expect(await countOrders()).toBe(0));
  const cli = await adminOf(app, 'accounts', 'reset-link', '--account', id, '--mail');
  expect(cli.code).toBe(1);
  await later(DAY_MILLIS + 1);
  await reset();
  // The connection to the mail server may have ended in that day. Then the delivery tries again a little later.
  const stopClock = testClock.run();
  expect((await server.nextMail().finally(stopClock)).recipients).toEqual([next]);
});
