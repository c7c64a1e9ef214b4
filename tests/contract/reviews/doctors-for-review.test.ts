import { randomUUID } from 'node:crypto';
import { encodeCursor } from '../../../src/auth/reviews/review-queue.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authenticated } from '../../support/expectations.ts';
import { sendJson } from '../../support/http.ts';
import { trailOf } from '../../support/privacy.ts';
import { decide, doctorsOf, listDoctors, newDoctor, newReviewer, refusalOf } from '../../support/reviews.ts';
import { bearer } from '../../support/session.ts';
import { afterSums, type TestApp, testClock } from '../../support/test-app.ts';
import { watchCommands } from '../../support/watch-commands.ts';

const used = useProxiedApp();
let app: TestApp;
beforeAll(() => {
  app = used.app;
});

/** Registers doctors one second after another. */
async function newDoctors(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    await testClock.advance(1_000);
    ids.push((await newDoctor(app)).account.id);
  }
  return ids;
}

/** What the audit trail has of the lists that a reviewer has read. */
const readingsOf = ({ account }: Authenticated) =>
  trailOf(app, { act: 'reading', byAccountId: String(account.id) });

test('the audit trail has each reviewer who reads the list, summed up by the minute', async () => {
  const [reviewer, other] = [await newReviewer(app), await newReviewer(app)];
  for (const { token } of [reviewer, reviewer, reviewer, other]) {
    await doctorsOf(app, token);
  }
  await eventually(async () => expect(await readingsOf(other)).toHaveLength(1));
  await afterSums(async () => expect(await readingsOf(reviewer)).toHaveLength(2));
  const shared = { outcome: 'success', reason: 'list of doctors', door: 'graphql', ip: '127.0.0.1' };
  expect(await readingsOf(reviewer)).toMatchObject([
    { ...shared, count: null },
    { ...shared, count: 2 },
  ]);
  expect(await readingsOf(other)).toMatchObject([{ ...shared, count: null }]);
});

beforeEach(async () => {
  const { accounts, profiles } = app.database;
  await Promise.all([accounts.deleteMany({}), profiles.deleteMany({})]);
});

test('a reviewer sees the name that the revision stands for, also if a kill has kept it from the account', async () => {
  const { token } = await newReviewer(app);
  const { account } = await newDoctor(app);
  const fields = { name: 'Dr. Corrected' };
  const accountChange = { revision: 1, at: new Date(testClock.now()), fields };
  await app.database.profiles.updateOne({ _id: account.id }, { $set: { revision: 1, accountChange } });
  const { edges } = await doctorsOf(app, token);
  expect(edges).toMatchObject([{ node: { revision: 1, account: fields } }]);
  expect(await app.database.accounts.findOne({ _id: account.id })).toMatchObject(fields);
});

test('a reviewer sees pending doctors with profile, contact and revision, the oldest first', async () => {
  const reviewer = await newReviewer(app);
  const [first, second] = [await newDoctor(app), (await newDoctors(1))[0]];
  const { edges, pageInfo } = await doctorsOf(app, reviewer.token);
  expect(edges.map(({ node }) => node.account.id)).toEqual([first.account.id, second]);
  const { verification, proposal, ...profile } = edges[0]?.node.profile ?? {};
  expect(proposal).toBeNull();
  expect(profile).toEqual(first.profile);
  expect(verification).toEqual({
    ...{ status: 'PENDING', decidedAt: null, reason: null, until: null, isRenewable: false },
    ...{ documents: [], grounds: [] },
  });
  expect(edges[0]?.node).toMatchObject({
    account: { email: first.account.email, phone: first.account.phone, role: 'DOCTOR' },
    revision: 0,
    newDocuments: null,
  });
  expect(pageInfo).toEqual({
    hasNextPage: false,
    hasPreviousPage: false,
    startCursor: edges[0]?.cursor,
    endCursor: edges[1]?.cursor,
  });
});

test('pages follow one another, and doctors who come or go meanwhile move nobody', async () => {
  const reviewer = await newReviewer(app);
  const ids = await newDoctors(5);
  const one = await doctorsOf(app, reviewer.token, { first: 2 });
  expect(one).toMatchObject({ ids: ids.slice(0, 2), pageInfo: { hasNextPage: true } });
  const [later] = await newDoctors(1);
  await decide(app, reviewer.token, { id: ids[0] ?? '', revision: 0, decision: 'APPROVE' });
  const two = await doctorsOf(app, reviewer.token, { first: 2, after: one.pageInfo.endCursor });
  expect(two).toMatchObject({ ids: ids.slice(2, 4), pageInfo: { hasNextPage: true, hasPreviousPage: true } });
  const three = await doctorsOf(app, reviewer.token, { first: 2, after: two.pageInfo.endCursor });
  expect(three).toMatchObject({ ids: [ids[4], later], pageInfo: { hasNextPage: false } });
  const four = await doctorsOf(app, reviewer.token, { first: 2, after: three.pageInfo.endCursor });
  expect(four).toMatchObject({
    ids: [],
    pageInfo: { hasNextPage: false, startCursor: null, endCursor: null },
  });
});

test('doctors of the same time are on one page each, in the order of their ids', async () => {
  const reviewer = await newReviewer(app);
  const ids = await newDoctors(4);
  await app.database.profiles.updateMany({}, { $set: { createdAt: new Date(0) } });
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page = await doctorsOf(app, reviewer.token, { first: 1, after });
    seen.push(...page.ids);
    after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  expect(seen).toEqual(ids.toSorted());
});

test('doctors who are decided on have lists of their own, and a pending one keeps the place of its documents', async () => {
  const reviewer = await newReviewer(app);
  const [a = '', b = '', c = '', d = ''] = await newDoctors(4);
  const reason = 'The stamp is missing.';
  await decide(app, reviewer.token, { id: a, revision: 0, decision: 'APPROVE' });
  await decide(app, reviewer.token, { id: b, revision: 0, decision: 'REJECT', reason });
  await decide(app, reviewer.token, { id: c, revision: 0, decision: 'SUSPEND', reason });
  // As after a resubmission: pending again, with an earlier registration than the last doctor's.
  await app.database.profiles.updateOne(
    { _id: b },
    { $set: { 'verification.status': 'pending', 'verification.submittedAt': new Date(testClock.now() + 1) } },
  );
  const idsOf = async (status: string | null) => (await doctorsOf(app, reviewer.token, { status })).ids;
  expect(await idsOf('VERIFIED')).toEqual([a]);
  expect(await idsOf('SUSPENDED')).toEqual([c]);
  expect(await idsOf('REJECTED')).toEqual([]);
  expect(await idsOf('PENDING')).toEqual([d, b]);
  expect(await idsOf(null)).toEqual([d, b]);
});

test('only doctors whose account exists, is enabled and can be shown are listed', async () => {
  const reviewer = await newReviewer(app);
  const [shown, disabled, gone, invalid, withoutProfile] = await newDoctors(5);
  const { accounts, profiles } = app.database;
  await accounts.updateOne({ _id: disabled ?? '' }, { $set: { disabledAt: new Date() } });
  await accounts.deleteOne({ _id: gone ?? '' });
  await profiles.updateOne({ _id: invalid ?? '' }, { $unset: { licenseNumber: '' } });
  await profiles.deleteOne({ _id: withoutProfile ?? '' });
  await profiles.insertOne({
    ...(await profiles.findOne({ _id: shown ?? '' })),
    _id: reviewer.account.id,
  } as never);
  expect((await doctorsOf(app, reviewer.token)).ids).toEqual([shown]);
});

test('behind many disabled doctors a page is short, and its end cursor leads on', async () => {
  const reviewer = await newReviewer(app);
  const [hidden = ''] = await newDoctors(1);
  const profile = await app.database.profiles.findOne({ _id: hidden });
  const copies = Array.from({ length: 300 }, () => ({ ...profile, _id: randomUUID() }));
  await app.database.profiles.insertMany(copies as never);
  await app.database.accounts.deleteOne({ _id: hidden });
  const [shown] = await newDoctors(1);
  const one = await doctorsOf(app, reviewer.token);
  expect(one).toMatchObject({ ids: [], pageInfo: { hasNextPage: true } });
  const two = await doctorsOf(app, reviewer.token, { after: one.pageInfo.endCursor });
  expect(two).toMatchObject({ ids: [shown], pageInfo: { hasNextPage: false } });
});

test('a reviewer who lost the role or was disabled between two requests is refused', async () => {
  const { accounts } = app.database;
  const [one, two] = [await newReviewer(app), await newReviewer(app)];
  await doctorsOf(app, one.token);
  await doctorsOf(app, two.token);
  await accounts.updateOne({ _id: one.account.id }, { $set: { role: 'patient' } });
  await accounts.updateOne({ _id: two.account.id }, { $set: { disabledAt: new Date() } });
  expect(refusalOf(await listDoctors(app, one.token)).code).toBe('FORBIDDEN');
  expect(refusalOf(await listDoctors(app, two.token)).code).toBe('UNAUTHENTICATED');
});

test.each([
  ['a text', 'after', 'nonsense!'],
  ['another encoding', 'after', `${encodeCursor({ submittedAt: new Date(0), id: 'a' })}=`],
  ['no time', 'after', Buffer.from('x:id').toString('base64url')],
  ['a time that does not exist', 'after', Buffer.from('9999999999999999:id').toString('base64url')],
  ['a time of another form', 'after', Buffer.from('007:id').toString('base64url')],
  ['no id', 'after', Buffer.from('0:').toString('base64url')],
  ['a broken text', 'after', Buffer.from([0x30, 0x3a, 0xff]).toString('base64url')],
  ['a long text', 'after', 'A'.repeat(50_000)],
  ['too few', 'first', 0],
  ['negative', 'first', -1],
  ['too many', 'first', 101],
])('%s as %s is refused', async (_what, field, value) => {
  const reviewer = await newReviewer(app);
  const refusal = refusalOf(await listDoctors(app, reviewer.token, { [field]: value }));
  expect(refusal).toMatchObject({
    data: null,
    code: 'BAD_USER_INPUT',
    errors: { [field]: [expect.any(String)] },
  });
});

test('a cursor with any id, also one of an operator, is only a place', async () => {
  const reviewer = await newReviewer(app);
  const [id] = await newDoctors(1);
  for (const strange of ['{"$gt":""}', '\0', '\u{10ffff}', '$where']) {
    const after = encodeCursor({ submittedAt: new Date(0), id: strange });
    expect((await doctorsOf(app, reviewer.token, { after })).ids).toEqual([id]);
  }
});

test('a page takes the same number of queries, however many doctors and fields it has', async () => {
  const reviewer = await newReviewer(app);
  await newDoctors(3);
  const queries = watchCommands(used.proxy);
  const query = '{ doctorsForReview { edges { node { account { profile { licenseNumber } } } } } }';
  const http = await sendJson(`${app.url}/graphql`, { query }, bearer(reviewer.token));
  expect(http.status).toBe(200);
  expect(http.text.match(/MD-12345/g)).toHaveLength(3);
  expect(queries.map(({ name }) => name).toSorted()).toEqual([
    'aggregate access_tokens',
    'find accounts',
    ...Array(4).fill('find doctor_profiles'),
  ]);
});

test('a page of long profiles is short, and its end cursor leads on', async () => {
  const reviewer = await newReviewer(app);
  const ids = await newDoctors(3);
  // Doctors whose three texts of several lines are as long as possible: 14 fit on a page.
  const texts = Object.fromEntries(
    ['workHistory', 'publications', 'practiceAddress'].map((name) => [name, 'x'.repeat(5_000)]),
  );
  const [profile, account] = await Promise.all([
    app.database.profiles.findOne({ _id: ids[2] as string }),
    app.database.accounts.findOne({ _id: ids[2] as string }),
  ]);
  const long = Array.from({ length: 20 }, (_, i) => `${ids[2]}${String(i).padStart(2, '0')}`);
  await app.database.profiles.insertMany(long.map((_id) => ({ ...profile, ...texts, _id }) as never));
  await app.database.accounts.insertMany(
    long.map((_id) => ({ ...account, _id, email: `${_id}@a.test`, emailKey: `${_id}@a.test` }) as never),
  );
  const one = await doctorsOf(app, reviewer.token, { first: 100 });
  expect(one.ids.length).toBeLessThan(20);
  expect(one.pageInfo.hasNextPage).toBe(true);
  const two = await doctorsOf(app, reviewer.token, { first: 100, after: one.pageInfo.endCursor });
  expect([...one.ids, ...two.ids]).toEqual([...ids, ...long]);
  expect(two.pageInfo.hasNextPage).toBe(false);
});

test('an operation lists doctors once, and presents at most 200 profiles: aliases multiply the answer', async () => {
  const { token } = await newReviewer(app);
  const page = 'doctorsForReview(first: 1) { edges { cursor } }';
  const answer = async (query: string) =>
    (await sendJson(`${app.url}/graphql`, { query }, bearer(token))).text;
  expect(await answer(`{ a: ${page} b: ${page} }`)).toContain('more than one export or list');
  // 2 × 5 × 2 profiles of each doctor: twenty, and of ten doctors two hundred.
  const profiles = (first: number) => `query A { ...Q }
    fragment Q on Query { doctorsForReview(first: ${first}) { a: edges { ...E } b: edges { ...E } } }
    fragment E on ReviewedDoctorEdge { ${[1, 2, 3, 4, 5].map((i) => `n${i}: node { ...D }`).join(' ')} }
    fragment D on ReviewedDoctor { profile { specialization } account { profile { specialization } } }`;
  expect(await answer(profiles(11))).toContain('An operation must not present more than 200 profiles.');
  expect(await answer(profiles(10))).toContain('"data"');
  expect(await answer('{ a: me { id } b: me { id } }')).toContain('"data"');
});
