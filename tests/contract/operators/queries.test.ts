import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import {
  adminOf,
  changed,
  newOperator,
  OPERATOR_API,
  opened,
  operate,
  operated,
  type Staff,
} from '../../support/operators.ts';
import { aDoctor, aPatient, type Fields, freshEmail } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredOwner } from '../../support/second-factor.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp(OPERATOR_API);
let operator: Staff;
beforeAll(async () => {
  operator = await newOperator(app);
});

interface PageOf<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
type Listed = { id: string; name: string; email: string; state: string; role: string; hasTwoFactor: boolean };

const LIST = `query ($search: String, $role: Role, $state: AccountState, $withoutTwoFactor: Boolean, $first: Int, $after: String) {
  accounts(search: $search, role: $role, state: $state, withoutTwoFactor: $withoutTwoFactor, first: $first, after: $after) {
    nodes { id name email state role hasTwoFactor } pageInfo { hasNextPage endCursor }
  }
}`;
const list = (variables: Fields = {}) => operated<PageOf<Listed>>(app, LIST, variables, operator.token);
const found = async (search: string) => (await list({ search, first: 100 })).nodes.map(({ id }) => id);

const EVENTS = `query ($account: ID, $actor: ID, $act: AuditedAct, $outcome: AuditOutcome, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  auditEvents(account: $account, actor: $actor, act: $act, outcome: $outcome, since: $since, until: $until, first: $first, after: $after) {
    nodes { id at act outcome reason account actor } pageInfo { hasNextPage endCursor }
  }
}`;
type Event = {
  id: string;
  at: string;
  act: string;
  outcome: string;
  reason: string | null;
  account: string | null;
};
const events = (variables: Fields = {}) => operated<PageOf<Event>>(app, EVENTS, variables, operator.token);

const register = async (fields: Fields) =>
  String(authenticated(await restApi(app.url).registerPatient(aPatient(fields))).account.id);

test('people are found by the beginnings of their names, e-mails and telephones, without case and accents', async () => {
  const email = `zoe.quux.${freshEmail()}`;
  const id = await register({ name: 'Zoë Quüx-Łapska', email, phone: '+49 (170) 555-0123' });
  for (const text of [
    'zoe',
    'ZOË',
    'quux',
    'qux quu zoe',
    'zoe łap',
    'zoe.quux',
    email,
    '+49 170',
    '49170555',
  ]) {
    expect([text, (await found(text)).includes(id)]).toEqual([text, text !== 'qux quu zoe']);
  }
  for (const text of ['oe', 'uux', 'zo', 'zoe nobody', '0170', 'nobody@example.org', '12', '…']) {
    expect([text, (await found(text)).includes(id)]).toEqual([text, false]);
  }
});

test('a whole name of two characters is found, and no shorter or longer one by it', async () => {
  const [li, ming, lina] = [
    await register({ name: 'Li Wei' }),
    await register({ name: '李明' }),
    await register({ name: 'Lina Wei' }),
  ];
  expect(await found('li')).toEqual([li]);
  expect(await found('李明')).toEqual([ming]);
  expect(await found('李')).toEqual([]);
  expect(await found('li wei')).toEqual([lina, li]);
});

test('a search finds what was corrected, imported and written by an earlier version, and not what was before', async () => {
  const id = await register({ name: 'Before Correction' });
  await adminOf(app, 'accounts', 'set-name', '--account', id, '--to', 'Afterwards Corrected');
  await adminOf(app, 'accounts', 'set-phone', '--account', id, '--to', '0049 99 887766');
  expect([await found('afterwards'), await found('before corr'), await found('004999887')]).toEqual([
    [id],
    [],
    [id],
  ]);
  await app.database.accounts.updateOne({ _id: id }, { $unset: { nameWords: true, phoneDigits: true } });
  expect(await found('afterwards')).toEqual([id]);
  await app.database.accounts.updateOne(
    { _id: id },
    { $unset: { nameWords: true }, $set: { name: 7 as never } },
  );
  expect(await found('afterwards')).toEqual([]);
});

test('a word of very many people asks for more, and a second word helps', async () => {
  const record = (index: number) => ({
    ...{
      _id: `many-${index}`,
      name: `Manyfold ${index === 3 ? 'Single' : 'Other'}`,
      email: `many-${index}@example.org`,
    },
    ...{
      emailKey: `many-${index}@example.org`,
      phone: null,
      role: 'patient',
      passwordHash: 'x',
      disabledAt: null,
    },
    ...{
      nameWords: ['manyfold', index === 3 ? 'single' : 'other'],
      phoneDigits: null,
      createdAt: new Date(),
    },
  });
  await app.database.accounts.insertMany(Array.from({ length: 1_001 }, (_, index) => record(index)) as never);
  const refused = await operate(app, LIST, { search: 'manyfold' }, operator.token);
  expect(refused).toMatchObject({
    code: 'BAD_USER_INPUT',
    extensions: { errors: { search: [expect.stringContaining('1,000')] } },
  });
  expect(await found('manyfold single')).toEqual(['many-3']);
  await app.database.accounts.deleteMany({ _id: /^many-/ });
});

test('lists are cut into pages, and filters apply', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.unshift(await register({ name: `Paged Person ${count}` }));
  }
  const doctor = String(registeredDoctor(await restApi(app.url).registerDoctor(aDoctor())).account.id);
  for (const search of ['paged', undefined]) {
    const walked: string[] = [];
    let after: string | null | undefined;
    do {
      const { nodes, pageInfo } = await list({ search, role: 'PATIENT', first: 2, after });
      walked.push(...nodes.map(({ id }) => id));
      after = pageInfo.endCursor;
    } while (after !== null && walked.length < 200);
    expect(walked.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked).not.toContain(doctor);
  }
  const [one = '', two = ''] = ids;
  await changed(app, operator, 'disableAccount', { account: one });
  testClock.move(1);
  await changed(app, operator, 'closeAccount', { account: two });
  expect((await list({ state: 'DISABLED' })).nodes.map(({ id }) => id)).toContain(one);
  expect((await list({ state: 'CLOSED' })).nodes).toMatchObject([{ id: two, state: 'closed' }]);
  expect((await list({ state: 'ACTIVE', search: 'paged' })).nodes.map(({ id }) => id)).toEqual(ids.slice(2));
  const person = await aStoredOwner(app.database);
  const without = await list({ withoutTwoFactor: true, first: 100 });
  expect(without.nodes.map(({ id }) => id)).not.toContain(person.id);
  expect(without.nodes.map(({ id }) => id)).toContain(doctor);
  expect((await list({ role: 'OPERATOR' })).nodes).toMatchObject([{ id: operator.id, hasTwoFactor: true }]);
});

test.each([
  { first: 0 },
  { first: 101 },
  { first: 'many' },
  { after: 'nobody' },
  { after: 'x'.repeat(1_000) },
  { search: 'x'.repeat(256) },
  { search: 'a\u0000b' },
  { role: 'ADMIN' },
  { state: 'GONE' },
])('a list of %j is refused', async (variables) => {
  expect(await operate(app, LIST, variables, operator.token)).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('a record that another program has written wrongly spoils no list', async () => {
  const id = await register({ name: 'Spoiled Record' });
  await app.database.accounts.updateOne(
    { _id: id },
    { $set: { role: 'admin' as never, createdAt: 'yesterday' as never } },
  );
  expect(await found('spoiled')).toEqual([]);
  expect((await list({ first: 100 })).nodes.length).toBeGreaterThan(0);
  expect(await operate(app, `{ account(id: "${id}") { id } }`, {}, operator.token)).toMatchObject({
    data: { account: null },
  });
});

test('the page of a person has devices, factors, review, mails and events', async () => {
  const doctor = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const details = await opened(app, operator, String(doctor.account.id));
  expect(details).toMatchObject({
    ...{
      role: 'DOCTOR',
      state: 'active',
      hasTwoFactor: false,
      passkeys: [],
      mails: [],
      requested: null,
      guarded: [],
    },
    devices: [{ device: expect.anything() }],
    secondFactor: { enabled: false, required: false },
    verification: { status: 'PENDING' },
    events: [{ act: 'registration', outcome: 'success' }],
  });
});

test('every reading is in the trail with its operator: a person by the minute, a search without its text', async () => {
  const reader = await newOperator(app);
  const ids = [await register({ name: 'Read Often' }), await register({ name: 'Read Once' })];
  for (const id of [ids[0], ids[0], ids[0], ids[1]]) {
    await opened(app, reader, id ?? '');
  }
  await operated(app, LIST, { search: 'very-secret-text' }, reader.token);
  await operated(app, LIST, {}, reader.token);
  const read = () => auditEvents(app).find({ act: 'reading', byAccountId: reader.id }).toArray();
  await afterSums(async () => expect((await read()).length).toBeGreaterThanOrEqual(5));
  const trail = await read();
  const times = (id: string | undefined) =>
    trail.filter(({ accountId }) => accountId === id).reduce((sum, { count }) => sum + Number(count ?? 1), 0);
  expect([times(ids[0]), times(ids[1])]).toEqual([3, 1]);
  expect(trail.map(({ reason }) => reason)).toContain('search for accounts, 0 results');
  expect(JSON.stringify(trail)).not.toContain('very-secret');
});

test('the trail is read by account, operator, act, outcome and time, in pages', async () => {
  const id = await register({ name: 'Much Happened' });
  testClock.move(1);
  const since = new Date(testClock.now()).toISOString();
  for (const name of [
    'disableAccount',
    'enableAccount',
    'disableAccount',
    'enableAccount',
    'unlockAccount',
  ]) {
    testClock.move(1);
    await changed(app, operator, name, { account: id });
  }
  const acts = async (variables: Fields) =>
    (await events({ account: id, since, first: 100, ...variables })).nodes.map(({ act }) => act);
  const all = ['unlocking', 'enabling', 'disabling', 'enabling', 'disabling'];
  const withoutReadings = (names: string[]) => names.filter((act) => act !== 'reading');
  expect(withoutReadings(await acts({}))).toEqual(all);
  expect(await acts({ act: 'ENABLING' })).toEqual(['enabling', 'enabling']);
  expect(await acts({ act: 'UNLOCKING', outcome: 'FAILURE' })).toEqual(['unlocking']);
  expect(withoutReadings(await acts({ actor: operator.id }))).toEqual(all);
  expect(await acts({ until: since })).toEqual([]);
  for (const filter of [
    { act: 'DISABLING' },
    { outcome: 'SUCCESS' },
    { account: id },
    { actor: operator.id },
    {},
  ]) {
    const whole = (await events({ since, first: 100, ...filter })).nodes;
    const walked: Event[] = [];
    let after: string | null | undefined;
    do {
      const { nodes, pageInfo } = await events({ since, first: 2, after, ...filter });
      walked.push(...nodes);
      after = pageInfo.endCursor;
    } while (after !== null && walked.length < 300);
    const old = (list: Event[]) => list.filter(({ act }) => act !== 'reading').map((event) => event.id);
    expect(old(walked)).toEqual(old(whole));
    expect(walked.map(({ at }) => at)).toEqual(
      walked
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    );
  }
  expect(await operate(app, EVENTS, { after: 'nothing' }, operator.token)).toMatchObject({
    code: 'BAD_USER_INPUT',
  });
});

test('the overview has the counts of all instances, at most a minute old, and the state of the gateway', async () => {
  const OVERVIEW = `{ overview {
    counts { active { role withTwoFactor withoutTwoFactor } disabled closed pendingDoctors oldestPendingAt }
    waitingMails requestedActs lastBackupAt problems version
  } }`;
  const read = () =>
    operated<{ counts: { disabled: number; active: object[] } }>(app, OVERVIEW, {}, operator.token);
  testClock.move(60_001);
  const before = await read();
  expect(before).toMatchObject({ waitingMails: null, requestedActs: 0, lastBackupAt: null, problems: [] });
  expect(before.counts.active).toContainEqual({ role: 'OPERATOR', withTwoFactor: 2, withoutTwoFactor: 0 });
  const id = await register({ name: 'Counted Later' });
  await changed(app, operator, 'disableAccount', { account: id });
  expect((await read()).counts.disabled).toBe(before.counts.disabled);
  testClock.move(60_001);
  expect((await read()).counts.disabled).toBe(before.counts.disabled + 1);
});
