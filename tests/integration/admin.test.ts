// All commands but one run in this process; what only a process of its own shows is in tests/processes/admin.test.ts.
import { userInfo } from 'node:os';
import { emailDigest } from '../../src/stores/email-key.ts';
import { admin, adminEventsOf, adminProcess } from '../support/admin-command.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { freshEmail, freshPassword } from '../support/people.ts';
import { auditEvents } from '../support/privacy.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { restApi } from '../support/rest-api.ts';
import { aPerson } from '../support/second-factor.ts';
import { ask, basic } from '../support/services.ts';
import { accountOf, tokenIdOf } from '../support/session.ts';
import { createTestApp, useTestApp } from '../support/test-app.ts';

storesWrongRecords();

const app = useTestApp({ TOKEN_LIFETIME_MINUTES: '60' });

const run = (...words: string[]) =>
  admin({ MONGODB_URI: app.database.uri, TOKEN_LIFETIME_MINUTES: '60' }, ...words);

const events = () => auditEvents(app);

/** A patient with two tokens, of whom all has been told. */
async function somebody() {
  const person = await aPerson(app.url);
  const { token } = authenticated(await restApi(app.url).login(person));
  await eventually(async () => expect(await events().countDocuments({ accountId: person.id })).toBe(2));
  return { ...person, tokens: [person.token, token] as const };
}

describe('tokens', () => {
  test('tokens list shows the valid tokens and no secret, as text and as JSON', async () => {
    const { id, email, tokens } = await somebody();
    const [old, valid] = tokens;
    await app.database.tokens.updateOne({ _id: tokenIdOf(old) }, { $set: { createdAt: new Date(0) } });
    const forPerson = await run('tokens', 'list', '--email', email.toUpperCase());
    expect(forPerson).toMatchObject({ code: 0, stderr: '' });
    expect(forPerson.stdout).toMatch(
      new RegExp(`^ID .*\n${tokenIdOf(valid)} +auth-token +node +127\\.0\\.0\\.1 +\\S+Z  .*\n$`),
    );
    const forProgram = await run('tokens', 'list', '--email', email, '--json');
    const stored = await app.database.tokens.findOne({ _id: tokenIdOf(valid) });
    expect(forProgram.json).toEqual([
      {
        id: tokenIdOf(valid),
        name: 'auth-token',
        device: 'node',
        ip: '127.0.0.1',
        abilities: null,
        createdAt: stored?.createdAt?.toISOString(),
        lastUsedAt: null,
        expiresAt: stored?.expiresAt?.toISOString(),
      },
    ]);
    const { passwordHash = '' } = (await app.database.accounts.findOne({ _id: id })) ?? {};
    for (const secret of [valid.split('|')[1], stored?.secretHash, passwordHash]) {
      expect(forPerson.stdout + forProgram.stdout).not.toContain(secret);
    }
  });

  test('tokens revoke ends one token or all, and the trail has it', async () => {
    const { id, email, tokens } = await somebody();
    const [first, second] = tokens;
    const one = await run('tokens', 'revoke', '--email', email, '--id', tokenIdOf(first), '--json');
    expect(one).toMatchObject({ code: 0, json: [{ revoked: 1 }] });
    expect(await accountOf(app.url, first)).toBeUndefined();
    expect(await accountOf(app.url, second)).toBeDefined();
    expect(await run('tokens', 'revoke', '--email', email, '--all')).toMatchObject({
      code: 0,
      stdout: 'Tokens revoked: 1.\n',
    });
    expect(await accountOf(app.url, second)).toBeUndefined();
    const again = await run('tokens', 'revoke', '--email', email, '--all', '--json');
    expect(again).toMatchObject({ code: 0, json: [{ revoked: 0 }] });
    const told = await adminEventsOf(app, id);
    const common = { act: 'revocation', ip: '', userAgent: null, operator: userInfo().username };
    expect(told).toMatchObject([
      { ...common, outcome: 'success', tokenId: tokenIdOf(first), revoked: null },
      { ...common, outcome: 'success', tokenId: null, revoked: 1 },
      { ...common, outcome: 'failure', tokenId: null, revoked: 0, reason: 'no tokens' },
    ]);
    expect(new Set(told.map(({ requestId }) => requestId)).size).toBe(3);
  });

  test('tokens revoke --everyone ends the sessions of all people, once the operator confirms it', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const tokens = [...one.tokens, ...other.tokens];
    const validOf = async () =>
      (await Promise.all(tokens.map((token) => accountOf(app.url, token)))).filter(Boolean).length;
    const left = await app.database.tokens.countDocuments();
    for (const more of [['--all'], ['--email', one.email], ['--account', one.id], ['--id', 'x']]) {
      expect((await run('tokens', 'revoke', '--everyone', '--yes', ...more)).code).toBe(2);
    }
    expect((await run('tokens', 'revoke', '--everyone')).code).toBe(2);
    expect([await validOf(), await app.database.tokens.countDocuments()]).toEqual([4, left]);
    const words = ['revoke', '--everyone', '--yes', '--as', `ender ${one.id}`];
    expect(await run('tokens', ...words)).toMatchObject({ code: 0, stdout: `Tokens revoked: ${left}.\n` });
    expect([await validOf(), await app.database.tokens.countDocuments()]).toEqual([0, 0]);
    expect(await run('tokens', ...words)).toMatchObject({ code: 0, stdout: 'Tokens revoked: 0.\n' });
    const told = await events()
      .find({ operator: `ender ${one.id}` })
      .sort({ at: 1 })
      .toArray();
    expect(told).toMatchObject([
      { act: 'revocation', outcome: 'success', accountId: null, revoked: left },
      { act: 'revocation', outcome: 'failure', reason: 'no tokens' },
    ]);
    authenticated(await restApi(app.url).login(one));
  });

  test('tokens revoke --everyone ends more tokens than it reads at a time', async () => {
    const { id, tokens } = await somebody();
    const record = await app.database.tokens.findOne({ _id: tokenIdOf(tokens[0]) });
    const many = Array.from({ length: 600 }, (_, index) => ({ ...record, _id: `${id}${index}` }));
    await app.database.tokens.insertMany(many as never);
    await run('tokens', 'revoke', '--everyone', '--yes');
    expect(await app.database.tokens.countDocuments()).toBe(0);
  });

  test('the trail does not contain a whole token that was given as an id', async () => {
    const { id, email, tokens } = await somebody();
    expect(await run('tokens', 'revoke', '--email', email, '--id', tokens[0])).toMatchObject({ code: 1 });
    const found = await adminEventsOf(app, id);
    expect(found).toMatchObject([{ outcome: 'failure', tokenId: null }]);
    expect(JSON.stringify(found)).not.toContain(tokens[0].split('|')[1]);
  });

  test('tokens revoke does not find a token of another account', async () => {
    const [mine, theirs] = [await somebody(), await somebody()];
    const id = tokenIdOf(theirs.tokens[0]);
    const result = await run('tokens', 'revoke', '--email', mine.email, '--id', id);
    const stderr = 'auth-gateway admin: The account has no token of this id.\n';
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
    expect(await accountOf(app.url, theirs.tokens[0])).toBeDefined();
    expect(await events().findOne({ accountId: mine.id, outcome: 'failure' })).toMatchObject({
      act: 'revocation',
      reason: 'The account has no token of this id.',
    });
  });
});

describe('accounts', () => {
  test('accounts show prints the account without its hash', async () => {
    const { id, name, email } = await somebody();
    const { json, stdout } = await run('accounts', 'show', '--email', email, '--json');
    const createdAt = expect.stringMatching(/Z$/);
    const account = { id, name, email, emailVerifiedAt: null, phone: null, role: 'patient' };
    expect(json).toEqual([{ ...account, createdAt, disabledAt: null, tokens: 2 }]);
    const forPerson = await run('accounts', 'show', '--email', email);
    expect(forPerson.stdout).toContain(`e-mail    ${email}\n`);
    expect(stdout + forPerson.stdout).not.toContain('$2b$');
  });

  test('accounts disable ends all sessions and prevents logins until accounts enable', async () => {
    const { id, email, password, tokens } = await somebody();
    const disabled = await run('accounts', 'disable', '--email', email, '--json');
    expect(disabled).toMatchObject({ code: 0, json: [{ id, disabledAt: expect.any(String), revoked: 2 }] });
    for (const token of tokens) {
      expect(await accountOf(app.url, token)).toBeUndefined();
    }
    refused(await graphqlApi(app.url).login({ email, password }), 'credentials');
    const again = await run('accounts', 'disable', '--email', email, '--json');
    expect(again.json).toEqual([{ ...(disabled.json[0] as object), revoked: 0 }]);

    const forPerson = await run('accounts', 'disable', '--email', email);
    expect(forPerson.stdout).toBe(`Nothing was done: account ${id} is disabled already.\n`);

    // The token of a login that had begun before.
    const late = { ...disabled, _id: 'late', accountId: id, name: 'auth-token', secretHash: 'hash' };
    // The link of a mail that was being written.
    const collections = ['access_tokens', 'reset_tokens', 'email_proofs'].map((name) =>
      app.database.db.collection<{ _id: string; accountId: string }>(name),
    );
    for (const collection of collections) {
      await collection.insertOne(late);
    }
    expect(await run('accounts', 'enable', '--email', email)).toMatchObject({ code: 0, stderr: '' });
    for (const collection of collections) {
      expect(await collection.countDocuments({ accountId: id })).toBe(0);
    }
    authenticated(await graphqlApi(app.url).login({ email, password }));
    const told = await adminEventsOf(app, id);
    expect(told.map(({ act, outcome, reason, revoked }) => [act, outcome, reason, revoked])).toEqual([
      ['disabling', 'success', null, 2],
      ['disabling', 'failure', 'already disabled', 0],
      ['disabling', 'failure', 'already disabled', 0],
      ['enabling', 'success', null, 1],
    ]);
  });

  test('accounts enable keeps the tokens of an account that is not disabled', async () => {
    const { id, email, tokens } = await somebody();
    const nothing = `Nothing was done: account ${id} is not disabled.\n`;
    expect(await run('accounts', 'enable', '--email', email)).toMatchObject({ code: 0, stdout: nothing });
    expect(await accountOf(app.url, tokens[0])).toBeDefined();
    const found = await adminEventsOf(app, id);
    expect(found).toMatchObject([{ act: 'enabling', outcome: 'failure', reason: 'not disabled' }]);
  });
});

describe('audit', () => {
  test('audit prints the events of an e-mail or an account, the newest last', async () => {
    const { id, email } = await somebody();
    await somebody();
    refused(await restApi(app.url).login({ email, password: freshPassword() }), 'credentials');
    await eventually(async () => expect(await events().countDocuments({ accountId: id })).toBe(3));
    const acts = ['registration', 'login', 'login'];
    for (const option of [
      ['--email', email.toUpperCase()],
      ['--account', id],
    ]) {
      const { code, json } = await run('audit', ...option, '--json');
      expect(code).toBe(0);
      expect(json).toMatchObject(
        acts.map((act) => ({ act, accountId: id, ip: '127.0.0.1', channel: 'rest' })),
      );
    }
    const last = await run('audit', '--email', email, '--limit', '2');
    expect(last.stdout).toMatch(
      /^\S+Z {2}login {2}success .*\n\S+Z {2}login {2}failure \(wrong password\) .*\nThere may be older ones: --after \S+\n$/,
    );
  });

  test('all conditions of a search apply, also to events behind thousands of others', async () => {
    const begin = Date.now() - 86_400_000;
    const made = Array.from({ length: 1_201 }, (_, index) => ({
      ...{
        _id: `made-${index}`,
        at: new Date(begin + index),
        act: 'login',
        outcome: 'success',
        requestId: '-',
      },
      accountId: index % 2 === 0 ? 'even' : 'odd',
      emailDigest: emailDigest(index % 300 === 0 ? 'rare@example.org' : 'often@example.org'),
      byAccountId: index % 600 === 0 ? 'reviewer' : null,
    }));
    await app.database.db.collection<{ _id: string }>('audit_events').insertMany(made);
    const search = async (...words: string[]) => {
      const { json } = await run('audit', ...words, '--json');
      const found = (json as { at?: string }[]).filter(({ at }) => at !== undefined);
      return found.map(({ at = '' }) => Date.parse(at) - begin);
    };
    const ofRare = ['--account', 'even', '--email', 'rare@example.org'];
    expect(await search(...ofRare)).toEqual([0, 300, 600, 900, 1_200]);
    expect(await search(...ofRare, '--limit', '2')).toEqual([900, 1_200]);
    expect(await search(...ofRare, '--limit', '5')).toEqual([0, 300, 600, 900, 1_200]);
    expect(await search(...ofRare, '--by', 'reviewer')).toEqual([0, 600, 1_200]);
    expect(await search(...ofRare, '--since', new Date(begin + 600).toISOString())).toEqual([
      600, 900, 1_200,
    ]);
    expect(await search('--email', 'rare@example.org', '--by', 'reviewer', '--limit', '1')).toEqual([1_200]);
    expect(await search(...ofRare, '--until', new Date(begin + 600).toISOString())).toEqual([0, 300]);
    expect(await search(...ofRare, '--limit', '2', '--after', 'made-900')).toEqual([300, 600]);
    expect(await search(...ofRare, '--outcome', 'failure')).toEqual([]);
    expect(await search(...ofRare, '--act', 'login', '--outcome', 'success', '--limit', '1')).toEqual([
      1_200,
    ]);
    expect(await search('--account', 'odd', '--ip', '192.0.2.1')).toEqual([]);
    expect(await run('audit', '--limit', '1', '--after', 'gone')).toMatchObject({
      code: 1,
      stderr: 'auth-gateway admin: No event has the id of --after.\n',
    });
    expect(await search('--account', 'odd', '--by', 'reviewer')).toEqual([]);
    expect(await search('--account', 'odd', '--email', 'rare@example.org', '--limit', '9')).toEqual([]);
  });

  test('audit prints the token, the operator and the number of summed refusals', async () => {
    const { id, email, tokens } = await somebody();
    await run('tokens', 'revoke', '--email', email, '--id', tokenIdOf(tokens[1]));
    const lastAt = new Date(Date.now() + 60_000);
    const login = await events().findOne({ accountId: id, act: 'login' });
    if (!login) {
      throw new Error('the login is not in the trail');
    }
    const sum = { ...login, _id: 'sum', outcome: 'failure', reason: 'Too Many Attempts.' } as const;
    await events().insertOne({ ...sum, at: lastAt, tokenId: null, count: 11_030, lastAt });
    const old = { ...login, _id: 'old', at: new Date(0) };
    for (const field of ['tokenId', 'revoked', 'operator', 'count', 'lastAt']) {
      Reflect.deleteProperty(old, field);
    }
    await events().insertOne(old);

    const { username } = userInfo();
    const { json } = await run('audit', '--account', id, '--json');
    const nothing = { tokenId: null, revoked: null, operator: null, count: null, lastAt: null };
    expect(json).toMatchObject([
      { ...nothing, at: new Date(0).toISOString() },
      { ...nothing, act: 'registration', tokenId: tokenIdOf(tokens[0]) },
      { ...nothing, act: 'login', tokenId: tokenIdOf(tokens[1]) },
      { ...nothing, act: 'revocation', tokenId: tokenIdOf(tokens[1]), operator: username },
      { ...nothing, outcome: 'failure', count: 11_030, lastAt: lastAt.toISOString() },
    ]);
    const lines = (await run('audit', '--account', id)).stdout.split('\n');
    expect(lines[3]).toContain(`token ${tokenIdOf(tokens[1])}  by admin (${username})  request `);
    expect(lines[4]).toContain(`(Too Many Attempts.)  11030 times until ${lastAt.toISOString()}  account`);
  });

  test('the trail has what operators read, with the account if it is about one', async () => {
    const { id, email } = await somebody();
    const reader = `reader of ${id}`;
    const readings = [
      ['account', 'accounts', 'show', '--email', email],
      ['tokens', 'tokens', 'list', '--account', id],
      ['list of accounts', 'accounts', 'list', '--limit', '1'],
      ['search for accounts', 'accounts', 'search', email],
      ['list of doctors', 'doctors', 'list'],
    ];
    for (const [, ...words] of readings) {
      expect(await run(...(words as string[]), '--as', reader)).toMatchObject({ code: 0 });
    }
    // Of nobody, so nothing was read.
    await run('accounts', 'show', '--account', 'nobody', '--as', reader);
    const found = await events().find({ operator: reader }).sort({ at: 1 }).toArray();
    expect(found.map(({ act, outcome, reason }) => [act, outcome, reason])).toEqual(
      readings.map(([what]) => ['reading', 'success', what]),
    );
    expect(found.map(({ accountId }) => accountId)).toEqual([id, id, null, null, null]);
  });

  test('audit prints the events since a moment or of a period', async () => {
    const { id, email } = await somebody();
    const hourAgo = new Date(Date.now() - 3_600_000);
    await events().updateOne({ accountId: id, act: 'registration' }, { $set: { at: hourAgo } });
    const count = async (since: string) =>
      (await run('audit', '--email', email, '--since', since, '--json')).json.length;
    expect(await count('2026-01-01')).toBe(2);
    expect(await count(hourAgo.toISOString())).toBe(2);
    expect(await count('2h')).toBe(2);
    expect(await count('1d')).toBe(2);
    expect(await count('59m')).toBe(1);
  });

  test('audit prints no control sequences that a caller has sent', async () => {
    const email = freshEmail();
    const { id } = await somebody();
    const userAgent = 'curl\u001b[31m\u009b31m\u202e\n';
    await events().updateOne({ accountId: id }, { $set: { userAgent } });
    const text = (await run('audit', '--account', id, '--limit', '2')).stdout;
    expect(text).toContain('curl?[31m?31m??\n');
    const { stdout, json } = await run('audit', '--account', id, '--json');
    for (const character of ['\u001b', '\u009b', '\u202e']) {
      expect(stdout).not.toContain(character);
    }
    expect(json).toContainEqual(expect.objectContaining({ userAgent }));
    expect(await run('audit', '--email', email)).toMatchObject({
      code: 0,
      stdout: 'There are no such events.\n',
    });
    expect(await run('audit', '--email', email, '--json')).toMatchObject({ code: 0, stdout: '' });
  });
});

test('a command for something unknown ends with 1 and prints no stack', async () => {
  const email = freshEmail();
  for (const words of [
    ['tokens', 'revoke', '--all'],
    ['accounts', 'show'],
  ]) {
    const result = await run(...words, '--email', email);
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'auth-gateway admin: No account has this e-mail.\n',
    });
  }
});

test('an operator can show, disable and enable an account that the APIs cannot show', async () => {
  const { id, email } = await somebody();
  const problems = { role: 'admin', email: null, name: null, createdAt: 'yesterday' };
  await app.database.db.collection<{ _id: string }>('accounts').updateOne({ _id: id }, { $set: problems });
  const { code, stdout, stderr } = await run('accounts', 'show', '--email', email);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^role +admin$/m);
  for (const verb of ['disable', 'enable']) {
    expect(await run('accounts', verb, '--email', email)).toMatchObject({ code: 0, stderr: '' });
  }
});

describe('clients', () => {
  test('clients new prints a secret that the gateway accepts, and needs no settings', async () => {
    const words = ['clients', 'new', 'billing', '--json'];
    const { code, json } = await adminProcess({ NODE_ENV: 'production' }, ...words);
    expect([code, json]).toEqual([
      0,
      [{ id: 'billing', secret: expect.any(String), entry: expect.any(String) }],
    ]);
    const [{ secret, entry }] = json as [{ secret: string; entry: string }];
    const asked = await createTestApp({ INTROSPECTION_CLIENTS: entry }, () => app.database.uri);
    try {
      const { status } = await ask(asked.url, 'token=x', basic('billing', secret));
      expect(status).toBe(200);
    } finally {
      await asked.stop();
    }
  });

  test('clients new prints another secret every time, and where to put its digest', async () => {
    const [one, another] = [await run('clients', 'new', 'billing'), await run('clients', 'new', 'billing')];
    expect(one.stdout).toMatch(
      /^The secret of billing, .*: \w{40}\n.* INTROSPECTION_CLIENTS.*: billing:[0-9a-f]{64}\n$/,
    );
    expect(one.stdout).not.toBe(another.stdout);
  });
});
