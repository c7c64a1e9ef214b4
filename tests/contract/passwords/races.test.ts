import { admin } from '../../support/admin-command.ts';
import { named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { deleteAccount } from '../../support/privacy.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { testClock } from '../../support/test-app.ts';

const behind = useProxiedApp();
const RACERS = 50;

async function somebody() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(behind.app.url).registerPatient(patient));
  return { ...patient, id: account.id, session: token };
}

/** Lets the time pass in which work gives up that waits for a lost connection. */
async function withTime<T>(work: Promise<T>): Promise<T> {
  const stopClock = testClock.run();
  return work.finally(stopClock);
}

const tokensOf = (accountId: string) => behind.app.database.tokens.countDocuments({ accountId });

test('of 50 racers with one reset token, one wins', async () => {
  const api = restApi(behind.app.url);
  const { email } = await somebody();
  const token = await resetCodeOf(behind.app, email);
  const wishes = Array.from({ length: RACERS }, () => freshPassword());
  const outcomes = await Promise.all(wishes.map((newPassword) => api.resetPassword({ token, newPassword })));
  const winners = wishes.filter((_, index) => outcomes[index]?.ok);
  expect(winners).toHaveLength(1);
  authenticated(await api.login({ email, password: winners[0] }));
  for (const outcome of outcomes.filter(({ ok }) => !ok)) {
    expect(refused(outcome, 'validation').message).toBe('This password reset token is invalid.');
  }
});

test('of racers with two reset tokens of one account, one wins', async () => {
  const api = restApi(behind.app.url);
  const { email } = await somebody();
  const tokens = [await resetCodeOf(behind.app, email), await resetCodeOf(behind.app, email)];
  const wishes = Array.from({ length: 10 }, () => freshPassword());
  const outcomes = await Promise.all(
    wishes.map((newPassword, index) => api.resetPassword({ token: tokens[index % 2], newPassword })),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
});

test('a reset that a change of the e-mail overtakes sets nothing: its link went to the former address', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password } = await somebody();
  const token = await resetCodeOf(behind.app, email);
  const write = behind.proxy.hold(named('update accounts'));
  const reset = api.resetPassword({ token, newPassword: freshPassword() });
  await write.arrived(1);
  const newEmail = freshEmail();
  const words = ['accounts', 'set-email', '--account', id, '--to', newEmail];
  await admin({ MONGODB_URI: behind.app.database.uri }, ...words);
  write.release();
  refused(await reset, 'validation');
  authenticated(await api.login({ email: newEmail, password }));
});

test('a login with the old password that a reset overtakes leaves no session', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password } = await somebody();
  const token = await resetCodeOf(behind.app, email);
  const issue = behind.proxy.hold(named('insert access_tokens'));
  const login = api.login({ email, password });
  await issue.arrived(1);
  succeeded(await api.resetPassword({ token, newPassword: freshPassword() }));
  issue.release();
  refused(await login, 'credentials');
  expect(await tokensOf(id)).toBe(0);
});

test('a login with the old password that a change overtakes leaves no session', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password, session } = await somebody();
  const issue = behind.proxy.hold(named('insert access_tokens'));
  const login = api.login({ email, password });
  await issue.arrived(1);
  const change = { currentPassword: password, newPassword: freshPassword() };
  succeeded(await api.changePassword(change, `Bearer ${session}`));
  issue.release();
  refused(await login, 'credentials');
  expect(await tokensOf(id)).toBe(1);
  expect(await accountOf(behind.app.url, session)).toBeDefined();
});

test('a login that the closing of its account overtakes leaves no session', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password, session } = await somebody();
  const issue = behind.proxy.hold(named('insert access_tokens'));
  const login = api.login({ email, password });
  await issue.arrived(1);
  expect((await deleteAccount(behind.app.url, session, password)).message).toBeDefined();
  issue.release();
  refused(await login, 'credentials');
  expect(await tokensOf(id)).toBe(0);
});

test('a login that the end of all sessions by an operator overtakes leaves no session', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password } = await somebody();
  const issue = behind.proxy.hold(named('insert access_tokens'));
  const login = api.login({ email, password });
  await issue.arrived(1);
  const words = ['tokens', 'revoke', '--account', id, '--all'];
  expect((await admin({ MONGODB_URI: behind.app.database.uri }, ...words)).code).toBe(0);
  issue.release();
  refused(await login, 'credentials');
  expect(await tokensOf(id)).toBe(0);
});

test('sessions end with the password, even if their removal fails, and the next login removes them', async () => {
  const api = restApi(behind.app.url);
  const { id, email, password, session } = await somebody();
  const token = await resetCodeOf(behind.app, email);
  const newPassword = freshPassword();
  const removal = behind.proxy.hold(named('delete access_tokens'));
  const reset = api.resetPassword({ token, newPassword });
  await removal.arrived(1);
  expect(await accountOf(behind.app.url, session)).toBeUndefined();
  refused(await api.login({ email, password }), 'credentials');
  // The connection of the removal is lost, as the process may be.
  await behind.proxy.restore();
  await withTime(reset);
  expect(await tokensOf(id)).toBe(1);
  authenticated(await api.login({ email, password: newPassword }));
  expect(await tokensOf(id)).toBe(1);
  const stored = await behind.app.database.accounts.findOne({ _id: id });
  expect(stored?.passwordChange).not.toHaveProperty('ending');
  expect(await accountOf(behind.app.url, session)).toBeUndefined();
});

test('a reset that breaks off before the password is set has changed nothing, and its link still works', async () => {
  const api = restApi(behind.app.url);
  const { email, password, session } = await somebody();
  const token = await resetCodeOf(behind.app, email);
  const broken = behind.proxy.breakAt({ command: named('update accounts'), when: 'before' }, 'cut');
  const newPassword = freshPassword();
  const attempt = api.resetPassword({ token, newPassword });
  await broken;
  const reset = await withTime(attempt);
  await behind.proxy.restore();
  expect(reset.ok).toBe(false);
  expect(await accountOf(behind.app.url, session)).toBeDefined();
  authenticated(await api.login({ email, password }));
  succeeded(await api.resetPassword({ token, newPassword }));
});

test('of two simultaneous closings one wins, and its time stands', async () => {
  const { id, password, session } = await somebody();
  const write = behind.proxy.hold(named('update accounts'));
  const close = () => deleteAccount(behind.app.url, session, password);
  const first = close();
  await write.arrived(1);
  testClock.move(1_000);
  const second = close();
  await write.arrived(2);
  write.release();
  const answers = await Promise.all([first, second]);
  const [winner, ...others] = answers.flatMap(({ erasedAfter }) => erasedAfter ?? []);
  expect(others).toEqual([]);
  const stored = await behind.app.database.accounts.findOne({ _id: id });
  expect(stored?.erasureDueAt).toEqual(new Date(winner ?? ''));
});
