import { rm } from 'node:fs/promises';
import path from 'node:path';
import { MeDocument } from '../../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { send, sendJson } from '../../support/http.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
  tracedTo,
} from '../../support/otlp-receiver.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const ERROR = 2;

let receiver: OtlpReceiver;
let app: TestApp;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  app = await createTestApp({ ...tracedTo(receiver), TRUST_PROXY: 'loopback' });
});
afterAll(async () => {
  await app?.stop();
  await receiver?.stop();
  expectNoSecretsIn(receiver.text);
});

const requestIdOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id');
const spanOf = (http: { headers: Headers }): Promise<ReceivedSpan> => receiver.requestSpan(requestIdOf(http));

/** The names of the spans of a trace, sorted. Requests share the writes of audit events: one of them has the span. */
const namesIn = ({ traceId }: ReceivedSpan): string[] =>
  receiver.spans
    .filter((span) => span.traceId === traceId && span.name !== 'insert audit_events')
    .map(({ name }) => name)
    .sort();

throughEachApi((apiOf) => {
  const isRest = apiOf === restApi;

  test('a login has spans for the request, its hash and its database commands', async () => {
    const patient = aPatient();
    await apiOf(app.url).registerPatient(patient);
    const { http } = authenticated(await apiOf(app.url).login(patient));
    const span = await spanOf(http);
    expect(span).toMatchObject({
      name: isRest ? 'POST /api/v1/auth/login' : 'POST /graphql login',
      kind: SERVER,
      status: { code: 0 },
      attributes: {
        'http.request.method': 'POST',
        'http.route': isRest ? '/api/v1/auth/login' : '/graphql',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'auth_gateway.channel': isRest ? 'rest' : 'graphql',
        'auth_gateway.operation': 'login',
      },
      resource: { 'service.name': 'auth-gateway', 'telemetry.sdk.language': 'nodejs' },
    });
    expect(span.parentSpanId).toBeUndefined();
    const hash = await receiver.childOf(span, 'password hash');
    expect(hash).toMatchObject({ kind: INTERNAL, traceId: span.traceId, events: [{ name: 'started' }] });
    expect(hash.attributes['auth_gateway.hash_queue.wait_ms']).toBeGreaterThanOrEqual(0);
    expect(await receiver.childOf(span, 'find accounts')).toMatchObject({
      kind: CLIENT,
      traceId: span.traceId,
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': expect.any(String),
        'db.collection.name': 'accounts',
        'db.operation.name': 'find',
        'server.address': '127.0.0.1',
        'server.port': expect.any(Number),
      },
    });
  });
});

test('the commands of an upload belong to its request', async () => {
  const { http } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const span = await spanOf(http);
  for (const command of ['insert doctor_profiles', 'insert access_tokens', 'insert accounts']) {
    await receiver.childOf(span, command);
  }
});

test('concurrent logins have the same spans as one alone', async () => {
  const patients = Array.from({ length: 8 }, () => aPatient());
  for (const patient of patients) {
    await restApi(app.url).registerPatient(patient);
    // The first login is another write: the account remembers its device.
    await restApi(app.url).login(patient);
  }
  const logins = await Promise.all(patients.map((patient) => restApi(app.url).login(patient)));
  const spans = await Promise.all(logins.map((login) => spanOf(authenticated(login).http)));
  const alone = authenticated(await restApi(app.url).login(patients[0] ?? {}));
  const names = namesIn(await spanOf(alone.http));
  expect(names).toHaveLength(6);
  await eventually(() => expect(spans.map(namesIn)).toEqual(spans.map(() => names)));
});

test('a span has nothing that a caller has written or that leads to a person', async () => {
  const patient = aPatient({ name: 'Traced Person', phone: '+3161234567' });
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  const query = 'query OperationOfACaller { me { email } }';
  const headers = { ...bearer(token), 'User-Agent': 'agent-of-a-caller', 'X-Forwarded-For': '203.0.113.77' };
  const http = await sendJson(`${app.url}/graphql?code=in-the-query`, { query }, headers);
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const document = await send(`${profile.licenseFileUrl}?signature=of-a-document`);
  const unknown = await send(`${app.url}/people/${patient.email}`);
  const odd = await send(app.url, { method: 'PROPFIND' });
  const spans = await Promise.all([http, document, unknown, odd].map(spanOf));
  expect(spans.map(({ name }) => name)).toEqual(['POST /graphql me', 'GET /storage', 'GET', 'HTTP']);
  const sent = [
    ...[account.id, account.email, account.name, '3161234567', 'agent-of-a-caller', '203.0.113.77'],
    ...['OperationOfACaller', 'in-the-query', 'of-a-document', '/people', 'PROPFIND'],
    ...[profile.licenseNumber ?? '', path.basename(profile.licenseFileUrl)],
  ];
  expect(sent.filter((text) => receiver.text.includes(text))).toEqual([]);
});

test('probes have no spans', async () => {
  for (const probe of ['/healthz', '/readyz']) {
    await send(`${app.url}${probe}`);
  }
  const span = await spanOf(await execute(app.url, MeDocument, {}).then(({ http }) => http));
  expect(span.name).toBe('POST /graphql me');
  expect(receiver.text).not.toMatch(/healthz|readyz|"ping"/);
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const sendIn = (traceparent: string, url = app.url) =>
  send(`${url}/api/v1/auth/logout`, { method: 'POST', headers: { traceparent } });

test('a request belongs to the trace that a trusted proxy names', async () => {
  const span = await spanOf(await sendIn(`00-${TRACE}-${PARENT}-01`));
  expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
});

test('a trace that the proxy does not sample is not exported, but named in the log', async () => {
  const notSampled = requestIdOf(await sendIn(`00-${TRACE}-${PARENT}-00`));
  await spanOf(await sendIn(`00-${TRACE}-${PARENT}-01`));
  const ids = receiver.spans.map(({ attributes }) => attributes['auth_gateway.request_id']);
  expect(ids).not.toContain(notSampled);
  const lines = app.log.filter((line) => line.includes(notSampled ?? ''));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ trace_id: TRACE }]);
});

test.each([
  ['is not valid', `00-${TRACE}-${PARENT}`],
  ['has zeros for an id', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['comes twice', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ['is long', `00-${TRACE}-${PARENT}-01${'-0'.repeat(4000)}`],
])('a traceparent that %s begins a new trace', async (_what, traceparent) => {
  const span = await spanOf(await sendIn(traceparent));
  expect(span.traceId).not.toBe(TRACE);
  expect(span.parentSpanId).toBeUndefined();
});

test('without TRUST_PROXY, callers cannot name a trace, and a sampler decides', async () => {
  const settings = {
    ...tracedTo(receiver),
    OTEL_SERVICE_NAME: 'the-other',
    OTEL_TRACES_SAMPLER: 'always_on',
  };
  const other = await createTestApp(settings);
  const none = await createTestApp({ ...tracedTo(receiver), OTEL_TRACES_SAMPLER: 'always_off' });
  try {
    const notSampled = requestIdOf(await sendIn(`00-${TRACE}-${PARENT}-01`, none.url));
    const span = await spanOf(await sendIn(`00-${TRACE}-${PARENT}-01`, other.url));
    expect(span.traceId).not.toBe(TRACE);
    expect(span.resource['service.name']).toBe('the-other');
    await none.stop();
    expect(receiver.text).not.toContain(notSampled);
  } finally {
    await other.stop();
  }
});

test('a collector that refuses is logged once, and once when it works again', async () => {
  const lines = (text: string) => app.log.filter((line) => line.includes(text));
  receiver.answer((_req, res) => void res.writeHead(401, 'bad key: a-secret').end('a-secret'));
  const { exports } = receiver;
  while (receiver.exports < exports + 3) {
    expect((await sendIn('')).status).toBe(401);
  }
  await eventually(() => expect(lines('traces cannot be exported')).toHaveLength(1));
  receiver.answer(undefined);
  await spanOf(await sendIn(''));
  await eventually(() => expect(lines('traces are exported again')).toHaveLength(1));
  expect(lines('traces cannot be exported').join('')).toContain('"cause":"HTTP status 401"');
  expect(lines('traces cannot be exported')).toHaveLength(1);
  expect(app.log.join('')).not.toContain('a-secret');
});

test('the lines of a failed request in the log name its trace', async () => {
  await rm(path.join(app.storageDir, 'certifications'), { recursive: true });
  const { http } = refused(await restApi(app.url).registerDoctor(aDoctor()), 'unexpected');
  const { traceId, spanId, status, attributes } = await spanOf(http);
  expect(status).toEqual({ code: ERROR });
  expect(attributes['error.type']).toBe('500');
  const lines = app.log.filter((line) => line.includes(requestIdOf(http) ?? ''));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { err: {}, trace_id: traceId, span_id: spanId },
    { msg: 'request', trace_id: traceId, span_id: spanId },
  ]);
});
