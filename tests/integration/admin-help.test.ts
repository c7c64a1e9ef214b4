// What operators do for people who cannot log in, get no mail, or have a wrong name. The commands run beside a running gateway.

import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import type { StoredMessage } from '../../src/stores/messages.ts';
import { admin, adminEventsOf } from '../support/admin-command.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../support/expectations.ts';
import { freshEmail, freshPassword } from '../support/people.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { newDoctor } from '../support/reviews.ts';
import {
  anEnrolledPerson,
  aPerson,
  byRest,
  codeAt,
  TWO_FACTOR,
  wrongCode,
} from '../support/second-factor.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { testClock, useTestApp } from '../support/test-app.ts';

const app = useTestApp({
  ...TWO_FACTOR,
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '2',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '9',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
});

const environment = () => ({ NODE_ENV: 'test', MONGODB_URI: app.database.uri, ...TWO_FACTOR });
const run = (...words: string[]) => admin(environment(), ...words);

const eventsOf = async (act: StoredAuditEvent['act'], accountId: string) =>
  (await adminEventsOf(app, accountId)).filter((event) => event.act === act);

const somebody = () => aPerson(app.url);

describe('accounts reset-link', () => {
  const link = (words: string[], settings = {}) =>
    admin({ ...environment(), ...settings }, 'accounts', 'reset-link', ...words);

  /** The second line of the output. */
  function secretIn(stdout: string): string {
    const secret = stdout.split('\n')[1] ?? '';
    rememberPassword(secret);
    return secret;
  }

  test('prints a link with PASSWORD_RESET_URL, by e-mail and by id, and the trail has it without the token', async () => {
    const { id, email } = await somebody();
    const settings = { PASSWORD_RESET_URL: 'https://app.example.org/reset#{token}' };
    const byEmail = await link(['--email', email.toUpperCase()], settings);
    expect(byEmail).toMatchObject({ code: 0, stderr: '' });
    expect(byEmail.stdout).toMatch(
      /^The link for a new password of account \w+, valid once until \S+Z:\nhttps:\/\/app\.example\.org\/reset#[\w-]{43}\n$/,
    );
    const [, token = ''] = secretIn(byEmail.stdout).split('#');
    const byId = await link(['--id', id, '--json'], settings);
    expect(byId.json).toEqual([
      {
        id,
        code: expect.stringMatching(/^[\w-]{43}$/),
        url: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const events = await eventsOf('reset link', id);
    expect(events).toMatchObject([
      { outcome: 'success', operator: expect.any(String) },
      { outcome: 'success', operator: expect.any(String) },
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
    succeeded(await restApi(app.url).resetPassword({ token, newPassword: freshPassword() }));
  });

  test('prints a code without PASSWORD_RESET_URL', async () => {
    const { id, email } = await somebody();
    const { stdout } = await link(['--id', id]);
    expect(stdout).toMatch(/^The code for a new password of account /);
    const newPassword = freshPassword();
    succeeded(await restApi(app.url).resetPassword({ token: secretIn(stdout), newPassword }));
    authenticated(await restApi(app.url).login({ email, password: newPassword }));
  });

  test('a link from before a change of the e-mail never works again, not even if the former e-mail comes back', async () => {
    const { id, email, password } = await somebody();
    const setEmail = (to: string) => run('accounts', 'set-email', '--account', id, '--to', to);
    const tokens = () => app.database.db.collection('reset_tokens').countDocuments({ accountId: id });
    const token = secretIn((await link(['--id', id])).stdout);
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
    const today = secretIn((await link(['--id', id])).stdout);
    const { email: taken } = await somebody();
    expect(await setEmail(taken)).toMatchObject({ code: 1 });
    succeeded(await restApi(app.url).resetPassword({ token: today, newPassword: freshPassword() }));
  });

  test('refuses an unknown or disabled account, and needs exactly one of e-mail and id', async () => {
    const { id } = await somebody();
    await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
    expect(await link(['--id', id])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'auth-gateway admin: The account is disabled: enable it first.\n',
    });
    expect((await link(['--id', 'nobody'])).stderr).toBe('auth-gateway admin: No account has this id.\n');
    expect((await link(['--email', freshEmail()])).stderr).toBe(
      'auth-gateway admin: No account has this e-mail.\n',
    );
    expect((await link([])).code).toBe(2);
    expect((await link(['--email', freshEmail(), '--id', id])).code).toBe(2);
  });
});

describe('accounts unlock', () => {
  test('lets the owner of an account try again at once, and nobody else; the network keeps its limit', async () => {
    const [person, other] = [await somebody(), await somebody()];
    const login = ({ email, password }: { email: string; password: string }) =>
      restApi(app.url).login({ email, password });
    const fail = ({ email }: { email: string }) => login({ email, password: freshPassword() });
    // The place of the registration is known, and counts apart.
    for (const { email } of [person, person, other, other]) {
      refused(await fail({ email }), 'credentials');
    }
    refused(await login(person), 'too many attempts');
    expect((await run('accounts', 'unlock', '--email', person.email.toUpperCase())).stdout).toBe(
      `Account ${person.id} is unlocked.\n`,
    );
    const again = await run('accounts', 'unlock', '--email', person.email, '--json');
    expect(again.json).toEqual([{ id: person.id, isChanged: false }]);
    refused(await login(other), 'too many attempts');
    authenticated(await login(person));
    expect(await eventsOf('unlocking', person.id)).toMatchObject([
      { outcome: 'success' },
      { outcome: 'failure', reason: 'no failed logins' },
    ]);
  });

  test('forgets wrong codes of the second factor, too', async () => {
    const person = await anEnrolledPerson(app.url);
    const perform = byRest(app.url);
    const { email, password } = person;
    const tryCode = async (code: string) => {
      const { challenge } = await perform('login', { email, password });
      return perform('completeLogin', { challenge, code });
    };
    const tries: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      tries.push((await tryCode(wrongCode(person.secretKey))).http.status);
    }
    expect([...new Set(tries)]).toEqual([422, 429]);
    await run('accounts', 'unlock', '--email', email);
    testClock.move(30_000);
    expect((await tryCode(codeAt(person.secretKey))).http.status).toBe(200);
  });
});

describe('accounts set-name and set-phone', () => {
  const shownOf = async (id: string) => (await run('accounts', 'show', '--account', id, '--json')).json[0];

  test('correct a patient and a doctor at once, and say if there was nothing to do', async () => {
    const { id } = await somebody();
    const doctor = await newDoctor(app);
    for (const account of [id, doctor.account.id]) {
      const named = await run('accounts', 'set-name', '--account', account, '--to', ' Ada Byron ');
      expect(named.stdout).toBe(`Account ${account} has the name Ada Byron now.\n`);
      await run('accounts', 'set-phone', '--account', account, '--to', '+49 30 1');
      expect(await shownOf(account)).toMatchObject({ name: 'Ada Byron', phone: '+49 30 1' });
      expect((await run('accounts', 'set-name', '--account', account, '--to', 'Ada Byron')).stdout).toMatch(
        /^Nothing was done/,
      );
      expect(await eventsOf('correction', account)).toMatchObject([
        { outcome: 'success', reason: 'name' },
        { outcome: 'success', reason: 'phone' },
        { outcome: 'failure', reason: 'nothing was different' },
      ]);
    }
    await run('accounts', 'set-phone', '--account', id, '--to', '');
    expect(await shownOf(id)).toMatchObject({ phone: null });
    expect(await run('accounts', 'set-phone', '--account', doctor.account.id, '--to', '')).toMatchObject({
      code: 1,
      stderr: 'auth-gateway admin: A doctor needs a telephone.\n',
    });
    await run('accounts', 'disable', '--account', id);
    expect(await run('accounts', 'set-name', '--account', id, '--to', 'Eve')).toMatchObject({
      code: 1,
      stderr: 'auth-gateway admin: The account is disabled: enable it first.\n',
    });
  });
});

describe('mails', () => {
  const mails = () => app.database.db.collection<StoredMessage>('outgoing_mails');
  const waiting = (attempts: number, seconds: number) => ({
    _id: `mail-${attempts}-${seconds}`,
    order: { kind: 'password changed' as const, to: { accountId: 'somebody' } },
    orderedFrom: '',
    createdAt: new Date(),
    attempts,
    nextAttemptAt: new Date(Date.now() + seconds * 1_000),
    expiresAt: new Date(Date.now() + 86_400_000),
  });

  afterEach(() => mails().deleteMany({}));

  test('mails list has what waits in pages, those that are due first, and mails retry makes them due', async () => {
    const claimed = { ...waiting(1, 300), claim: 'another instance' };
    // Two of one moment.
    const b = { ...waiting(2, 600), _id: 'b' };
    const made = [waiting(1, 900), b, { ...b, _id: 'a', attempts: 3 }, claimed];
    await mails().insertMany(made);
    const listed: unknown[] = [];
    let after: string[] = [];
    for (let pages = 0; pages < 2; pages += 1) {
      const { json } = await run('mails', 'list', '--limit', '2', '--json', ...after);
      listed.push(...json.slice(0, 2).map((mail) => (mail as { id: string }).id));
      after = ['--after', (json.at(-1) as { next: string }).next];
    }
    expect([...listed].sort()).toEqual(['a', 'b', claimed._id, made[0]?._id].sort());
    expect([listed[0], listed[3]]).toEqual([claimed._id, made[0]?._id]);
    const { stdout } = await run('mails', 'list');
    expect(stdout).toMatch(/^ID .*\nmail-1-300 +password changed +account somebody .* being sent\n/);
    expect((await run('mails', 'retry', '--id', 'a')).stdout).toBe('Mails to try again: 1.\n');
    expect((await run('mails', 'retry', '--all', '--json')).json).toEqual([{ retried: 2 }]);
    const left = await mails()
      .find({ nextAttemptAt: { $gt: new Date() } })
      .toArray();
    expect(left.map(({ _id }) => _id)).toEqual([claimed._id]);
    for (const id of [claimed._id, 'a', 'none']) {
      expect(await run('mails', 'retry', '--id', id)).toMatchObject({ code: 1 });
    }
    expect(await run('mails', 'list', '--after', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It may be sent by now'),
    });
  });

  test('reset-link --mail mails a link that nobody else sees', async () => {
    const server = await startSmtpServer();
    const gateway = { MONGODB_URI: app.database.uri, ...mailSettings(server.url) };
    try {
      const { id, email } = await somebody();
      const mailed = await admin(gateway, 'accounts', 'reset-link', '--email', email, '--mail');
      expect(mailed).toMatchObject({ code: 0, stdout: `A link is mailed to ${email}.\n` });
      expect(await mails().find().toArray()).toMatchObject([
        { order: { kind: 'password reset', to: { accountId: id } }, orderedFrom: '' },
      ]);
      const { json } = await run('mails', 'list', '--account', id, '--json');
      expect(json).toMatchObject([{ kind: 'password reset', to: `account ${id}`, attempts: 0 }]);
      expect(await eventsOf('reset link', id)).toMatchObject([{ outcome: 'success', reason: 'by mail' }]);
      const without = await run('accounts', 'reset-link', '--account', id, '--mail');
      expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('no links to mail') });
    } finally {
      await server.stop();
    }
  });
});
