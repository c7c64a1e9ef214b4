import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/system/clock.ts';
import type { Api } from '../support/apis.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { encodeForm } from '../support/multipart.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { withRetries } from '../support/retries.ts';
import { createTestApp } from '../support/test-app.ts';
import { openIdleConnections } from './support/idle-clients.ts';
import { figuresOf, limitDescriptors, mostDescriptors } from './support/process-figures.ts';
import { processorMillis } from './support/processor-time.ts';
import { visit } from './support/visit.ts';

const workshop = useWorkshop();
let gateway: GatewayProcess;
let url: string;

beforeAll(async () => {
  gateway = workshop.start({ RATE_LIMIT: 'off' });
  url = await gateway.url();
  // What is only loaded when it is first needed.
  for (let i = 0; i < 20; i += 1) {
    await visit(url);
  }
});
afterEach(() => expect(gateway.stderr).toBe(''));

/** What the gateway itself needs of its descriptors, and then some. */
const RESERVED_DESCRIPTORS = 500;
const CONNECTIONS = Math.min(10_000, mostDescriptors() - RESERVED_DESCRIPTORS);
/** A kernel's own limit is 4,096 where nobody has raised it. */
const FEWEST_CONNECTIONS = 3_000;
const MOST_KIB_PER_CONNECTION = 16;
/** The first are closed after ten seconds: where it takes as long to open the last, fewer are open at once. */
const OPENING_MILLIS = 8_000;
const FEWEST_AT_ONCE = 1_000;
/** Enough that one collection of garbage does not count for much. */
const VISITS = 60;
/** Work for each connection at each visit would make the visits cost many times as much. */
const MAX_TIMES = 2;

/** The processor time of some visits, in milliseconds. The gateway runs in this process. */
const costMillis = (of: string) =>
  processorMillis(async () => {
    for (let count = 0; count < VISITS; count += 1) {
      await visit(of);
    }
  });

test(`a visit beside ${CONNECTIONS} idle connections takes no more processor time than without them`, async () => {
  // The connections stay open for as long as the test needs.
  const millis = 300_000;
  const deadlines = {
    headersMillis: millis,
    jsonBodyMillis: millis,
    idleMillis: millis,
    checkIntervalMillis: millis,
  };
  const app = await createTestApp({}, undefined, { deadlines }, systemClock);
  try {
    await costMillis(app.url);
    const alone = await costMillis(app.url);
    const connections = openIdleConnections(app.url, CONNECTIONS);
    expect(await connections.opened()).toBe(CONNECTIONS);
    const beside = await costMillis(app.url);
    process.stdout.write(
      `a visit takes ${(alone / VISITS).toFixed(1)} ms of processor time, and ${(beside / VISITS).toFixed(1)} ms beside ${CONNECTIONS} idle connections\n`,
    );
    expect(beside).toBeLessThan(MAX_TIMES * alone);
  } finally {
    await app.stop();
  }
}, 300_000);

test(`${CONNECTIONS} idle connections cost little memory, and the gateway closes all of them within seconds`, async () => {
  expect(CONNECTIONS).toBeGreaterThanOrEqual(FEWEST_CONNECTIONS);
  const before = figuresOf(gateway.pid);
  const connections = openIdleConnections(url, CONNECTIONS);
  let most = before;
  let slowestMillis = 0;
  let areClosed = false;
  const allClosed = connections.closed().then(() => {
    areClosed = true;
  });
  const startedAt = performance.now();
  let openingMillis = Number.NaN;
  const allOpened = connections.opened().finally(() => {
    openingMillis = performance.now() - startedAt;
  });
  while (!areClosed) {
    slowestMillis = Math.max(slowestMillis, await visit(url));
    const now = figuresOf(gateway.pid);
    if (now.descriptors > most.descriptors) {
      most = now;
    }
    await wait(100);
  }
  await allClosed;
  expect(await allOpened).toBe(CONNECTIONS);
  const mostAtOnce = most.descriptors - before.descriptors;
  expect(mostAtOnce).toBeGreaterThan(openingMillis < OPENING_MILLIS ? CONNECTIONS * 0.9 : FEWEST_AT_ONCE);
  const growthKib = (most.memoryMib - before.memoryMib) * 1024;
  process.stdout.write(
    `${CONNECTIONS} idle connections: ${(growthKib / 1024).toFixed(0)} MiB (${(growthKib / CONNECTIONS).toFixed(1)} KiB each), slowest visit ${slowestMillis.toFixed(0)} ms, all closed after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
  );
  expect(growthKib / CONNECTIONS).toBeLessThan(MOST_KIB_PER_CONNECTION);
  await eventually(() => expect(figuresOf(gateway.pid).descriptors).toBeLessThan(before.descriptors + 20));
}, 180_000);

test('a gateway at the limit of its file descriptors does not spin, returns 503 to uploads, and recovers', async () => {
  // An open connection is served; a new one may have to be tried again.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const register = async (api: Api) => {
    const { path, headers, form } = api.doctorRequest(aDoctor());
    const { contentType, body } = await encodeForm(form);
    const { hostname, port } = new URL(url);
    const allHeaders = { ...headers, 'Content-Type': contentType };
    const req = request({ hostname, port, agent, path, method: 'POST', headers: allHeaders });
    req.end(body);
    return api.doctorOutcome(await answerTo(req));
  };
  const apis = [restApi(url), graphqlApi(url)];
  for (const api of apis) {
    await withRetries(async () => authenticated(await register(api)));
  }
  limitDescriptors(gateway.pid, figuresOf(gateway.pid).descriptors + 100);
  const connections = openIdleConnections(url, 600);
  expect(await connections.opened()).toBeGreaterThan(0);
  const before = figuresOf(gateway.pid);
  const startedAt = performance.now();
  await wait(1_000);
  const { cpuMillis } = figuresOf(gateway.pid);
  expect(cpuMillis - before.cpuMillis).toBeLessThan((performance.now() - startedAt) / 2);
  for (const api of apis) {
    refused(await register(api), 'unavailable');
  }
  await connections.closed();
  for (const api of apis) {
    await withRetries(async () => authenticated(await register(api)));
  }
  await visit(url);
  agent.destroy();
}, 60_000);
