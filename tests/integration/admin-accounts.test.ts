// The operators' admin: finding, creating and correcting accounts. The commands run in this process, beside a running gateway.
import { userInfo } from 'node:os';
import { admin, adminEventsOf, adminReading } from '../support/admin-command.ts';
import { named } from '../support/database-messages.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { authenticated, expectInvalid, refused } from '../support/expectations.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from '../support/people.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { restApi } from '../support/rest-api.ts';
import { aPerson } from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

storesWrongRecords();

const app = useTestApp();

const settings = () => ({
  NODE_ENV: 'test',
  MONGODB_URI: app.database.uri,
  BCRYPT_COST: '4',
  LOG_LEVEL: 'fatal',
});
const run = (...words: string[]) => admin(settings(), ...words);

const register = (fields: Fields = {}) => aPerson(app.url, fields);
const outgoing = () => app.database.db.collection('outgoing_mails');

/** Accounts as another program may have stored them, with ids above all others: they come first in lists. */
async function storeMany(role: string, count: number): Promise<string[]> {
  const records = Array.from({ length: count }, (_, index) => {
    const _id = `z-${role}-${String(index).padStart(4, '0')}`;
    const email = `${_id}@example.org`;
    return { _id, role, name: `${role} ${index}`, email, emailKey: email, passwordHash: '-' };
  });
  await app.database.db.collection<{ _id: string }>('accounts').insertMany(records);
  return records.map(({ _id }) => _id).toReversed();
}

const NO_PLACE = { code: 1, stderr: 'auth-gateway admin: No account has the id of --after.\n' };

interface Listed {
  id: string;
  next?: string;
}

const idsOf = (json: unknown[]): string[] => (json as Listed[]).flatMap(({ id }) => id ?? []);
const nextOf = (json: unknown[]): string | undefined => (json as Listed[]).at(-1)?.next;

describe('accounts list and count', () => {
  test('pages have every account once, and say how to get the next one', async () => {
    // More than the admin reads at a time.
    const stored = await storeMany('nurse', 603);
    const listed: string[] = [];
    let after: string[] = [];
    for (let pages = 0; pages < 3; pages += 1) {
      const { code, json } = await run('accounts', 'list', '--json', '--limit', '201', ...after);
      expect([code, json.length]).toEqual([0, 202]);
      listed.push(...idsOf(json));
      after = ['--after', `${nextOf(json)}`];
    }
    expect(listed).toEqual(stored);
    const text = (await run('accounts', 'list', '--limit', '1')).stdout;
    expect(text).toMatch(
      new RegExp(`^ID .*\n${stored[0]} +nurse +active .*\nThere may be more: --after ${stored[0]}\n$`),
    );
    expect(idsOf((await run('accounts', 'list', '--json')).json)).toEqual(stored.slice(0, 100));
    // It would look like the end of the list.
    expect(await run('accounts', 'list', '--after', '')).toMatchObject(NO_PLACE);
    const { json } = await run('accounts', 'count', '--json');
    expect(json).toMatchObject([{ others: 603 }]);
  });

  test('list and count take a role, and list the disabled accounts', async () => {
    const patient = await register();
    const doctor = authenticated(await restApi(app.url).registerDoctor(aDoctor())).account;
    await run('accounts', 'disable', '--id', patient.id);
    const disabled = await run('accounts', 'list', '--disabled', '--json');
    expect(disabled.json).toMatchObject([{ id: patient.id, disabledAt: expect.any(String) }]);
    const doctors = await run('accounts', 'list', '--role', 'doctor', '--json');
    expect(idsOf(doctors.json)).toEqual([doctor.id]);
    expect(doctors.stdout).not.toContain('$2b$');
    expect(await run('accounts', 'count', '--role', 'doctor')).toMatchObject({ code: 0, stdout: '1\n' });
    expect((await run('accounts', 'count')).stdout).toMatch(/^disabled {2}1$/m);
    // One run of a sync disables many in one moment, and that is more than the admin reads at a time.
    const many = await storeMany('patient', 520);
    const [first, last] = [new Date('2026-01-01'), new Date('2026-01-02')];
    const accounts = app.database.db.collection<{ _id: string }>('accounts');
    await accounts.updateMany({ _id: { $in: many.slice(0, 260) } }, { $set: { disabledAt: last } });
    await accounts.updateMany({ _id: { $in: many.slice(260) } }, { $set: { disabledAt: first } });
    await accounts.updateOne({ _id: `${many[300]}` }, { $set: { erasureDueAt: new Date('2026-03-01') } });
    const paged: string[] = [];
    let after: string[] = [];
    while (paged.length < 521) {
      const { json } = await run('accounts', 'list', '--disabled', '--limit', '270', '--json', ...after);
      paged.push(...idsOf(json));
      after = ['--after', `${nextOf(json)}`];
    }
    expect(paged).toEqual([patient.id, ...many]);
    const closed = await run('accounts', 'list', '--closed', '--role', 'patient', '--json');
    expect(idsOf(closed.json)).toEqual([many[300]]);
    expect((await run('accounts', 'count', '--json')).json).toMatchObject([{ disabled: 521, closed: 1 }]);
    const shown = await run('accounts', 'show', '--account', `${doctor.id}`);
    expect(shown.stdout).toMatch(/^review {4}pending$/m);
  });
});

describe('accounts search', () => {
  test('finds a part of the name, e-mail or phone, whatever the case and the form of letters', async () => {
    const key = freshEmail().slice(0, 8);
    const jose = await register({ name: `Jos\u00e9 ${key} (a+b)`, phone: '+49 (30) 123-45-99' });
    const found = async (...words: string[]) =>
      idsOf((await run('accounts', 'search', ...words, '--json')).json);
    expect(await found(`JOSE\u0301 ${key}`)).toEqual([jose.id]);
    expect(await found(jose.email.slice(3).toUpperCase())).toEqual([jose.id]);
    expect(await found('30/1234599')).toEqual([jose.id]);
    expect(await found(`${key} (a+b)`)).toEqual([jose.id]);
    const patterns = [`${key}.*`, '.*', '^', '[', '\\', '%'];
    for (const nothing of [...patterns, '$ne', '{"$gt":""}', 'a\0b', '\u001b[31m']) {
      expect(await found(nothing)).toEqual([]);
      expect(await found(nothing, '--prefix')).toEqual([]);
    }
  });

  test('with --prefix, finds the e-mails that begin with a text, in pages', async () => {
    const start = freshEmail().slice(0, 12);
    const addresses = [`${start}.b@example.org`, `${start}.a@example.org`, `${start}.C@example.org`];
    const ids = new Map<string, string>();
    for (const email of addresses) {
      ids.set(email, (await register({ email })).id);
    }
    await register({ email: `x${start}@example.org` });
    const inOrder = [addresses[1], addresses[0], addresses[2]].map((email) => ids.get(`${email}`));
    const search = (text: string, ...words: string[]) =>
      run('accounts', 'search', text, '--prefix', ...words);
    const first = await search(start.toUpperCase(), '--limit', '2', '--json');
    const rest = await search(start, '--after', `${nextOf(first.json)}`, '--json');
    expect([idsOf(first.json), idsOf(rest.json)]).toEqual([inOrder.slice(0, 2), inOrder.slice(2)]);
    expect(await search(start, '--after', 'gone')).toMatchObject(NO_PLACE);
  });

  test.each<[string, string[]]>([
    ['list', []],
    ['search', ['example.org']],
    ['search', ['z-', '--prefix']],
  ])('no %s ends as if it were complete when the database fails: %j', async (command, words) => {
    // More than one read.
    await storeMany(`z-${command}-${words.length}`, 603);
    const proxy = await startDatabaseProxy();
    const through = { ...settings(), MONGODB_URI: proxy.through(app.database.uri) };
    for (const skip of [0, 1]) {
      const failed = proxy.breakAt({ command: named('find accounts'), when: 'after', skip }, 'cut');
      const printing = admin(through, 'accounts', command, ...words, '--json', '--limit', '9999');
      await failed;
      const { code, stdout, stderr } = await printing;
      expect({ code, hasLines: stdout !== '' }).toEqual({ code: 1, hasLines: skip > 0 });
      expect(stderr).toMatch(/^auth-gateway admin: connection \d+ to \S+ closed\n$/);
    }
    await proxy.stop();
  });
});

describe('accounts create', () => {
  const REVIEWER = ['--role', 'reviewer', '--name', ' Rita Viewer '];
  const NEW = (email: string) => ['accounts', 'create', ...REVIEWER, '--email', email];

  test('makes a reviewer whose password nobody knows', async () => {
    const email = freshEmail();
    const more = ['--phone', '+1 555 0100', '--as', 'anna', '--json'];
    const { json } = await run(...NEW(` ${email} `), ...more);
    expect(json).toEqual([
      {
        ...{ id: expect.any(String), name: 'Rita Viewer', email, phone: '+1 555 0100', role: 'reviewer' },
        ...{ createdAt: expect.any(String), expiresAt: expect.any(String) },
        // A person uses the code of the link where there is no page for it.
        ...{ url: null, code: expect.stringMatching(/^[\w-]{43}$/) },
      },
    ]);
    const [{ id }] = json as [{ id: string }];
    expect((await app.database.accounts.findOne({ _id: id }))?.passwordHash).toMatch(/^\$2b\$04\$/);
    expect(await adminEventsOf(app, id)).toMatchObject([
      { act: 'account creation', outcome: 'success', operator: 'anna', systemUser: userInfo().username },
      { act: 'reset link', outcome: 'success', operator: 'anna', systemUser: userInfo().username },
    ]);
  });

  test('takes a password from the standard input, with the rules of a registration', async () => {
    const email = freshEmail();
    const password = freshPassword();
    const create = (input: string | Buffer) =>
      adminReading(input, settings(), ...NEW(email), '--password-stdin');
    const words = ['', 'short', 'password123', email, 'é'.repeat(37)].map((text) => `${text}\n`);
    const refusals = ['', ...words, 'with\0nul-in-it', 'a'.repeat(1_000_000)];
    for (const input of [...refusals, Buffer.from([0xff, ...Buffer.from(password)])]) {
      const { code, stdout, stderr } = await create(input);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.length).toBeLessThan(200);
    }
    expect(await app.database.accounts.countDocuments({ email })).toBe(0);
    expect(await create(`${password}\r\nand more\n`)).toMatchObject({ code: 0, stderr: '' });
    const { account } = authenticated(await restApi(app.url).login({ email, password }));
    expect(account.role).toBe('reviewer');
  });

  test('refuses a taken e-mail, also of two commands at once', async () => {
    const { email, id } = await register();
    const taken = { code: 1, stdout: '', stderr: 'auth-gateway admin: The email has already been taken.\n' };
    expect(await run(...NEW(email.toUpperCase()))).toMatchObject(taken);
    const fresh = freshEmail();
    const racers = await Promise.all([run(...NEW(fresh)), run(...NEW(fresh)), run(...NEW(fresh))]);
    expect(racers.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    expect(await app.database.accounts.countDocuments({ email: fresh })).toBe(1);
    expect(await app.database.accounts.findOne({ _id: id })).toMatchObject({ role: 'patient' });
  });
});

describe('accounts set-email', () => {
  const setEmail = (id: string, to: string, ...words: string[]) =>
    run('accounts', 'set-email', '--account', id, '--to', to, ...words);

  test('changes the e-mail of a login, keeps tokens, forgets places, and says who did it', async () => {
    const { id, email, password, token } = await register();
    authenticated(await restApi(app.url).login({ email, password }));
    const to = `New.${freshEmail()}`;
    const done = await setEmail(id, to, '--as', 'anna', '--json');
    expect(done).toMatchObject({ code: 0, json: [{ id, email: to, isChanged: true }] });
    expect(await accountOf(app.url, token)).toMatchObject({ email: to });
    const stored = await app.database.accounts.findOne({ _id: id });
    expect(stored).toMatchObject({ email: to, emailKey: to.toLowerCase(), updatedAt: expect.any(Date) });
    expect(stored).not.toHaveProperty('knownPlaces');
    expect(stored).not.toHaveProperty('knownDevices');
    expect(await outgoing().countDocuments({ 'order.kind': 'e-mail changed' })).toBe(0);
    refused(await restApi(app.url).login({ email, password }), 'credentials');
    authenticated(await restApi(app.url).login({ email: to.toLowerCase(), password }));
    expect(await setEmail(id, to, '--as', 'bert')).toMatchObject({
      code: 0,
      stdout: `Nothing was done: account ${id} has this e-mail already.\n`,
    });
    expect(await adminEventsOf(app, id)).toMatchObject([
      { act: 'e-mail change', outcome: 'success', operator: 'anna' },
      { act: 'e-mail change', outcome: 'failure', reason: 'same e-mail', operator: 'bert' },
    ]);
    const printed = (await run('audit', '--account', id)).stdout;
    expect(printed).toContain(`by admin (anna, system user ${userInfo().username})  request`);
  });

  test('refuses the e-mail of another account in any form', async () => {
    const { id } = await register();
    const other = await register();
    const international = `${freshEmail().slice(0, 8)}@müller.example`;
    expect(await setEmail(other.id, international)).toMatchObject({ code: 0 });
    const taken = { code: 1, stderr: 'auth-gateway admin: The email has already been taken.\n' };
    expect(await setEmail(id, international.toUpperCase())).toMatchObject(taken);
    expect(await setEmail(id, international.replace('müller', 'xn--mller-kva'))).toMatchObject(taken);
    // Its own account may have it in another form.
    expect(await setEmail(other.id, international.toUpperCase())).toMatchObject({ code: 0 });
    expect(await app.database.accounts.findOne({ _id: other.id })).toMatchObject({
      emailKey: international.replace('müller', 'xn--mller-kva'),
    });
  });

  test.each(['p\u0430t@example.org', 'pat@xn--exmple-4nf.org'])(
    'neither set-email nor create takes letters of several scripts: %s',
    async (lookAlike) => {
      const { id, email } = await register();
      const refusal = { code: 2, stderr: expect.stringContaining('must be an e-mail address') };
      expect(await setEmail(id, lookAlike)).toMatchObject(refusal);
      const create = ['create', '--role', 'reviewer', '--name', 'Ada', '--email', lookAlike];
      expect(await run('accounts', ...create)).toMatchObject(refusal);
      expect(await app.database.accounts.findOne({ _id: id })).toMatchObject({ email });
      // An account that has such an e-mail is found by it, and can get another one.
      await app.database.accounts.updateOne({ _id: id }, { $set: { email: lookAlike } });
      expect(await run('accounts', 'show', '--account', id)).toMatchObject({ code: 0 });
      expect(await setEmail(id, freshEmail())).toMatchObject({ code: 0 });
    },
  );

  test('orders mails to both addresses if mail is set up', async () => {
    const { id, email } = await register();
    const mail = { ...settings(), ...mailSettings('smtp://127.0.0.1:9') };
    const words = ['accounts', 'set-email', '--account', id, '--to', freshEmail()];
    expect(await admin(mail, ...words)).toMatchObject({ code: 0, stderr: '' });
    const mails = await outgoing().find({}).sort({ _id: 1 }).toArray();
    const byOperator = { at: expect.any(String), by: 'operator' };
    expect(mails.map(({ order }) => order)).toEqual([
      { kind: 'e-mail changed', to: { email }, facts: { ...byOperator, unproven: 'yes' } },
      { kind: 'e-mail changed', to: { accountId: id }, facts: byOperator },
    ]);
    // No account has the former address any more, so its mail must carry the language.
    await app.database.accounts.updateOne({ _id: id }, { $set: { language: 'de' } });
    await outgoing().deleteMany({});
    await admin(mail, ...words.with(-1, freshEmail()));
    const facts = await outgoing().find({}).sort({ _id: 1 }).toArray();
    expect(facts.map(({ order }) => order.facts.language)).toEqual(['de', undefined]);
  });

  test('succeeds although its mails cannot be ordered', async () => {
    const { id } = await register();
    const to = freshEmail();
    const proxy = await startDatabaseProxy();
    const mail = { ...settings(), ...mailSettings('smtp://127.0.0.1:9') };
    const through = { ...mail, MONGODB_URI: proxy.through(app.database.uri) };
    const failed = proxy.breakAt({ command: named('insert outgoing_mails'), when: 'before' }, 'cut');
    const setting = admin(through, 'accounts', 'set-email', '--account', id, '--to', to);
    await failed;
    expect(await setting).toMatchObject({ code: 0 });
    await proxy.stop();
    expect(await app.database.accounts.findOne({ _id: id })).toMatchObject({ email: to });
  });

  test('changes no account whose erasure has begun', async () => {
    const { id, email } = await register();
    await app.database.accounts.updateOne({ _id: id }, { $set: { erasingSince: new Date() } });
    expect(await setEmail(id, freshEmail())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was done.'),
    });
    expect(await app.database.accounts.findOne({ _id: id })).toMatchObject({ email });
  });

  test('of changes and a registration at once with one e-mail, one succeeds', async () => {
    const [one, other] = [await register(), await register()];
    const email = freshEmail();
    const [first, second, registration] = await Promise.all([
      setEmail(one.id, email),
      setEmail(other.id, email),
      restApi(app.url).registerPatient(aPatient({ email })),
    ]);
    const done = [first.code === 0, second.code === 0, registration.ok];
    expect(done.filter(Boolean)).toHaveLength(1);
    const taken = 'The email has already been taken.';
    for (const { code, stderr } of [first, second]) {
      expect(stderr).toBe(code === 0 ? '' : `auth-gateway admin: ${taken}\n`);
    }
    if (!registration.ok) {
      expectInvalid(registration, { email: [taken] });
    }
    expect(await app.database.accounts.countDocuments({ emailKey: email })).toBe(1);
  });
});

test('an account that the legacy service does not have any more can be disabled for its return, and nothing else', async () => {
  const { id } = await register();
  const since = new Date();
  const legacyAbsence = { since, disabledAt: null };
  const absent = { disabledAt: since, emailKey: `absent:${id}`, legacyAbsence };
  await app.database.accounts.updateOne({ _id: id }, { $set: absent });
  const stored = () => app.database.accounts.findOne({ _id: id });
  const before = await stored();
  for (const words of [['enable'], ['set-email', '--to', freshEmail()]]) {
    expect(await run('accounts', ...words, '--account', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not have the account any more'),
    });
  }
  expect(await stored()).toEqual(before);
  expect(await run('accounts', 'disable', '--account', id)).toMatchObject({ code: 0 });
  const { eventNotes: _, ...after } = (await stored()) ?? {};
  const disabledAt = expect.any(Date);
  expect(after).toMatchObject({ disabledAt: since, legacyAbsence: { since, disabledAt } });
});

test('an id that is none finds no account', async () => {
  for (const id of ['{"$ne":null}', '[object Object]', 'a\0', '\u001b[31m', 'x'.repeat(1_000_000)]) {
    expect(await run('accounts', 'show', '--account', id)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'auth-gateway admin: No account has this id.\n',
    });
  }
});
