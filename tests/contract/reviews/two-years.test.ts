import { createGuardWith } from '../../../packages/guard/src/create-guard.ts';
import { type RegisteredDoctor, succeeded } from '../../support/expectations.ts';
import { entities, SUBGRAPH } from '../../support/federation.ts';
import { askAccounts, FEED, type FeedEvent, readAll, readFeed } from '../../support/feed.ts';
import { jsonOf, send } from '../../support/http.ts';
import { exportData } from '../../support/privacy.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  newDoctor,
  newDocuments,
  newReviewer,
  openDoctor,
  resubmit,
  settled,
} from '../../support/reviews.ts';
import { APPOINTMENTS, clientEntry, introspect } from '../../support/services.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { useSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const BEGIN = Date.parse('2027-01-15T12:00:00Z');
const DAY = 86_400_000;

const server = useSmtpServer();
let app: TestApp;
beforeAll(async () => {
  testClock.set(BEGIN);
  app = await createTestApp({
    ...FEED,
    ...SUBGRAPH,
    INTROSPECTION_CLIENTS: [FEED.INTROSPECTION_CLIENTS, clientEntry(APPOINTMENTS)].join(','),
    TIME_ZONE: 'Europe/Berlin',
    ...mailSettings(server.url),
  });
});
afterAll(() => app.stop());

/** A service that keeps the last account of each doctor from the feed, and compares the end by itself. */
class Mirror {
  readonly #accounts = new Map<string, NonNullable<FeedEvent['account']>>();
  #next: string | undefined;

  async read(): Promise<string[]> {
    this.#next ??= (await readFeed(app.url, {})).next;
    const { events, next } = await readAll(app.url, this.#next);
    this.#next = next;
    for (const { account } of events) {
      if (account) {
        this.#accounts.set(account.id, account);
      }
    }
    return events.map(({ type }) => type);
  }

  saysVerified(id: string): boolean {
    const account = this.#accounts.get(id) as { verification: string; verified_until?: number } | undefined;
    const { verification, verified_until: until = Number.POSITIVE_INFINITY } = account ?? {};
    return verification === 'verified' && until * 1_000 > testClock.now();
  }
}

const mirror = new Mirror();
/** It keeps an answer for a month: longer than any service should. */
const keeping = () =>
  createGuardWith(
    { url: app.url, client: APPOINTMENTS.id, secret: APPOINTMENTS.secret, cacheMillis: 30 * DAY },
    testClock,
  );
let guard: ReturnType<typeof keeping>;

/** Lets the gateway tell what is due, and publish it. */
async function told() {
  await testClock.advance(60_000);
  await settled(app);
}

/** Who lets the doctor in as a verified one. Each step of the life below says what all of them say. */
async function whoLetsIn({ account: { id }, token }: RegisteredDoctor) {
  const { verification } = await introspect(app.url, token);
  const request = { headers: { authorization: `Bearer ${token}` } };
  const check = (query: string) => send(`${app.url}/forward-auth${query}`, { headers: bearer(token) });
  const { data } = await entities(app.url, [id], bearer(token), 'profile { verification { status } }');
  const profile = data?._entities[0]?.profile as { verification: { status: string } };
  const { accounts } = jsonOf<{ accounts: object[] }>(await askAccounts(app.url, { ids: [id] }));
  const exported = (await exportData(app.url, token)).data.profile;
  return {
    introspection: verification,
    // A guard, or a service in PHP, of before the update compares with one word.
    oldGuard: verification === 'verified',
    newGuard: (await guard.decide(request, { verified: true })).session !== undefined,
    proxy: (await check('?verified=true')).status === 204,
    header: (await check('')).headers.get('x-auth-verification'),
    mirror: mirror.saysVerified(id),
    subgraph: profile.verification.status,
    own: (await accountOf(app.url, token))?.profile?.verification.status,
    exported: exported?.verification.status,
    events: accounts[0],
  };
}

const everybody = (status: 'verified' | 'expired') => ({
  introspection: status,
  oldGuard: status === 'verified',
  newGuard: status === 'verified',
  proxy: status === 'verified',
  header: status,
  mirror: status === 'verified',
  subgraph: status.toUpperCase(),
  own: status.toUpperCase(),
  exported: status.toUpperCase(),
  events: expect.objectContaining({ verification: status }),
});

const mailsTo = ({ account: { email } }: RegisteredDoctor) =>
  server.mails.filter(({ recipients }) => recipients.includes(email)).map(({ text }) => text);

const reviewOf = async ({ account: { id } }: RegisteredDoctor) =>
  openDoctor(app, (await newReviewer(app)).token, id);

/** Decides on the doctor as the reviewer sees it now. */
async function decided(
  doctor: RegisteredDoctor,
  decision: Omit<Parameters<typeof decide>[2], 'id' | 'revision'>,
) {
  const { revision } = await reviewOf(doctor);
  const { token } = await newReviewer(app);
  return decide(app, token, { id: doctor.account.id, revision, ...decision });
}

test('a doctor through two years: approved, reminded, renewed, corrected, expired and renewed late', async () => {
  guard = keeping();
  await mirror.read();
  const doctor = await newDoctor(app);
  // Verified before ends were there: a record without one.
  const former = await newDoctor(app);
  await decided(former, { decision: 'APPROVE' });

  await decided(doctor, { decision: 'APPROVE', until: '2027-12-31' });
  await told();
  expect(await mirror.read()).toContain('doctor.verified');
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));
  expect(mailsTo(doctor).at(-1)).toContain('valid until the end of 31 December 2027');

  // Reminded, 60 days before.
  testClock.set(Date.parse('2027-11-02T00:00:00Z'));
  await told();
  expect(await mirror.read()).toEqual(expect.arrayContaining(['doctor.expiring']));
  expect(mailsTo(doctor).at(-1)).toContain('Send new documents in your account before');
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));

  // New documents wait, and a correction joins them: the end and the documents stay.
  succeeded(await restApi(app.url).updateMyProfile({ workHistory: 'A clinic.' }, `Bearer ${doctor.token}`));
  expect((await resubmit(app, doctor.token, newDocuments())).errors).toBeUndefined();
  const waiting = await reviewOf(doctor);
  succeeded(await restApi(app.url).updateMyProfile({ licenseNumber: 'MD-2' }, `Bearer ${doctor.token}`));
  expect(await reviewOf(doctor)).toMatchObject({
    newDocuments: waiting.newDocuments,
    profile: { verification: { until: '2027-12-31T23:00:00.000Z' }, proposal: { licenseNumber: 'MD-2' } },
  });
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));
  const { profile } = await decided(doctor, { decision: 'APPROVE', until: '2028-12-31' });
  expect(profile).toMatchObject({
    licenseNumber: 'MD-2',
    licenseFileUrl: waiting.newDocuments?.licenseFileUrl,
  });
  await told();
  expect(await mirror.read()).toContain('doctor.verified');

  // The first end passes, and says nothing any more.
  testClock.set(Date.parse('2028-01-01T00:00:00Z'));
  await told();
  expect(await mirror.read()).not.toContain('doctor.expired');
  // An answer that is kept has the former end, and is asked for again.
  expect(await whoLetsIn(doctor)).toEqual({ ...everybody('verified'), newGuard: false });
  guard = keeping();
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));

  // The doctor who was verified before the update gets an end.
  const given = await decided(former, { decision: 'CHANGE_END', until: '2028-12-31' });
  expect(given.profile.verification).toMatchObject({ status: 'VERIFIED', until: '2028-12-31T23:00:00.000Z' });
  await told();
  await mirror.read();
  expect(await whoLetsIn(former)).toEqual(everybody('verified'));

  // Two minutes before the end, a guard that keeps answers asks once more. Then the mirror is away for two days.
  testClock.set(Date.parse('2028-12-31T20:00:00Z'));
  await told();
  await mirror.read();
  testClock.set(Date.parse('2028-12-31T22:58:00Z'));
  guard = keeping();
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));
  testClock.set(Date.parse('2028-12-31T23:00:00Z') - 1);
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));
  testClock.move(1);
  expect(await whoLetsIn(doctor)).toEqual(everybody('expired'));
  expect(await whoLetsIn(former)).toEqual(everybody('expired'));
  await told();
  testClock.set(Date.parse('2029-01-02T23:00:00Z'));
  await told();
  expect((await mirror.read()).filter((type) => type === 'doctor.expired')).toHaveLength(2);
  expect(await whoLetsIn(doctor)).toEqual(everybody('expired'));

  // A clock that is set back verifies again, for all who compare, and nothing is told twice.
  testClock.set(Date.parse('2028-12-31T22:59:00Z'));
  const { mirror: _, ...answers } = everybody('verified');
  expect(await whoLetsIn(doctor)).toMatchObject(answers);
  testClock.set(Date.parse('2029-01-10T12:00:00Z'));
  await told();
  expect(await mirror.read()).not.toContain('doctor.expired');

  // Renewed late.
  expect((await resubmit(app, doctor.token, newDocuments())).errors).toBeUndefined();
  expect(await whoLetsIn(doctor)).toEqual(everybody('expired'));
  await decided(doctor, { decision: 'APPROVE', until: '2029-12-31' });
  await told();
  expect(await mirror.read()).toContain('doctor.verified');
  guard = keeping();
  expect(await whoLetsIn(doctor)).toEqual(everybody('verified'));
  expect(await whoLetsIn(former)).toEqual(everybody('expired'));
});
