import { createHash } from 'node:crypto';
import { doctorParts, encode, openUpload } from '../../documents/support/parts.ts';
import { admin } from '../../support/admin-command.ts';
import { named } from '../../support/database-messages.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { nextMails, nextMailTo, waitingMails } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import {
  changeInvitation,
  invitationTokenIn,
  invited,
  invitingSettings,
  mailedToken,
  openIds,
  shownTo,
  tryToInvite,
} from '../../support/invitations.ts';
import { answerBeforeFiles } from '../../support/multipart.ts';
import {
  adminOf,
  logInAgain,
  newOperator,
  newStaffReviewer,
  operate,
  type Staff,
} from '../../support/operators.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { auditEvents, closeErasers, exportData, openEraser } from '../../support/privacy.ts';
import { answerTo } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { onEachCommand } from '../../support/sent-commands.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, expectQuarantineEmpty, type TestApp, testClock } from '../../support/test-app.ts';

const DAY_MILLIS = 86_400_000;
const INVALID = { invitation: ['This invitation is invalid or has expired. Ask for a new one.'] };

let server: SmtpTestServer;
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
let app: TestApp;
let operator: Staff;
let second: Staff;
let reviewer: Staff;
beforeAll(async () => {
  server = await startSmtpServer();
  proxy = await startDatabaseProxy();
  app = await createTestApp(invitingSettings(server.url), proxy.through);
  operator = await newOperator(app);
  second = await newOperator(app);
  reviewer = await newStaffReviewer(app);
});
beforeEach(async () => {
  // An operator makes 60 changes an hour.
  await app.database.db.collection('attempt_counts').deleteMany({});
});
afterEach(closeErasers);
afterAll(async () => {
  await app.stop();
  await proxy.stop();
  await server.stop();
});

const records = () => app.database.db.collection('invitations');
const stored = (id: string) => records().findOne({ _id: id as never });
const register = (fields: { email: string; invitation: string }) =>
  graphqlApi(app.url).registerPatient(aPatient(fields));
const invite = (fields: object = {}) => invited(app, server, operator, fields);

async function later(millis: number): Promise<void> {
  testClock.move(millis);
  operator = await logInAgain(app, operator);
}

/** A way in which an invitation does not work: its token must not be distinguishable from an unknown one. */
async function expectVoid(token: string, email: string): Promise<void> {
  expect(await shownTo(app, token)).toMatchObject({ code: 'BAD_USER_INPUT', errors: INVALID });
  expectInvalid(await register({ email, invitation: token }), INVALID);
}

test('an invited patient registers with the mailed token, once, and the e-mail is proven', async () => {
  const email = freshEmail();
  const { token, id, ...invitation } = await invite({ email });
  const expiresAt = new Date(app.now() + 7 * DAY_MILLIS - 4_500);
  expect(invitation).toMatchObject({ email, role: 'PATIENT', name: 'Paula Patient' });
  expect(Math.abs(Date.parse(invitation.expiresAt) - expiresAt.getTime())).toBeLessThan(10_000);
  expect(await shownTo(app, token)).toEqual({ ...invitation, email });
  expect(JSON.stringify(await stored(id))).not.toContain(token);
  expect(await openIds(app, operator)).toContain(id);

  const outcome = await register({ email: email.toUpperCase(), invitation: token });
  const { account } = authenticated(outcome);
  const made = await app.database.db.collection('accounts').findOne({ _id: account.id as never });
  expect(made).toMatchObject({ emailProof: { emailKey: email, at: expect.any(Date) } });
  // No link is mailed to prove it.
  expect(await waitingMails(app)).toBe(0);
  expect(await openIds(app, operator)).not.toContain(id);
  expect(await stored(id)).toMatchObject({ end: 'used' });
  await expectVoid(token, freshEmail());
  const trail = await auditEvents(app)
    .find({ act: { $in: ['invitation', 'registration'] }, outcome: 'success' })
    .toArray();
  expect(trail).toMatchObject([
    { act: 'invitation', outcome: 'success', byAccountId: operator.id, door: 'operators' },
    { act: 'registration', outcome: 'success', reason: 'invited', accountId: account.id },
  ]);
});

test('an invited doctor registers with documents; without the right token no file is received', async () => {
  const email = freshEmail();
  const patient = await invite();
  const { token } = await invite({ email, role: 'DOCTOR' });
  const api = graphqlApi(app.url);
  const early = async (fields: object, kind: 'forbidden' | 'validation') => {
    const http = await answerBeforeFiles(app.url, api.doctorRequest(aDoctor({ email, ...fields })));
    refused(api.doctorOutcome(http), kind);
    await expectQuarantineEmpty(app.storageDir);
  };
  await early({}, 'forbidden');
  await early({ invitation: '' }, 'forbidden');
  await early({ invitation: 'x'.repeat(43) }, 'validation');
  await early({ invitation: patient.token }, 'validation');
  // The e-mail is known only with the whole input.
  const other = await api.registerDoctor(aDoctor({ email: freshEmail(), invitation: token }));
  expectInvalid(other, { email: ['The email field must be the address that was invited.'] });
  const { account } = registeredDoctor(await api.registerDoctor(aDoctor({ email, invitation: token })));
  expect(account.email).toBe(email);
});

test('the token is looked at again when the input is whole, and as a literal, too', async () => {
  const { token, email } = await invite({ role: 'DOCTOR' });
  const api = graphqlApi(app.url);
  const fields = aDoctor({ email, invitation: token });
  const [operations, ...files] = await doctorParts(api, fields);
  const { query, variables } = JSON.parse(String(operations?.content));
  const { invitation, ...texts } = variables.input;
  const inlined = Object.entries(texts).map(([name, value]) =>
    value === null ? `${name}: $${name}` : `${name}: ${JSON.stringify(value)}`,
  );
  const own = `{ invitation: $invitation, ${inlined.join(', ')} }`;
  const names = Object.keys(texts).filter((name) => texts[name] === null);
  const declared = ['$invitation: String', ...names.map((name) => `$${name}: Upload!`)].join(', ');
  const written = {
    query: query.replace('$input: RegisterDoctorInput!', declared).replace('input: $input', `input: ${own}`),
    variables: { invitation, ...Object.fromEntries(names.map((name) => [name, null])) },
  };
  const [map, ...documents] = files;
  const places = String(map?.content).replaceAll('variables.input.', 'variables.');
  const body = encode([
    { ...operations, content: Buffer.from(JSON.stringify(written)) } as never,
    { ...map, content: Buffer.from(places) } as never,
    ...documents,
  ]);
  const req = openUpload(app.url, api, body.length, {});
  req.end(body);
  expect(registeredDoctor(api.doctorOutcome(await answerTo(req))).account.email).toBe(email);
});

test('an invitation is for its e-mail and its role', async () => {
  const { token } = await invite();
  const wrong = await register({ email: freshEmail(), invitation: token });
  expectInvalid(wrong, { email: ['The email field must be the address that was invited.'] });
  const { token: ofDoctor, email } = await invite({ role: 'DOCTOR' });
  expectInvalid(await register({ email, invitation: ofDoctor }), INVALID);
});

test('REST is closed, also with an invitation, and takes no such field', async () => {
  const { token, email } = await invite();
  const fields = aPatient({ email, invitation: token });
  refused(await restApi(app.url).registerPatient(fields), 'forbidden');
});

test('only an e-mail without an account and without an invitation is invited, as a doctor or a patient', async () => {
  const { email, token } = await invite();
  const ruleOf = async (spelled: string) =>
    (await tryToInvite(app, operator, { email: spelled })).extensions.rules;
  expect(await ruleOf(email.toUpperCase())).toEqual({ email: [{ rule: 'state' }] });
  authenticated(await register({ email, invitation: token }));
  expect(await ruleOf(email)).toEqual({ email: [{ rule: 'taken' }] });
  for (const role of ['REVIEWER', 'OPERATOR']) {
    const refusal = { data: undefined, code: 'BAD_USER_INPUT' };
    expect(await tryToInvite(app, operator, { role })).toMatchObject(refusal);
  }
  expect(await waitingMails(app)).toBe(0);
});

test('of two operators who invite one person at once, one does', async () => {
  const email = freshEmail();
  const answers = await Promise.all([operator, second].map((one) => tryToInvite(app, one, { email })));
  expect(answers.filter(({ code }) => code === undefined)).toHaveLength(1);
  expect(await records().countDocuments({ email })).toBe(1);
  await mailedToken(server, email);
});

test('of many who use one invitation at once, one registers', async () => {
  const { email, token } = await invite();
  const inserts = proxy.hold(named('insert accounts'));
  const racing = Promise.all([1, 2, 3, 4].map(() => register({ email, invitation: token })));
  await inserts.arrived(4);
  inserts.release();
  const outcomes = await racing;
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await app.database.db.collection('accounts').countDocuments({ email })).toBe(1);
});

test('an invitation that is withdrawn while it is used is used, and the operator is told', async () => {
  const { email, token, id } = await invite();
  const inserts = proxy.hold(named('insert accounts'));
  const registering = register({ email, invitation: token });
  await inserts.arrived(1);
  expect(await changeInvitation(app, operator, 'withdraw', id)).toMatchObject({ code: 'CONFLICT' });
  inserts.release();
  authenticated(await registering);
  const message = 'The invitation was used: its e-mail has an account.';
  expect(await changeInvitation(app, operator, 'withdraw', id)).toMatchObject({ code: 'CONFLICT', message });
});

test.each(['withdraw', 'renew'] as const)(
  'a registration that began before its invitation was changed (%s) is refused before its account is inserted',
  async (name) => {
    const { email, token, id } = await invite();
    const tokens = proxy.hold(named('insert access_tokens'));
    const registering = register({ email, invitation: token });
    await tokens.arrived(1);
    expect(await changeInvitation(app, operator, name, id)).toMatchObject({ code: undefined });
    tokens.release();
    expectInvalid(await registering, INVALID);
    expect(await app.database.db.collection('accounts').countDocuments({ email })).toBe(0);
    if (name === 'renew') {
      await mailedToken(server, email);
    }
  },
);

test('an invitation is used by its account, even if a kill has left no note and the e-mail has changed', async () => {
  const { email, token, id } = await invite();
  const { account } = authenticated(await register({ email, invitation: token }));
  const asMailed = await stored(id);
  const digest = createHash('sha256').update(token).digest('hex');
  await records().updateOne({ _id: id as never }, { $set: { tokenDigest: digest }, $unset: { end: true } });
  expect(asMailed).toMatchObject({ end: 'used', accountId: account.id });
  await expectVoid(token, email);
  expect(await openIds(app, operator)).not.toContain(id);
  const words = ['accounts', 'set-email', '--account', account.id, '--to', freshEmail()];
  expect((await adminOf(app, ...words)).code).toBe(0);
  await expectVoid(token, email);
  expect(await changeInvitation(app, operator, 'renew', id)).toMatchObject({ code: 'CONFLICT' });
  expect(await waitingMails(app)).toBe(0);
});

test('a registration that a kill has ended before its account was inserted has used nothing', async () => {
  const { email, token, id } = await invite();
  const busyUntil = new Date(app.now() + 60_000);
  await records().updateOne({ _id: id as never }, { $set: { accountId: 'f'.repeat(24), busyUntil } });
  expect(await changeInvitation(app, operator, 'withdraw', id)).toMatchObject({ code: 'CONFLICT' });
  authenticated(await register({ email, invitation: token }));
  const other = await invite();
  // A clock that was ahead blocks nobody.
  const ahead = { accountId: 'e'.repeat(24), busyUntil: new Date(app.now() + 365 * DAY_MILLIS) };
  await records().updateOne({ _id: other.id as never }, { $set: ahead });
  expect(await changeInvitation(app, operator, 'withdraw', other.id)).toMatchObject({ code: undefined });
});

test('no mail is sent for an invitation that has ended before', async () => {
  const { data } = await tryToInvite(app, operator, {});
  const { id, email } = Object(data).invite as { id: string; email: string };
  expect(await changeInvitation(app, operator, 'withdraw', id)).toMatchObject({ code: undefined });
  const next = await invite();
  await eventually(async () => expect(await waitingMails(app)).toBe(0));
  expect(next.email).not.toBe(email);
});

test('the export of a person has the invitation, and the erasure removes it', async () => {
  const { email, token, id } = await invite();
  const { account, token: session } = authenticated(await register({ email, invitation: token }));
  const { data } = await exportData(app.url, session);
  expect(data.invitations).toMatchObject([{ email, role: 'PATIENT', name: 'Paula Patient' }]);
  const { erasure } = await openEraser(app, testClock);
  expect(await erasure.eraseNow(account.id, { ...ACTOR })).toBe(true);
  expect(await stored(id)).toBeNull();
});

const ACTOR = { channel: 'admin', ip: '', requestId: 'a-request', userAgent: undefined };

test('the database removes an invitation 30 days after its end', async () => {
  const kept = (removedAt: Date, end: number) => removedAt.getTime() - end;
  const { id, email, token, expiresAt } = await invite();
  const found = await stored(id);
  expect(kept(found?.removedAt, Date.parse(expiresAt))).toBe(30 * DAY_MILLIS);
  authenticated(await register({ email, invitation: token }));
  expect(kept((await stored(id))?.removedAt, app.now())).toBe(30 * DAY_MILLIS);
  const index = (await records().indexes()).find(({ key }) => 'removedAt' in key);
  expect(index).toMatchObject({ expireAfterSeconds: 0 });
});

test('where registration is open, an invitation still proves the e-mail, and somebody else who registers it ends it', async () => {
  const open = await createTestApp({
    ...invitingSettings(server.url),
    ...{ DOCTOR_REGISTRATION: 'off', PATIENT_REGISTRATION: 'open' },
  });
  const staff = await newOperator(open);
  expect(await tryToInvite(open, staff, { role: 'DOCTOR' })).toMatchObject({
    extensions: { rules: { role: [{ rule: 'state' }] } },
  });
  const mine = await invited(open, server, staff);
  const api = graphqlApi(open.url);
  authenticated(await api.registerPatient(aPatient({ email: mine.email, invitation: mine.token })));
  const taken = await invited(open, server, staff);
  const squatter = authenticated(await restApi(open.url).registerPatient(aPatient({ email: taken.email })));
  await nextMailTo(server, taken.email);
  expect(await shownTo(open, taken.token)).toMatchObject({ errors: INVALID });
  expect(await openIds(open, staff)).toEqual([]);
  // Whoever has registered the e-mail of a stranger does not see how that person was invited.
  expect((await exportData(open.url, squatter.token)).data.invitations).toEqual([]);
  await open.stop();
});

test('the list of those who have not come costs few queries, however many they are', async () => {
  await records().insertMany(
    Array.from({ length: 100 }, (_, index) => {
      const email = freshEmail();
      const ids = { _id: `many ${index}` as never, accountId: `nobody ${index}` };
      const times = { expiresAt: new Date(app.now()), removedAt: new Date(app.now() + DAY_MILLIS) };
      return { ...ids, email, emailKey: email, role: 'patient', name: 'Paula Patient', ...times };
    }),
  );
  const accounts: string[] = [];
  const stop = onEachCommand((name, command) => void (command[name] === 'accounts' && accounts.push(name)));
  expect((await openIds(app, operator)).length).toBeGreaterThan(99);
  stop();
  expect(accounts.length).toBeLessThan(10);
  await records().deleteMany({ accountId: /^nobody/ });
});

test('whoever tries tokens of invitations is stopped, however it is done', async () => {
  const limited = await createTestApp({
    ...invitingSettings(server.url),
    ...{ RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '4' },
  });
  const api = graphqlApi(limited.url);
  const invitation = 'x'.repeat(43);
  expect(await shownTo(limited, invitation)).toMatchObject({ code: 'BAD_USER_INPUT' });
  for (let attempt = 1; attempt < 4; attempt += 1) {
    expectInvalid(await api.registerPatient(aPatient({ invitation })), INVALID);
  }
  refused(await api.registerPatient(aPatient({ invitation })), 'too many attempts');
  refused(await api.registerDoctor(aDoctor({ invitation })), 'too many attempts');
  expect(await shownTo(limited, invitation)).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  // What is closed in any case counts nothing.
  refused(await api.registerPatient(aPatient()), 'forbidden');
  await limited.stop();
});

test('without PEOPLE_URL nobody is invited', async () => {
  const { PEOPLE_URL: _, ...settings } = invitingSettings(server.url);
  const registration = { DOCTOR_REGISTRATION: 'open', PATIENT_REGISTRATION: 'off' };
  const without = await createTestApp({ ...settings, ...registration });
  const staff = await newOperator(without);
  expect(await tryToInvite(without, staff, { role: 'DOCTOR' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await shownTo(without, 'x'.repeat(43))).toMatchObject({ code: 'NOT_FOUND' });
  await without.stop();
});

test('a role whose registration is off is neither invited nor invited again', async () => {
  const { id } = await invite();
  const settings = {
    ...{ MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir, BCRYPT_COST: '4' },
    ...{ ...invitingSettings(server.url), PATIENT_REGISTRATION: 'off' },
  };
  const created = ['create', '--role', 'patient', '--email', freshEmail(), '--name', 'Paula Patient'];
  for (const words of [created, ['renew', '--id', id]]) {
    expect(await admin(settings, 'invitations', ...words)).toMatchObject({
      code: 1,
      stderr: 'auth-gateway admin: The registration of this role is off.\n',
    });
  }
});

test('the command line invites, lists, renews and withdraws, and never shows a token', async () => {
  const { database, storageDir } = app;
  const settings = {
    ...{ MONGODB_URI: database.uri, STORAGE_DIR: storageDir, BCRYPT_COST: '4' },
    ...invitingSettings(server.url),
  };
  const run = (...words: string[]) => admin(settings, 'invitations', ...words, '--json');
  const mailed = async () => {
    // Another program has ordered the mail, by the time of the machine. The gateway looks when it has ordered one itself.
    const mails = app.database.db.collection('outgoing_mails');
    await mails.updateMany(
      { order: { $exists: true } },
      { $set: { nextAttemptAt: new Date(testClock.now()) } },
    );
    await tryToInvite(app, operator, {});
    const both = await nextMails(server, 2);
    return invitationTokenIn(both.get(email) ?? { text: '' });
  };
  const email = freshEmail();
  const made = await run('create', '--role', 'doctor', '--email', email, '--name', 'Dora Doctor');
  const [{ id } = { id: '' }] = made.json as { id: string }[];
  expect(made.json).toEqual([
    { id, email, role: 'doctor', name: 'Dora Doctor', expiresAt: expect.any(String) },
  ]);
  const token = await mailed();
  const listed = await run('list');
  expect(listed.json).toContainEqual(expect.objectContaining({ id, email }));
  const renewed = await run('renew', '--id', id);
  const second = await mailed();
  const withdrawn = await run('withdraw', '--id', id);
  for (const { stdout, stderr } of [made, listed, renewed, withdrawn]) {
    expect(stdout + stderr).not.toMatch(new RegExp(`${token}|${second}|[\\w-]{43}`));
  }
  await expectVoid(second, email);
  expect(await run('withdraw', '--id', id)).toMatchObject({ code: 1 });
  expect(await run('create', '--role', 'reviewer', '--email', email, '--name', 'R')).toMatchObject({
    code: 2,
  });
  expect(await run('withdraw')).toMatchObject({ code: 2 });
  await later(0);
});

// The time passes only in these: commands have that of the machine.

test('reviewers, and operators without a recent proof, change nothing; an operator changes 60 times an hour', async () => {
  expect(await tryToInvite(app, reviewer, {})).toMatchObject({ code: 'FORBIDDEN' });
  expect(await operate(app, '{ openInvitations { id } }', {}, reviewer.token)).toMatchObject({
    code: 'FORBIDDEN',
  });
  const { id } = await invite();
  for (let change = 1; change < 60; change += 1) {
    await changeInvitation(app, operator, 'renew', 'unknown');
  }
  expect(await changeInvitation(app, operator, 'withdraw', id)).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  testClock.move(16 * 60_000);
  expect(await tryToInvite(app, operator, {})).toMatchObject({ code: 'INSUFFICIENT_USER_AUTHENTICATION' });
  await later(0);
});

test('unknown, withdrawn, expired and replaced tokens are void in the same way', async () => {
  await expectVoid('x'.repeat(43), freshEmail());

  const withdrawn = await invite();
  const answer = await changeInvitation(app, operator, 'withdraw', withdrawn.id);
  expect(answer).toMatchObject({ code: undefined, data: { withdrawInvitation: { id: withdrawn.id } } });
  await expectVoid(withdrawn.token, withdrawn.email);
  expect(await openIds(app, operator)).not.toContain(withdrawn.id);
  // What has ended cannot be sent again, but the person can be invited again.
  expect(await changeInvitation(app, operator, 'renew', withdrawn.id)).toMatchObject({ code: 'NOT_FOUND' });
  const again = await invite({ email: withdrawn.email });
  authenticated(await register({ email: again.email, invitation: again.token }));

  const late = await invite();
  await later(7 * DAY_MILLIS);
  await expectVoid(late.token, late.email);
  expect(await openIds(app, operator)).toContain(late.id);

  // The older link is void as soon as another one is ordered.
  expect(await changeInvitation(app, operator, 'renew', late.id)).toMatchObject({ code: undefined });
  await expectVoid(late.token, late.email);
  const token = await mailedToken(server, late.email);
  await expectVoid(late.token, late.email);
  authenticated(await register({ email: late.email, invitation: token }));
});
