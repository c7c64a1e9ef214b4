import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { admin } from '../support/admin-command.ts';
import { authenticated, expectInvalid, succeeded } from '../support/expectations.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp();

const run = (words: string[], settings = {}) =>
  admin({ NODE_ENV: 'test', MONGODB_URI: app.database.uri, ...settings }, 'accounts', 'reset-link', ...words);

async function somebody() {
  const patient = aPatient();
  const { account } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, id: account.id };
}

/** The second line of the output. */
function secretIn(stdout: string): string {
  const secret = stdout.split('\n')[1] ?? '';
  rememberPassword(secret);
  return secret;
}

test('reset-link prints a link with PASSWORD_RESET_URL, by e-mail and by id, and the trail has it without the token', async () => {
  const { id, email } = await somebody();
  const settings = { PASSWORD_RESET_URL: 'https://app.example.org/reset#{token}' };
  const byEmail = await run(['--email', email.toUpperCase()], settings);
  expect(byEmail).toMatchObject({ code: 0, stderr: '' });
  expect(byEmail.stdout).toMatch(
    /^The link for a new password of account \w+, valid once until \S+Z:\nhttps:\/\/app\.example\.org\/reset#[\w-]{43}\n$/,
  );
  const [, token = ''] = secretIn(byEmail.stdout).split('#');
  const byId = await run(['--id', id, '--json'], settings);
  expect(byId.json).toEqual([
    {
      id,
      code: expect.stringMatching(/^[\w-]{43}$/),
      url: expect.any(String),
      expiresAt: expect.any(String),
    },
  ]);
  const query = { act: 'reset link', accountId: id } as const;
  const events = await app.database.db.collection<StoredAuditEvent>('audit_events').find(query).toArray();
  expect(events).toMatchObject([
    { outcome: 'success', operator: expect.any(String) },
    { outcome: 'success', operator: expect.any(String) },
  ]);
  expect(JSON.stringify(events)).not.toContain(token);
  succeeded(await restApi(app.url).resetPassword({ token, newPassword: freshPassword() }));
});

test('reset-link prints a code without PASSWORD_RESET_URL', async () => {
  const { id, email } = await somebody();
  const { stdout } = await run(['--id', id]);
  expect(stdout).toMatch(/^The code for a new password of account /);
  const newPassword = freshPassword();
  succeeded(await restApi(app.url).resetPassword({ token: secretIn(stdout), newPassword }));
  authenticated(await restApi(app.url).login({ email, password: newPassword }));
});

test('a link from before a change of the e-mail never works again, not even if the former e-mail comes back', async () => {
  const { id, email, password } = await somebody();
  const settings = { MONGODB_URI: app.database.uri };
  const setEmail = (to: string) => admin(settings, 'accounts', 'set-email', '--account', id, '--to', to);
  const tokens = () => app.database.db.collection('reset_tokens').countDocuments({ accountId: id });
  const token = secretIn((await run(['--id', id])).stdout);
  const left = await app.database.db.collection('reset_tokens').findOne({ accountId: id });
  for (const to of [freshEmail(), email]) {
    expect(await setEmail(to)).toMatchObject({ code: 0 });
    expect(await tokens()).toBe(0);
  }
  // As if the first command had been killed before it removed the token.
  await app.database.db.collection('reset_tokens').insertOne(left as NonNullable<typeof left>);
  const reset = { token, newPassword: freshPassword() };
  expectInvalid(await restApi(app.url).resetPassword(reset), {
    email: ['This password reset token is invalid.'],
  });
  authenticated(await restApi(app.url).login({ email, password }));
  // A link of today works, and a refused change ends none.
  const today = secretIn((await run(['--id', id])).stdout);
  const { email: taken } = await somebody();
  expect(await setEmail(taken)).toMatchObject({ code: 1 });
  succeeded(await restApi(app.url).resetPassword({ token: today, newPassword: freshPassword() }));
});

test('reset-link refuses an unknown or disabled account, and needs exactly one of e-mail and id', async () => {
  const { id } = await somebody();
  await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
  expect(await run(['--id', id])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'auth-gateway admin: The account is disabled: enable it first.\n',
  });
  expect((await run(['--id', 'nobody'])).stderr).toBe('auth-gateway admin: No account has this id.\n');
  expect((await run(['--email', freshEmail()])).stderr).toBe(
    'auth-gateway admin: No account has this e-mail.\n',
  );
  expect((await run([])).code).toBe(2);
  expect((await run(['--email', freshEmail(), '--id', id])).code).toBe(2);
});
