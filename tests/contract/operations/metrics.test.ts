import { MeDocument } from '../../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../../support/apis.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
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

throughEachApi((apiOf) => {
  const isRest = apiOf === restApi;
  const channel = isRest ? 'rest' : 'graphql';

  test('the metrics count requests by door, operation and status', async () => {
    const operation = isRest ? 'register/patient' : 'registerPatient';
    const labels = { channel, operation, status: isRest ? '201' : '200' };
    const before = await totalOf(REQUESTS, labels);
    authenticated(await apiOf(app.url).registerPatient(aPatient()));
    await eventually(async () => expect(await totalOf(REQUESTS, labels)).toBe(before + 1));
    const name = 'auth_gateway_http_request_duration_seconds_bucket';
    expect(await totalOf(name, { ...labels, le: '+Inf' })).toBe(before + 1);
  });

  test('the metrics count logins by outcome', async () => {
    const patient = aPatient();
    const stranger = { email: freshEmail(), password: freshPassword() };
    const apis = apiOf(app.url);
    authenticated(await apis.registerPatient(patient));
    authenticated(await apis.login(patient));
    refused(await apis.login({ ...patient, password: freshPassword() }), 'credentials');
    refused(await apis.login(stranger), 'credentials');
    refused(await apis.login(stranger), 'too many attempts');
    for (const outcome of ['success', 'wrong password', 'unknown e-mail', 'throttled']) {
      expect([outcome, await totalOf(LOGINS, { channel, outcome })]).toEqual([outcome, 1]);
    }
  });

  test('the metrics count an unexpected error, whatever the status of its answer', async () => {
    const labels = { channel, cause: 'unexpected' };
    const before = await totalOf(FAILURES, labels);
    await app.database.tokens.deleteMany({});
    authenticated(await apiOf(app.url).registerPatient(aPatient()));
    // A real fault that nobody foresees: an index that a second token of the same name breaks.
    await app.database.tokens.createIndex({ name: 1 }, { unique: true });
    refused(await apiOf(app.url).registerPatient(aPatient()), 'unexpected');
    await app.database.tokens.dropIndex('name_1');
    await eventually(async () => expect(await totalOf(FAILURES, labels)).toBe(before + 1));
  });

  test('the metrics count uploaded bytes', async () => {
    registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
    await eventually(async () => {
      expect(await totalOf('auth_gateway_upload_bytes_total', { channel })).toBeGreaterThan(200);
    });
  });
});

test('the metrics show the depth of the hash queue and the waits in it', async () => {
  const begun = await totalOf('auth_gateway_hash_queue_wait_seconds_count');
  authenticated(await restApi(app.url).registerPatient(aPatient()));
  expect(await totalOf('auth_gateway_hash_queue_wait_seconds_count')).toBe(begun + 1);
  const names = (await scrape(app)).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['auth_gateway_hash_queue_running', 'auth_gateway_hash_queue_waiting']),
  );
});

test('the metrics measure database commands by name and collection', async () => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
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
    authenticated(await graphqlApi(quiet.url).registerPatient(aPatient()));
    expect((await send(`${quiet.url}/metrics`)).status).toBe(404);
  });
});

describe('with the database away', () => {
  const behind = useProxiedApp(METRICS);

  test('the metrics show that the database is unreachable', async () => {
    const isOk = (check: string) => totalOf(CHECKS, { check }, behind.app);
    await eventually(async () => expect(await isOk('database')).toBe(1));
    await behind.proxy.cut();
    refused(await restApi(behind.app.url).login(aPatient()), 'unavailable');
    expect(await totalOf(LOGINS, { outcome: 'unavailable' }, behind.app)).toBe(1);
    expect(await totalOf('auth_gateway_audit_events_waiting', {}, behind.app)).toBe(1);
    await eventually(async () => {
      expect(await totalOf(FAILURES, { channel: 'rest', cause: 'unavailable' }, behind.app)).toBe(1);
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
