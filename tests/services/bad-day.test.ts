// A long test: one bad day of an operator, from a backup to the last question about it.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import type { Outcome } from '../support/api.ts';
import { openDatabase } from '../support/database.ts';
import { type DatabaseProcess, startDatabaseProcess } from '../support/database-process.ts';
import { eventually } from '../support/eventually.ts';
import { type Authenticated, authenticated, refused } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { jsonOf, send } from '../support/http.ts';
import { type OtlpReceiver, startOtlpReceiver, tracedTo } from '../support/otlp-receiver.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { runProgram } from '../support/program.ts';
import { restApi } from '../support/rest-api.ts';
import { comingAgain, registeredInTheEnd } from '../support/retries.ts';
import { someAtATime } from '../support/some-at-a-time.ts';
import { recordMetrics } from './support/recorded-metrics.ts';

const workshop = useWorkshop();

let database: DatabaseProcess;
let receiver: OtlpReceiver;
beforeAll(async () => {
  database = await startDatabaseProcess();
  receiver = await startOtlpReceiver();
});
afterAll(async () => {
  await database?.stop();
  await receiver?.stop();
});

/** Of OpenTelemetry: the kind of the span of a request, and the status of a failed one. */
const [SERVER, ERROR] = [2, 2];

/** How many scrapes the outage lasts; Prometheus makes one a minute. */
const BAD_MINUTES = 6;

/** Times of day, in milliseconds since the epoch. */
interface Period {
  fromMillis: number;
  untilMillis: number;
}

/** An answered registration. */
interface Registered extends Authenticated {
  person: ReturnType<typeof aPatient>;
}

const requestIdOf = ({ http }: Pick<Outcome, 'http'>): string => http.headers.get('x-request-id') ?? '';

async function startGateway() {
  const gateway = workshop.start({
    MONGODB_URI: database.uri,
    METRICS: 'on',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    ...tracedTo(receiver),
  });
  const url = await gateway.url();
  const metrics = /metrics (http:\S+)\/metrics/.exec(gateway.stdout)?.[1] ?? '';
  return { gateway, url, metrics, apis: [restApi(url), graphqlApi(url)] };
}

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Registers a patient at each API of each gateway. */
async function registerAtEachApi(gateways: Gateway[]): Promise<Registered[]> {
  const registrations = gateways
    .flatMap(({ apis }) => apis)
    .map(async (api) => {
      const person = aPatient();
      return { person, ...(await registeredInTheEnd(api, person, () => api.registerPatient(person))) };
    });
  return Promise.all(registrations);
}

async function registerDoctor({ url }: Gateway): Promise<Registered> {
  const person = aDoctor();
  const api = restApi(url);
  return { person, ...(await registeredInTheEnd(api, person, () => api.registerDoctor(person))) };
}

/** Runs a command of npm, such as `auth-gateway db verify`. */
async function run(command: string, ...words: string[]): Promise<string> {
  const settings = { NODE_ENV: 'production', DATA_DIR: database.folder };
  const { code, stdout, stderr } = await runProgram('auth-gateway.js', ['db', command, ...words], settings);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Registers people until a command has ended. */
async function registerBeside(gateways: Gateway[], command: Promise<unknown>): Promise<number> {
  let isRunning = true;
  let registered = 0;
  const ended = command.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    registered += (await registerAtEachApi(gateways)).length;
  }
  await ended;
  return registered;
}

/** The status of its readiness, and whether its database works. */
const readiness = async ({ url }: Gateway) => {
  const answer = await send(`${url}/readyz`);
  return [answer.status, jsonOf<{ checks: { database: string } }>(answer).checks.database === 'ok'];
};

test('a database that is lost with its disk comes back from a backup, with everybody who was answered before it', async () => {
  const gateways = await Promise.all([startGateway(), startGateway()]);
  const [one, other] = gateways;
  const metrics = recordMetrics({ one: one.metrics, other: other.metrics });

  // A good morning, and a backup in the middle of it.
  const before: Registered[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    before.push(...(await registerAtEachApi(gateways)));
    await metrics.scrape();
  }
  before.push(await registerDoctor(one), await registerDoctor(other));
  const backup = path.join(workshop.folder, 'backups', 'morning');
  expect(await registerBeside(gateways, run('backup', '--out', backup))).toBeGreaterThan(0);
  const lost = await registerAtEachApi(gateways);
  await metrics.scrape();
  const lastGoodScrape = metrics.next - 1;

  // The disk is gone.
  const fromMillis = Date.now();
  database.signal('SIGKILL');
  await database.ended();
  await rm(database.folder, { recursive: true });
  await eventually(async () => {
    expect(await Promise.all(gateways.map(readiness))).toEqual([
      [503, false],
      [503, false],
    ]);
  });
  const unanswered: Outcome[] = [];
  for (let minute = 0; minute < BAD_MINUTES; minute += 1) {
    const attempts = gateways.map(({ url }) => restApi(url).login(before[0]?.person ?? aPatient()));
    const registrations = gateways.map(({ url }) => graphqlApi(url).registerPatient(aPatient()));
    const outcomes = await Promise.all([...attempts, ...registrations]);
    unanswered.push(...outcomes.map((outcome) => refused(outcome, 'unavailable')));
    await metrics.scrape();
  }
  const lastBadScrape = metrics.next - 1;

  // The operator restores the backup, and starts the database again where it was.
  expect(await run('restore', '--from', backup)).toContain('verified');
  expect(await run('verify')).toContain(' 0 problems');
  await database.start();
  await eventually(async () => {
    expect(await Promise.all(gateways.map(readiness))).toEqual([
      [200, true],
      [200, true],
    ]);
  });
  const outage = { fromMillis, untilMillis: Date.now() };

  // Everybody who was answered before the backup is there, with token and documents, at both gateways.
  await someAtATime(before, async ({ person, account, token }) => {
    for (const api of [restApi(one.url), graphqlApi(other.url)]) {
      const login = authenticated(await comingAgain(() => api.login(person)));
      expect(login.account.id).toBe(account.id);
    }
    const me = await send(`${one.url}/api/v1/user`, { headers: { Authorization: `Bearer ${token}` } });
    expect(jsonOf<{ id: string }>(me).id).toBe(account.id);
  });
  for (const { profile } of before) {
    expect(profile ? (await send(profile.licenseFileUrl)).status : 200).toBe(200);
  }
  // Who came after it is not, and may come again.
  const [rest, graphql] = [restApi(other.url), graphqlApi(other.url)];
  for (const { person } of lost) {
    refused(await comingAgain(() => rest.login(person)), 'credentials');
    await registeredInTheEnd(graphql, person, () => graphql.registerPatient(person));
  }
  for (let minute = 0; minute < 8; minute += 1) {
    await registerAtEachApi(gateways);
    await metrics.scrape();
  }

  // A stop writes the sums of refusals, and exports the last spans.
  for (const { gateway } of gateways) {
    expect(await gateway.stop()).toBe(0);
  }
  await expectWholeAuditTrail(before, outage, { login: 2 * BAD_MINUTES, registration: 2 * BAD_MINUTES });
  await expectTracesOf(unanswered, outage);
  // On a busy machine a request may fail on a good day, too.
  const lasting = 'AuthGateway(NotReady|AuditEventsLost|Restarting|Down)';
  await metrics.expectAlerts(lasting, { [lastGoodScrape]: {}, [metrics.next - 1]: {} });
  await metrics.expectAlerts(`${lasting}|AuthGatewayRequestsFail`, {
    [lastBadScrape]: { AuthGatewayNotReady: 2, AuthGatewayRequestsFail: 1 },
  });
}, 300_000);

/** Checks that the trail has every registration before the backup once, and all refusals of the outage. */
async function expectWholeAuditTrail(before: Registered[], outage: Period, refusals: Record<string, number>) {
  const opened = await openDatabase(database.uri, 'auth_gateway');
  const events = opened.db.collection<StoredAuditEvent>('audit_events');
  try {
    for (const { account } of before) {
      const itsOwn = { accountId: account.id, act: 'registration', outcome: 'success' };
      expect(await events.countDocuments(itsOwn as Partial<StoredAuditEvent>)).toBe(1);
    }
    const at = { $gte: new Date(outage.fromMillis), $lte: new Date(outage.untilMillis) };
    const counts: Record<string, number> = {};
    for (const { act, count } of await events.find({ at, outcome: 'failure' }).toArray()) {
      counts[act] = (counts[act] ?? 0) + (count ?? 1);
    }
    expect(counts).toEqual(refusals);
  } finally {
    await opened.close();
  }
}

/** Checks that the traces show the outage: which requests failed, when, and at which gateways. */
async function expectTracesOf(unanswered: Outcome[], { fromMillis, untilMillis }: Period) {
  const spans = await Promise.all(unanswered.map((outcome) => receiver.requestSpan(requestIdOf(outcome))));
  expect(spans.map(({ attributes }) => attributes['http.response.status_code'])).toEqual(
    unanswered.map(({ http }) => http.status),
  );
  expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
  expect(spans.every(({ kind, status }) => kind === SERVER && status.code === ERROR)).toBe(true);
  const times = spans.map(({ startTimeUnixNano }) => Number(startTimeUnixNano) / 1e6);
  expect(Math.min(...times)).toBeGreaterThan(fromMillis - 1);
  expect(Math.max(...times)).toBeLessThan(untilMillis + 1);
}
