import { createHash } from 'node:crypto';
import {
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { isOfAuditTrail } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { send } from '../../support/http.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import {
  createTestApp,
  letEventsBeWrittenAgain,
  type TestApp,
  testClock,
  useTestApp,
} from '../../support/test-app.ts';

const app = useTestApp({ AUDIT_RETENTION_DAYS: '2', RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '2' });
const DAY_MILLIS = 86_400_000;

const digestOf = (email: string) => createHash('sha256').update(email.toLowerCase()).digest('hex');

/** The events of an e-mail, the earliest first. */
const eventsOf = ({ database }: TestApp, email: string) =>
  database.db
    .collection<StoredAuditEvent>('audit_events')
    .find({ emailDigest: digestOf(email) })
    .sort({ _id: 1 })
    .toArray();
const toldOf = (email: string) => eventsOf(app, email);

throughEachApi((apiOf) => {
  test('the trail has registrations, logins and logouts with account, address and reason', async () => {
    const api = apiOf(app.url);
    const patient = aPatient();
    const { account, token } = authenticated(await api.registerPatient(patient));
    const wrong = refused(await api.login({ ...patient, password: freshPassword() }), 'credentials');
    authenticated(await api.login(patient));
    succeeded(await api.logout(`Bearer ${token}`));
    await eventually(async () => {
      const events = await toldOf(patient.email);
      expect(events.map(({ act, outcome, reason }) => [act, outcome, reason])).toEqual([
        ['registration', 'success', null],
        ['login', 'failure', 'wrong password'],
        ['login', 'success', null],
        ['logout', 'success', null],
      ]);
      for (const event of events) {
        expect(event).toMatchObject({ accountId: account.id, ip: '127.0.0.1' });
        expect(event.expiresAt?.getTime()).toBe(event.at.getTime() + 2 * DAY_MILLIS);
      }
      expect(events[1]?.requestId).toBe(wrong.http.headers.get('x-request-id'));
    });
  });

  test('the trail has the login with an unknown e-mail, without an account', async () => {
    const stranger = { email: freshEmail(), password: freshPassword() };
    const api = apiOf(app.url);
    refused(await api.login(stranger), 'credentials');
    refused(await api.login(stranger), 'credentials');
    refused(await api.login(stranger), 'too many attempts');
    await eventually(async () => {
      const events = await toldOf(stranger.email);
      expect(events.map(({ accountId, reason }) => [accountId, reason])).toEqual([
        [null, 'unknown e-mail'],
        [null, 'unknown e-mail'],
        [null, 'Too Many Attempts.'],
      ]);
    });
  });

  test('the trail contains no e-mail and no secret', async () => {
    const api = apiOf(app.url);
    const patient = aPatient();
    const { token } = authenticated(await api.registerPatient(patient));
    await eventually(async () => expect(await toldOf(patient.email)).toHaveLength(1));
    const text = JSON.stringify(await toldOf(patient.email));
    for (const secret of [patient.email, patient.password, token, token.split('|')[1]]) {
      expect(text).not.toContain(secret);
    }
  });
});

test('the trail has an event and its token id before the caller gets the answer', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { token: first } = authenticated(await api.registerPatient(patient));
  const { token: second } = authenticated(await api.login(patient));
  succeeded(await api.logout(`Bearer ${second}`));
  const events = await toldOf(patient.email);
  expect(events.map(({ act, tokenId }) => [act, tokenId])).toEqual([
    ['registration', tokenIdOf(first)],
    ['login', tokenIdOf(second)],
    ['logout', tokenIdOf(second)],
  ]);
});

test('the trail has one success for many simultaneous logouts with one token', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { token } = authenticated(await api.registerPatient(patient));
  await Promise.all(Array.from({ length: 20 }, () => api.logout(`Bearer ${token}`)));
  const events = await toldOf(patient.email);
  const successes = events.filter(({ act, outcome }) => act === 'logout' && outcome === 'success');
  expect(successes).toMatchObject([{ tokenId: tokenIdOf(token) }]);
});

test('the trail has a revocation before its answer, and a failure if nothing was revoked', async () => {
  const patient = aPatient();
  const { token } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  const { token: another } = authenticated(await graphqlApi(app.url).login(patient));
  authenticated(await graphqlApi(app.url).login(patient));
  const revocations = async () => (await toldOf(patient.email)).filter(({ act }) => act === 'revocation');
  const successes = [
    { outcome: 'success', reason: null, tokenId: tokenIdOf(another), revoked: null },
    { outcome: 'success', reason: null, tokenId: null, revoked: 1 },
  ];
  await execute(app.url, RevokeTokenDocument, { id: tokenIdOf(another) }, bearer(token));
  await execute(app.url, RevokeOtherTokensDocument, {}, bearer(token));
  expect(await revocations()).toMatchObject(successes);

  await execute(app.url, RevokeOtherTokensDocument, {}, bearer(token));
  await execute(app.url, RevokeTokenDocument, { id: 'nobody' }, bearer(token));
  await eventually(async () =>
    expect(await revocations()).toMatchObject([
      ...successes,
      { outcome: 'failure', reason: 'no other tokens', tokenId: null, revoked: null },
      { outcome: 'failure', reason: 'no such token', tokenId: null, revoked: null },
    ]),
  );
});

test('the trail does not contain a whole token that was sent as an id', async () => {
  const patient = aPatient();
  const { token } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  await execute(app.url, RevokeTokenDocument, { id: token }, bearer(token));
  succeeded(await graphqlApi(app.url).logout(`Bearer ${token}`));
  const text = JSON.stringify(await toldOf(patient.email));
  expect(text).not.toContain(token.split('|')[1]);
});

/** How often the test provokes each refusal. */
const REFUSALS = 10;

test('the trail sums up refusals, and a stop writes the sums', async () => {
  const limits = {
    RATE_LIMIT: 'on',
    RATE_LIMIT_LOGINS_PER_MINUTE: '1',
    RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off',
  };
  const another = await createTestApp(limits, () => app.database.uri);
  const patient = aPatient();
  const wrong = { ...patient, password: freshPassword() };
  try {
    const { url } = another;
    const { token } = authenticated(await restApi(url).registerPatient(patient));
    refused(await restApi(url).login(wrong), 'credentials');
    for (let time = 0; time < REFUSALS; time += 1) {
      for (const api of [restApi(url), graphqlApi(url)]) {
        refused(await api.login(wrong), 'too many attempts');
        refused(await api.registerPatient({ ...patient }), 'validation');
      }
      await execute(url, RevokeTokenDocument, { id: 'unknown' }, bearer(token));
      await execute(url, RevokeOtherTokensDocument, {}, bearer(token));
    }
  } finally {
    await another.stop();
  }
  const failures = (await toldOf(patient.email)).filter(({ outcome }) => outcome === 'failure');
  const counts = failures.map(({ act, door, reason, count }) => `${act} ${door}: ${reason}, ${count}`);
  const kinds = [
    'login rest: Too Many Attempts.',
    'login graphql: Too Many Attempts.',
    'registration rest: The email has already been taken.',
    'registration graphql: The email has already been taken.',
    'revocation graphql: no such token',
    'revocation graphql: no other tokens',
  ];
  const expected = kinds.flatMap((kind) => [`${kind}, null`, `${kind}, ${REFUSALS - 1}`]);
  expect(counts.sort()).toEqual(['login rest: wrong password, null', ...expected].sort());
});

describe('while the database takes no events', () => {
  const behind = useProxiedApp({ METRICS: 'on', METRICS_PORT: '0' });
  let waiting = 0;

  /** Makes a call, and lets the time pass that its answer waits for its event. */
  async function answered(call: () => Promise<Outcome>): Promise<Outcome> {
    waiting += 1;
    const outcome = call();
    await eventually(async () => {
      const { text } = await send(`${behind.app.metricsUrl}/metrics`);
      expect(text).toContain(`auth_gateway_audit_events_waiting ${waiting}\n`);
    });
    await testClock.advance(2_000);
    return outcome;
  }

  test('a successful call succeeds while the trail cannot be written, and is in the trail once afterwards', async () => {
    const patient = aPatient();
    const [rest, graphql] = [restApi(behind.app.url), graphqlApi(behind.app.url)];
    const { token } = authenticated(await rest.registerPatient(patient));
    behind.proxy.stall(isOfAuditTrail);
    const { token: another } = authenticated(await answered(() => graphql.login(patient)));
    authenticated(await answered(() => rest.login(patient)));
    succeeded(await answered(() => rest.logout(`Bearer ${token}`)));
    succeeded(await answered(() => graphql.logout(`Bearer ${another}`)));
    await behind.proxy.restore();
    await eventually(async () => {
      await letEventsBeWrittenAgain();
      const events = await eventsOf(behind.app, patient.email);
      expect(events.map(({ act }) => act)).toEqual(['registration', 'login', 'login', 'logout', 'logout']);
    });
  });
});
