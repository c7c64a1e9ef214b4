// What operators do for people who have lost their second factor, or the device of a passkey. The commands run in this process, beside a running gateway.

import { AccountStore, type StoredAccount } from '../../src/stores/accounts.ts';
import { admin } from '../support/admin-command.ts';
import { useDatabase } from '../support/database.ts';
import { named } from '../support/database-messages.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { A_NOTE } from '../support/event-note.ts';
import { refused, succeeded } from '../support/expectations.ts';
import {
  accepted,
  addPasskey,
  type anAuthenticator,
  aPasskeyOwner,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../support/passkeys.ts';
import { freshPassword } from '../support/people.ts';
import { auditEvents } from '../support/privacy.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import {
  anEnrolledPerson,
  aPerson,
  byRest,
  codeAt,
  done,
  TEXTS,
  TWO_FACTOR,
  wrongCode,
} from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp({ ...TWO_FACTOR, ...PASSKEYS });
const opened = useDatabase();

const settings = () => ({
  ...TWO_FACTOR,
  ...PASSKEYS,
  NODE_ENV: 'test',
  MONGODB_URI: app.database.uri,
  BCRYPT_COST: '4',
  LOG_LEVEL: 'fatal',
});
const run = (...words: string[]) => admin(settings(), 'two-factor', ...words);
const remove = (id: string, ...words: string[]) => run('remove', '--account', id, ...words);
const passkeys = (...words: string[]) => admin(settings(), 'passkeys', ...words);
const loginWith = async (authenticator: ReturnType<typeof anAuthenticator>) =>
  passkeysByRest(app.url)('loginWithPasskey', { credential: await loginCredential(app.url, authenticator) });
const WHY = ['--as', 'Ada', '--reason', 'Lost the telephone, showed an identity card.'];

const storedOf = (_id: string) => app.database.accounts.findOne({ _id });

test('show says what an account has, and no secret', async () => {
  const { id, email, secretKey, recoveryCodes } = await anEnrolledPerson(app.url);
  const shown = await run('show', '--email', email);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    /^second factor {3}on since \S+Z\nrecovery codes {2}10\nwrong codes {5}0 in a row\npasskeys {8}0\nrequired {8}no\n$/,
  );
  const { json, stdout } = await admin(
    { ...settings(), TWO_FACTOR_REQUIRED: 'patient' },
    ...['two-factor', 'show', '--account', id, '--json'],
  );
  expect(json).toEqual([
    {
      ...{ id, enabled: true, confirmedAt: expect.any(String), recoveryCodesLeft: 10 },
      ...{ wrongCodes: 0, passkeys: 0, required: true },
    },
  ]);
  for (const secret of [secretKey, ...recoveryCodes]) {
    expect(stdout + shown.stdout).not.toContain(secret);
  }
  const without = await aPerson(app.url);
  expect((await run('show', '--account', without.id)).stdout).toContain('second factor   off\n');
});

test('remove ends the factor, the password and all sessions; a link sets a new password, and no former one adds a factor', async () => {
  const person = await anEnrolledPerson(app.url);
  const { id, email, password, secretKey, token } = person;
  const act = byRest(app.url);
  const { challenge } = await act('login', { email, password });
  const removed = await remove(id, ...WHY, '--json');
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  const [answer] = removed.json as { code: string }[];
  expect(answer).toEqual({
    ...{ id, revoked: 1, code: expect.stringMatching(/^[\w-]{43}$/) },
    ...{ url: null, expiresAt: expect.any(String) },
  });
  rememberPassword(answer?.code);
  expect(await storedOf(id)).not.toHaveProperty('factors');
  for (const collection of ['factors', 'challenges', 'access_tokens']) {
    expect(await app.database.db.collection(collection).countDocuments({ accountId: id })).toBe(0);
  }
  expect(await accountOf(app.url, token)).toBeUndefined();
  refused(await restApi(app.url).login({ email, password }), 'credentials');
  const finished = await act('completeLogin', { challenge, code: codeAt(secretKey) });
  expect(finished.errors).toEqual({ challenge: [TEXTS.challenge] });
  const newPassword = freshPassword();
  succeeded(await restApi(app.url).resetPassword({ token: String(answer?.code), newPassword }));
  done(await act('login', { email, password: newPassword }));
  const events = await auditEvents(app).find({ accountId: id, act: 'second factor reset' }).toArray();
  expect(events).toMatchObject([{ outcome: 'success', operator: 'Ada', reason: WHY[3], revoked: 1 }]);
});

test('remove ends the password of an account without a factor, which somebody else may have, and prints the link', async () => {
  const { id, email, password, token } = await aPerson(app.url);
  const { code, stdout } = await remove(id, ...WHY);
  const [first, second, secret = ''] = stdout.split('\n');
  rememberPassword(secret);
  expect(code).toBe(0);
  expect(first).toBe(`The second factor and the password of account ${id} were removed; tokens revoked: 1.`);
  expect(second).toMatch(/^The code for a new password of account /);
  expect(await accountOf(app.url, token)).toBeUndefined();
  refused(await restApi(app.url).login({ email, password }), 'credentials');
});

test('remove changes nothing without a name or a reason, and of a disabled account', async () => {
  const enrolled = await anEnrolledPerson(app.url);
  const before = await storedOf(enrolled.id);
  for (const words of [[], ['--as', 'Ada'], ['--reason', 'why'], ['--as', 'Ada', '--reason', ' ']]) {
    expect((await remove(enrolled.id, ...words)).code).toBe(2);
  }
  expect((await remove('nobody', ...WHY)).code).toBe(1);
  expect(await storedOf(enrolled.id)).toEqual(before);
  await app.database.accounts.updateOne({ _id: enrolled.id }, { $set: { disabledAt: new Date() } });
  const disabled = await remove(enrolled.id, ...WHY);
  expect([disabled.code, disabled.stderr]).toEqual([1, expect.stringContaining('disabled')]);
  expect((await storedOf(enrolled.id))?.factors).toEqual(before?.factors);
});

test('accounts list shows who has neither an app nor a passkey', async () => {
  const [without, enrolled] = [await aPerson(app.url), await anEnrolledPerson(app.url)];
  const { id } = await aPasskeyOwner(app.url);
  const { json } = await admin(
    settings(),
    ...['accounts', 'list', '--without-two-factor', '--role', 'patient', '--json'],
  );
  const ids = (json as { id?: string }[]).map((one) => one.id);
  expect([without.id, enrolled.id, id].map((one) => ids.includes(one))).toEqual([true, false, false]);
});

test('show counts the wrong codes since the last change of the password', async () => {
  const { id, email, password, secretKey } = await anEnrolledPerson(app.url);
  const wrongCodes = async () =>
    ((await run('show', '--account', id, '--json')).json as { wrongCodes: number }[])[0]?.wrongCodes;
  await byRest(app.url)('login', { email, password, code: wrongCode(secretKey) });
  expect(await wrongCodes()).toBe(1);
  const { json } = await admin(settings(), 'accounts', 'reset-link', '--account', id, '--json');
  const { code } = json[0] as { code: string };
  rememberPassword(code);
  succeeded(await restApi(app.url).resetPassword({ token: code, newPassword: freshPassword() }));
  expect(await wrongCodes()).toBe(0);
});

test('remove orders a mail to the owner', async () => {
  const { id } = await anEnrolledPerson(app.url);
  const mail = { ...settings(), ...mailSettings('smtp://127.0.0.1:9') };
  const { json } = await admin(mail, 'two-factor', 'remove', '--account', id, ...WHY, '--json');
  expect(json).toMatchObject([{ url: expect.stringContaining('https://') }]);
  rememberPassword((json[0] as { code: string }).code);
  const orders = await app.database.db
    .collection('outgoing_mails')
    .find({ 'order.to.accountId': id })
    .toArray();
  expect(orders).toMatchObject([{ order: { kind: 'second factor reset' } }]);
});

test('recovery codes that were renewed meanwhile keep the account as it is', async () => {
  const accounts = new AccountStore(opened);
  const account: StoredAccount = {
    ...{ _id: 'ada', role: 'patient', name: 'Ada', email: 'ada@example.org', emailKey: 'ada@example.org' },
    ...{ phone: null, createdAt: null, disabledAt: null },
    ...{ passwordHash: '-', factors: { app: 'an app', codes: 'its codes' } },
  };
  await opened.database.accounts.insertOne({ ...account });
  const read = await accounts.findWithPassword('ada');
  const renewed = { ...account, factors: { app: 'an app', codes: 'other codes' } };
  await opened.database.accounts.replaceOne({ _id: 'ada' }, renewed);
  expect(read && (await accounts.resetFactors(read, 'none', { keptTokenId: null }, new Date(), A_NOTE))).toBe(
    false,
  );
  expect(await opened.database.accounts.findOne({ _id: 'ada' })).toEqual(renewed);
});

test('passkeys list shows the passkeys of an account, and no key', async () => {
  const { id, email, authenticator, passkey } = await aPasskeyOwner(app.url);
  const shown = await passkeys('list', '--email', email);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    new RegExp(`^${passkey.id} {2}added \\S+Z {2}never used {2}on one device {2}"node"\n$`),
  );
  accepted(await loginWith(authenticator));
  const { json, stdout } = await passkeys('list', '--account', id, '--json');
  expect(json).toMatchObject([
    { account: id, id: passkey.id, lastUsedAt: expect.any(String), backedUp: false },
  ]);
  expect(stdout).not.toContain('publicKey');
  const reading = { act: 'reading', accountId: id, reason: 'passkeys' } as const;
  expect(await auditEvents(app).countDocuments(reading)).toBe(2);
});

test('passkeys remove takes one passkey, with its reason in the audit trail; sessions and the password stay', async () => {
  const owner = await aPasskeyOwner(app.url);
  const { id, token, passkey, authenticator } = owner;
  const { authenticator: second } = await addPasskey(app.url, owner);
  const removed = await passkeys('remove', '--account', id, '--passkey', passkey.id, ...WHY);
  expect(removed).toMatchObject({ code: 0, stdout: `The passkey was removed from account ${id}.\n` });
  expect(await loginWith(authenticator)).toMatchObject({ ok: false, isUnknown: true });
  accepted(await loginWith(second));
  expect(await accountOf(app.url, token)).toMatchObject({ id });
  expect(await auditEvents(app).findOne({ act: 'passkey removal', accountId: id })).toMatchObject({
    ...{ outcome: 'success', operator: 'Ada', reason: WHY[3] },
  });
});

test('passkeys remove changes nothing without its words, for another passkey, and for the last factor of a policy', async () => {
  const { id, passkey, authenticator } = await aPasskeyOwner(app.url);
  const words = ['remove', '--account', id, '--passkey', passkey.id];
  for (const some of [words, [...words, '--as', 'Ada'], ['remove', '--account', id, ...WHY]]) {
    expect((await passkeys(...some)).code).toBe(2);
  }
  expect((await passkeys('remove', '--account', id, '--passkey', 'none', ...WHY)).code).toBe(1);
  const strict = { ...settings(), TWO_FACTOR_REQUIRED: 'patient' };
  const last = await admin(strict, 'passkeys', ...words, ...WHY);
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('two-factor remove')]);
  accepted(await loginWith(authenticator));
  await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
  expect((await passkeys(...words, ...WHY)).stderr).toContain('disabled');
});

test('two-factor remove takes the passkeys and their recovery codes, too', async () => {
  const { id, email, password, token, authenticator } = await aPasskeyOwner(app.url);
  done(await byRest(app.url)('renewRecoveryCodes', { password }, token));
  const removed = await run('remove', '--email', email, ...WHY, '--json');
  expect(removed.code).toBe(0);
  const [answer] = removed.json as { code: string }[];
  rememberPassword(answer?.code);
  const stored = await app.database.accounts.findOne({ _id: id });
  expect([stored?.passkeys, stored?.factors]).toEqual([undefined, undefined]);
  for (const name of ['passkeys', 'factors']) {
    expect(await app.database.db.collection(name).countDocuments({ accountId: id })).toBe(0);
  }
  expect(await loginWith(authenticator)).toMatchObject({ ok: false, isUnknown: true });
});

/** Removes the factors of an account while the database is cut off from one command. */
async function removeWithout(command: string, id: string) {
  const proxy = await startDatabaseProxy();
  const through = { ...settings(), MONGODB_URI: proxy.through(app.database.uri) };
  const failed = proxy.breakAt({ command: named(command), when: 'before' }, 'cut');
  const removing = admin(through, 'two-factor', 'remove', '--account', id, ...WHY);
  await failed;
  return removing.finally(proxy.stop);
}

test.each([
  ['the sessions are ended', 'delete access_tokens'],
  ['the links are ended', 'delete reset_tokens'],
  ['the records are removed', 'delete factors'],
])('a database that fails when %s leaves nothing that opens the account', async (_, command) => {
  const { id, email, password, token } = await anEnrolledPerson(app.url);
  const { code, stdout } = await removeWithout(command, id);
  rememberPassword(stdout.split('\n')[2]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('were removed')]);
  expect(await storedOf(id)).not.toHaveProperty('factors');
  expect(await accountOf(app.url, token)).toBeUndefined();
  refused(await restApi(app.url).login({ email, password }), 'credentials');
});

test('a link that cannot be made does not hide that the factor is gone', async () => {
  const { id } = await anEnrolledPerson(app.url);
  const { code, stderr } = await removeWithout('insert reset_tokens', id);
  expect([code, stderr]).toEqual([1, expect.stringContaining('accounts reset-link makes one')]);
  expect(await storedOf(id)).not.toHaveProperty('factors');
});
