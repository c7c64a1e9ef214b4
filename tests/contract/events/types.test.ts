import { EVENT_TYPES } from '../../../src/stores/event-types.ts';
import { admin } from '../../support/admin-command.ts';
import { emailLinkSettings, mailTo, tokenIn } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { FEED, type FeedEvent, readAll, readFeed } from '../../support/feed.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aPasskeyOwner, PASSKEYS } from '../../support/passkeys.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { deleteAccount } from '../../support/privacy.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide, newReviewer, resubmit } from '../../support/reviews.ts';
import { anEnrolledPerson, byRest, codeAt, done, nextCode, TWO_FACTOR } from '../../support/second-factor.ts';
import { tokenIdOf } from '../../support/session.ts';
import { useSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const server = useSmtpServer();
let app: TestApp;
beforeAll(async () => {
  const settings = { ...TWO_FACTOR, ...PASSKEYS, ...emailLinkSettings(server.url) };
  app = await createTestApp({ ...FEED, ...settings, ERASURE_GRACE_DAYS: '1' });
});
afterAll(() => app.stop());

const seen = new Set<string>();

/** What services hear of an act. @param count of how many events at least */
async function eventsOf(act: () => Promise<unknown>, count = 1): Promise<FeedEvent[]> {
  const { next: after } = await readFeed(app.url, {});
  await act();
  for (const name of ['accounts', 'doctor_profiles']) {
    const withNote = { 'eventNotes.0': { $exists: true } };
    // The note of a change is removed as soon as its event is stored.
    expect(await app.database.db.collection(name).countDocuments(withNote)).toBe(0);
  }
  let events: FeedEvent[] = [];
  await eventually(async () => {
    // Of a command, only the next look hears.
    await testClock.advance(250);
    ({ events } = await readAll(app.url, after));
    expect(events.length).toBeGreaterThanOrEqual(count);
  });
  for (const { type } of events) {
    seen.add(type);
  }
  // The reason of a reviewer.
  expect(JSON.stringify(events)).not.toContain('Because.');
  return events;
}

const inShort = (events: readonly FeedEvent[]) =>
  events.map(({ type, cause, account }) => [type, cause, account?.state, account?.verification ?? null]);

/** Checks that services hear exactly this of an act: its type, its cause, and the state and verification of the account. */
const expectHeard = async (act: () => Promise<unknown>, ...heard: unknown[]) =>
  expect(inShort(await eventsOf(act))).toEqual([heard]);

async function command(...words: string[]): Promise<void> {
  const settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir, LOG_LEVEL: 'fatal' };
  expect(await admin(settings, ...words)).toMatchObject({ code: 0, stderr: '' });
}

async function somebody() {
  const person = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(person));
  const mail = await mailTo(server, person.email);
  return { ...person, id: String(account.id), token, mail };
}

test('of an account: from its registration to its erasure, also by commands of operators', async () => {
  const person = await somebody();
  const { id } = person;
  const api = restApi(app.url);
  const correction = { name: 'Another Name' };
  const authorization = `Bearer ${person.token}`;
  const correct = () => api.updateMyProfile(correction, authorization);
  await expectHeard(correct, 'account.updated', 'correction', 'active', null);
  const verify = async () => succeeded(await api.verifyEmail({ token: tokenIn(person.mail) }));
  await expectHeard(verify, 'account.email_verified', 'e-mail proof', 'active', null);
  const by =
    (act: string, ...words: string[]) =>
    () =>
      command('accounts', act, '--id', id, ...words);
  const moved = by('set-email', '--to', freshEmail());
  await expectHeard(moved, 'account.email_changed', 'e-mail change', 'active', null);
  await expectHeard(by('disable'), 'account.disabled', 'disabling', 'disabled', null);
  await expectHeard(by('enable'), 'account.enabled', 'enabling', 'active', null);
  await expectHeard(by('erase', '--yes'), 'account.closed', 'closing', 'closed', null);
  const [erased, ...others] = await eventsOf(by('erase', '--now', '--yes'));
  expect(others).toEqual([]);
  // Its id alone is left.
  expect(erased).toEqual({
    ...{ id: `erasure ${id}`, type: 'account.erased', at: expect.any(String), cause: 'erasure', token: null },
    account: { id, role: null, state: 'erased', verification: null },
  });
});

test('of an account that its owner closes', async () => {
  const person = await somebody();
  const close = () => deleteAccount(app.url, person.token, person.password);
  await expectHeard(close, 'account.closed', 'closing', 'closed', null);
});

test('of an e-mail that its owner changes, when the link is used', async () => {
  const person = await somebody();
  const email = freshEmail();
  succeeded(await restApi(app.url).verifyEmail({ token: tokenIn(person.mail) }));
  const events = await eventsOf(async () => {
    const { password, token } = person;
    succeeded(await restApi(app.url).changeEmail({ email, password }, `Bearer ${token}`));
    const link = tokenIn(await mailTo(server, email));
    succeeded(await restApi(app.url).verifyEmail({ token: link }));
  });
  expect(inShort(events).at(-1)).toEqual(['account.email_changed', 'e-mail change', 'active', null]);
});

test('of a doctor: rejected, submitted, verified, suspended, and what a correction changes', async () => {
  let reviewer = {} as Awaited<ReturnType<typeof newReviewer>>;
  // Until its event is published, the next look might hear it.
  await eventsOf(async () => {
    reviewer = await newReviewer(app);
  });
  let doctor = {} as ReturnType<typeof registeredDoctor>;
  const register = async () => {
    doctor = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
  };
  await expectHeard(register, 'account.registered', 'registration', 'active', 'pending');
  const { id } = doctor.account;
  const decided = (revision: number, decision: 'APPROVE' | 'REJECT' | 'SUSPEND') => () =>
    decide(app, reviewer.token, { id, revision, decision, reason: 'Because.' });
  await expectHeard(decided(0, 'REJECT'), 'doctor.rejected', 'review', 'active', 'rejected');
  const submit = () => resubmit(app, doctor.token);
  await expectHeard(submit, 'doctor.submitted', 'resubmission', 'active', 'pending');
  await expectHeard(decided(2, 'APPROVE'), 'doctor.verified', 'review', 'active', 'verified');
  const proposal = { specialization: 'Neurology' };
  const propose = () => restApi(app.url).updateMyProfile(proposal, `Bearer ${doctor.token}`);
  await expectHeard(propose, 'account.updated', 'correction', 'active', 'verified');
  await expectHeard(decided(4, 'APPROVE'), 'account.updated', 'review', 'active', 'verified');
  await expectHeard(decided(5, 'SUSPEND'), 'doctor.suspended', 'review', 'active', 'suspended');
});

test('of tokens: which one was revoked, or more', async () => {
  const person = await somebody();
  const api = restApi(app.url);
  const revoked = async (act: () => Promise<unknown>) =>
    (await eventsOf(act)).map(({ type, token }) => [type, token]);
  const { token: other } = authenticated(await api.login(person));
  expect(await revoked(async () => succeeded(await api.logout(`Bearer ${other}`)))).toEqual([
    ['sessions.revoked', tokenIdOf(other)],
  ]);
  const { token: third } = authenticated(await api.login(person));
  expect(
    await revoked(() => command('tokens', 'revoke', '--account', person.id, '--id', tokenIdOf(third))),
  ).toEqual([['sessions.revoked', tokenIdOf(third)]]);
  authenticated(await api.login(person));
  const newPassword = freshPassword();
  const change = { currentPassword: person.password, newPassword };
  expect(
    await revoked(async () => succeeded(await api.changePassword(change, `Bearer ${person.token}`))),
  ).toEqual([['sessions.revoked', null]]);
  const reset = await resetCodeOf(app, person.email);
  const password = { token: reset, newPassword: freshPassword() };
  expect(await revoked(async () => succeeded(await api.resetPassword(password)))).toEqual([
    ['sessions.revoked', null],
  ]);
  expect(
    (await eventsOf(() => command('tokens', 'revoke', '--everyone', '--yes'))).map(({ account }) => account),
  ).toEqual([null]);
});

test('of second factors and passkeys, and of the token that a step-up ends', async () => {
  const mailing = app;
  // Without mails nobody has to prove an address first.
  app = await createTestApp({ ...FEED, ...TWO_FACTOR, ...PASSKEYS });
  try {
    let person = {} as Awaited<ReturnType<typeof anEnrolledPerson>>;
    const enrolled = await eventsOf(async () => {
      person = await anEnrolledPerson(app.url);
    }, 2);
    expect(enrolled.map(({ type, cause }) => [type, cause])).toContainEqual([
      'factor.added',
      'second factor confirmation',
    ]);
    const perform = byRest(app.url);
    let token = '';
    const proof = () => ({ password: person.password, code: codeAt(person.secretKey) });
    const stepped = await eventsOf(async () => {
      ({ token } = done<{ token: string }>(await perform('stepUp', proof(), person.token)));
    });
    expect(stepped.map((event) => [event.type, event.token])).toEqual([
      ['sessions.revoked', tokenIdOf(person.token)],
    ]);
    nextCode();
    const disable = async () => done(await perform('disableTwoFactor', proof(), token));
    await expectHeard(disable, 'factor.removed', 'second factor removal', 'active', null);
    let owner = {} as Awaited<ReturnType<typeof aPasskeyOwner>>;
    const added = await eventsOf(async () => {
      owner = await aPasskeyOwner(app.url);
    }, 2);
    expect(added.map(({ type, cause }) => [type, cause])).toContainEqual([
      'factor.added',
      'passkey addition',
    ]);
    const which = ['--account', owner.id, '--passkey', owner.passkey.id, '--as', 'anna', '--reason', 'Lost.'];
    const remove = () => command('passkeys', 'remove', ...which);
    await expectHeard(remove, 'factor.removed', 'passkey removal', 'active', null);
  } finally {
    await app.stop();
    app = mailing;
  }
});

test('a login, a failure and an act without effect are no events', async () => {
  const person = await somebody();
  const api = restApi(app.url);
  const { next: after } = await readFeed(app.url, {});
  const { token } = authenticated(await api.login(person));
  await api.login({ ...person, password: freshPassword() });
  await deleteAccount(app.url, token, freshPassword());
  const same = { name: person.name };
  await api.updateMyProfile(same, `Bearer ${token}`);
  await api.logout('Bearer nothing');
  await testClock.advance(1_000);
  await testClock.advance(1_000);
  expect((await readAll(app.url, after)).events).toEqual([]);
});

// It moves the clock, and codes for a new password have the time of the machine.
test('of a verification that ends, and has ended', async () => {
  const reviewer = await newReviewer(app);
  const { account } = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
  const day = new Date(testClock.now() + 86_400_000).toISOString().slice(0, 10);
  const { id } = account;
  await eventsOf(() => decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE', until: day }));
  const nextMinute = async () => {
    await testClock.advance(60_000);
    // In small steps: a minute would end exchanges with the database that are under way.
    await eventually(async () => {
      await testClock.advance(250);
      const left = [{ tellAt: { $lte: new Date(testClock.now()) } }, { 'eventNotes.0': { $exists: true } }];
      expect(await app.database.profiles.countDocuments({ $or: left })).toBe(0);
    });
  };
  const about = (events: readonly FeedEvent[]) => inShort(events.filter((event) => event.account?.id === id));
  expect(about(await eventsOf(nextMinute))).toEqual([
    ['doctor.expiring', 'verification notice', 'active', 'verified'],
  ]);
  const now = testClock.now();
  testClock.set(Date.parse(day) + 86_400_000);
  expect(about(await eventsOf(nextMinute))).toEqual([
    ['doctor.expired', 'verification end', 'active', 'expired'],
  ]);
  testClock.set(now);
});

test('every type was caused', () => {
  expect([...seen].sort()).toEqual(Object.keys(EVENT_TYPES).sort());
});
