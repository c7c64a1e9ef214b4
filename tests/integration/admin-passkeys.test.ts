// What operators do for people who have lost a device. The commands run in this process, beside a running gateway.

import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { admin } from '../support/admin-command.ts';
import {
  accepted,
  addPasskey,
  anAuthenticator,
  aPasskeyOwner,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../support/passkeys.ts';
import { rememberPassword } from '../support/response-record.ts';
import { byRest, done } from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp(PASSKEYS);
const settings = (more: object = {}) => ({
  ...{ ...PASSKEYS, MONGODB_URI: app.database.uri, BCRYPT_COST: '4', LOG_LEVEL: 'fatal' },
  ...more,
});
const run = (...words: string[]) => admin(settings(), 'passkeys', ...words);
const WHY = ['--as', 'Ada', '--reason', 'Lost the tablet.'];
const login = async (authenticator: ReturnType<typeof anAuthenticator>) =>
  passkeysByRest(app.url)('loginWithPasskey', {
    credential: await loginCredential(app.url, authenticator),
  });

test('list shows the passkeys of an account, and no key', async () => {
  const { id, email, authenticator, passkey } = await aPasskeyOwner(app.url);
  const shown = await run('list', '--email', email);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    new RegExp(`^${passkey.id} {2}added \\S+Z {2}never used {2}on one device {2}"node"\n$`),
  );
  accepted(await login(authenticator));
  const { json, stdout } = await admin(settings(), 'passkeys', 'list', '--account', id, '--json');
  expect(json).toMatchObject([
    { account: id, id: passkey.id, lastUsedAt: expect.any(String), backedUp: false },
  ]);
  expect(stdout).not.toContain('publicKey');
  const events = app.database.db.collection<StoredAuditEvent>('audit_events');
  expect(await events.countDocuments({ act: 'reading', accountId: id, reason: 'passkeys' })).toBe(2);
});

test('remove takes one passkey, with its reason in the audit trail; sessions and the password stay', async () => {
  const owner = await aPasskeyOwner(app.url);
  const { id, token, passkey, authenticator } = owner;
  const { authenticator: second } = await addPasskey(app.url, owner);
  const removed = await run('remove', '--account', id, '--passkey', passkey.id, ...WHY);
  expect(removed).toMatchObject({ code: 0, stdout: `The passkey was removed from account ${id}.\n` });
  expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: true });
  accepted(await login(second));
  expect(await accountOf(app.url, token)).toMatchObject({ id });
  const events = app.database.db.collection<StoredAuditEvent>('audit_events');
  expect(await events.findOne({ act: 'passkey removal', accountId: id })).toMatchObject({
    ...{ outcome: 'success', operator: 'Ada', reason: 'Lost the tablet.' },
  });
});

test('remove changes nothing without its words, for another passkey, and for the last factor of a policy', async () => {
  const { id, passkey, authenticator } = await aPasskeyOwner(app.url);
  const words = ['remove', '--account', id, '--passkey', passkey.id];
  for (const some of [words, [...words, '--as', 'Ada'], ['remove', '--account', id, ...WHY]]) {
    expect((await run(...some)).code).toBe(2);
  }
  expect((await run('remove', '--account', id, '--passkey', 'none', ...WHY)).code).toBe(1);
  const strict = settings({ TWO_FACTOR_REQUIRED: 'patient' });
  const last = await admin(strict, 'passkeys', ...words, ...WHY);
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('two-factor remove')]);
  accepted(await login(authenticator));
  await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
  expect((await run(...words, ...WHY)).stderr).toContain('disabled');
});

test('two-factor remove takes the passkeys and their recovery codes, too', async () => {
  const { id, email, password, token, authenticator } = await aPasskeyOwner(app.url);
  done(await byRest(app.url)('renewRecoveryCodes', { password }, token));
  const removed = await admin(settings(), 'two-factor', 'remove', '--email', email, ...WHY, '--json');
  expect(removed.code).toBe(0);
  const [answer] = removed.json as { code: string }[];
  rememberPassword(answer?.code);
  const stored = await app.database.accounts.findOne({ _id: id });
  expect([stored?.passkeys, stored?.factors]).toEqual([undefined, undefined]);
  for (const name of ['passkeys', 'factors']) {
    expect(await app.database.db.collection(name).countDocuments({ accountId: id })).toBe(0);
  }
  expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: true });
});

test('accounts list counts a passkey as a second factor', async () => {
  const { id } = await aPasskeyOwner(app.url);
  const { json } = await admin(settings(), 'accounts', 'list', '--without-two-factor', '--json');
  expect((json as { id: string }[]).map((account) => account.id)).not.toContain(id);
});
