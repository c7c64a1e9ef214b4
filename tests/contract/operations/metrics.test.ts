import { MeDocument } from '../../../packages/client/src/generated/graphql.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { throughEachDoor } from '../../support/doors.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlDoor } from '../../support/graphql-door.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restDoor } from '../../support/rest-door.ts';
import { scrape } from '../../support/scrape.ts';
import { bearer } from '../../support/session.ts';
import { letEventsBeWrittenAgain, type TestApp, testClock, useTestApp } from '../../support/test-app.ts';

const METRICS = { METRICS: 'on', METRICS_PORT: '0' };
const app = useTestApp({ ...METRICS, RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '1' });

type Labels = Record<string, string>;

/** The sum of all samples of a name that have these labels. */
async function totalOf(name: string, labels: Labels = {}, of: TestApp = app): Promise<number> {
  const samples = await scrape(of);
  const fitting = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
  );
  return fitting.reduce((sum, { value }) => sum + value, 0);
}

const REQUESTS = 'auth_gateway_http_request_duration_seconds_count';
const LOGINS = 'auth_gateway_logins_total';
const FAILURES = 'auth_gateway_failed_requests_total';
const CHECKS = 'auth_gateway_health_check_ok';
/** A check is used again for so long. */
const CHECK_MILLIS = 1_000;

throughEachDoor((openDoor) => {
  const isRest = openDoor === restDoor;
  const door = isRest ? 'rest' : 'graphql';

  test('the metrics count requests by door, operation and status', async () => {
    const operation = isRest ? 'register/patient' : 'registerPatient';
    const labels = { door, operation, status: isRest ? '201' : '200' };
    const before = await totalOf(REQUESTS, labels);
    authenticated(await openDoor(app.url).registerPatient(aPatient()));
    await eventually(async () => expect(await totalOf(REQUESTS, labels)).toBe(before + 1));
    const name = 'auth_gateway_http_request_duration_seconds_bucket';
    expect(await totalOf(name, { ...labels, le: '+Inf' })).toBe(before + 1);
  });

  test('the metrics count logins by outcome', async () => {
    const patient = aPatient();
    const stranger = { email: freshEmail(), password: freshPassword() };
    const doors = openDoor(app.url);
    authenticated(await doors.registerPatient(patient));
    authenticated(await doors.login(patient));
    refused(await doors.login({ ...patient, password: freshPassword() }), 'credentials');
    refused(await doors.login(stranger), 'credentials');
    refused(await doors.login(stranger), 'too many attempts');
    for (const outcome of ['success', 'wrong password', 'unknown e-mail', 'throttled']) {
      expect([outcome, await totalOf(LOGINS, { door, outcome })]).toEqual([outcome, 1]);
    }
  });

  test('the metrics count an unexpected error, whatever the status of its answer', async () => {
    const labels = { door, cause: 'unexpected' };
    const before = await totalOf(FAILURES, labels);
    await app.database.tokens.deleteMany({});
    authenticated(await openDoor(app.url).registerPatient(aPatient()));
    // A real fault that nobody foresees: an index that a second token of the same name breaks.
    await app.database.tokens.createIndex({ name: 1 }, { unique: true });
    refused(await openDoor(app.url).registerPatient(aPatient()), 'unexpected');
    await app.database.tokens.dropIndex('name_1');
    await eventually(async () => expect(await totalOf(FAILURES, labels)).toBe(before + 1));
  });

  test('the metrics count uploaded bytes', async () => {
    registeredDoctor(await openDoor(app.url).registerDoctor(aDoctor()));
    await eventually(async () => {
      expect(await totalOf('auth_gateway_upload_bytes_total', { door })).toBeGreaterThan(200);
    });
  });
});

test('the metrics show the depth of the hash queue and the waits in it', async () => {
  const begun = await totalOf('auth_gateway_hash_queue_wait_seconds_count');
  authenticated(await restDoor(app.url).registerPatient(aPatient()));
  expect(await totalOf('auth_gateway_hash_queue_wait_seconds_count')).toBe(begun + 1);
  const names = (await scrape(app)).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['auth_gateway_hash_queue_running', 'auth_gateway_hash_queue_waiting']),
  );
});

test('the metrics measure database commands by name and collection', async () => {
  const { token } = authenticated(await restDoor(app.url).registerPatient(aPatient()));
  const name = 'auth_gateway_database_command_duration_seconds_count';
  const lookUp = { command: 'aggregate', collection: 'access_tokens', outcome: 'success' };
  const before = await totalOf(name, lookUp);
  await execute(app.url, MeDocument, {}, bearer(token));
  expect(await totalOf(name, lookUp)).toBeGreaterThan(before);
  expect(await totalOf(name, { command: 'insert', collection: 'accounts' })).toBeGreaterThan(0);
});

test('the metrics show the waiting audit events and the state of the process', async () => {
  const samples = await scrape(app);
  const names = new Set(samples.map(({ name }) => name));
  for (const name of [
    'auth_gateway_audit_events_waiting',
    'auth_gateway_audit_events_lost_total',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ]) {
    expect(names).toContain(name);
  }
  await eventually(async () => expect(await totalOf('auth_gateway_audit_events_waiting')).toBe(0));
});

/** What is written behind the answers, of the tests before as well, comes when its time has come. */
const WRITTEN_LATER = /"command":"(update","collection":"access_tokens|insert","collection":"audit_events)"/;

test('no request adds a series to the metrics', async () => {
  const seriesOf = async () => {
    const samples = (await scrape(app)).filter(({ name }) => name.startsWith('auth_gateway_'));
    const series = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
    return series.filter((text) => !WRITTEN_LATER.test(text));
  };
  /** Things that nobody would want as a label, each other than those of the round before. */
  const attack = async (round: number) => {
    const word = `Hostile${round}`;
    const requests = [
      `query ${word} { me { id } }`,
      `query ${word} { ${word}: me { id } }`,
      `{ ${word} }`,
      `query ${word} { __typename }`,
      `{ me { id } myTokens { id } ${word}: __typename }`,
      `{ ${word}`,
    ].map((query) => sendJson(`${app.url}/graphql`, { query, operationName: word }));
    const paths = [
      `/${word}`,
      `/api/v1/auth/${word}`,
      `/storage/${word}`,
      `/graphql/${word}`,
      `/graphql?${word}`,
    ];
    await Promise.all([
      ...requests,
      ...paths.map((path) => send(app.url + path)),
      send(`${app.url}/api/v1/auth/login`, { method: 'DELETE' }),
      send(`${app.url}/${word}`, { headers: { 'X-Request-Id': word, 'User-Agent': word } }),
    ]);
  };
  await attack(0);
  const before = await seriesOf();
  for (let round = 1; round < 10; round += 1) {
    await attack(round);
  }
  expect(await seriesOf()).toEqual(before);
  expect(before.join('\n')).not.toContain('Hostile');
});

test('only the metrics port serves metrics, and it serves nothing else', async () => {
  expect((await send(`${app.url}/metrics`)).status).toBe(404);
  const url = app.metricsUrl ?? '';
  for (const path of ['/', '/graphql', '/metrics/']) {
    const http = await send(url + path);
    expect([path, http.status, typeof jsonOf<{ message: string }>(http).message]).toEqual([
      path,
      404,
      'string',
    ]);
  }
  const refusal = await send(`${url}/metrics`, { method: 'POST' });
  expect([refusal.status, refusal.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const { headers } = await send(`${url}/metrics`);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
});

describe('by default', () => {
  const quiet = useTestApp();

  test('the gateway has no metrics and no port for them by default', async () => {
    expect(quiet.metricsUrl).toBeUndefined();
    authenticated(await graphqlDoor(quiet.url).registerPatient(aPatient()));
    expect((await send(`${quiet.url}/metrics`)).status).toBe(404);
  });
});

describe('with the database away', () => {
  const behind = useProxiedApp(METRICS);

  test('the metrics show that the database is away', async () => {
    const isOk = (check: string) => totalOf(CHECKS, { check }, behind.app);
    await eventually(async () => expect(await isOk('database')).toBe(1));
    await behind.proxy.cut();
    refused(await restDoor(behind.app.url).login(aPatient()), 'unavailable');
    expect(await totalOf(LOGINS, { outcome: 'unavailable' }, behind.app)).toBe(1);
    expect(await totalOf('auth_gateway_audit_events_waiting', {}, behind.app)).toBe(1);
    await eventually(async () => {
      expect(await totalOf(FAILURES, { door: 'rest', cause: 'unavailable' }, behind.app)).toBe(1);
    });
    await eventually(async () => {
      await testClock.advance(CHECK_MILLIS);
      expect([await isOk('database'), await isOk('storage')]).toEqual([0, 1]);
    });
    await behind.proxy.restore();
    await eventually(async () => {
      await letEventsBeWrittenAgain();
      expect(await totalOf('auth_gateway_audit_events_waiting', {}, behind.app)).toBe(0);
    });
  });
});
