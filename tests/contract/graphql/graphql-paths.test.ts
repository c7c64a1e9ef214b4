// Before the resolver, as in the gateway: this file may be the first of its worker.
import { ApolloServer } from '@apollo/server';
import 'reflect-metadata';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { jest } from '@jest/globals';
import { AccountResolver } from '../../../src/api/graphql/resolvers/account.resolver.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { SUBGRAPH } from '../../support/federation.ts';
import { sendJson } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { answerTo, openRequest } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { scrape } from '../../support/scrape.ts';
import { bearer } from '../../support/session.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { ALL_CASES, CASES_OF_DOCUMENTS, type PathCase, type Sender } from './support/path-cases.ts';

/*
 * src/api/graphql/fast-path.ts: a document that is new goes through Apollo Server, a known one may take the fast
 * path. Here each request takes both paths, to two gateways with the same people, and everything that it leaves must be equal.
 */
const apollo = jest.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
/** A defect that only one of the people meets. */
jest.spyOn(AccountResolver.prototype, 'createdAt').mockImplementation(({ email, createdAt }) => {
  if (email === 'broken@example.org') {
    throw new TypeError('a defect');
  }
  return createdAt ?? new Date(0);
});
const SETTINGS = { RATE_LIMIT: 'on', METRICS: 'on', METRICS_PORT: '0', BASE_URL: 'http://gateway.example' };
const PASSWORD = 'correct horse battery';

type Tokens = Partial<Record<Sender, string>>;

/** People who are the same in every gateway, but for their ids and tokens. */
async function openGateway(settings: Record<string, string>): Promise<{ app: TestApp; tokens: Tokens }> {
  const app = await createTestApp({ ...SETTINGS, ...settings });
  const api = restApi(app.url);
  const tokens: Tokens = { stranger: 'unknown|token' };
  for (const name of ['patient', 'reviewer', 'broken'] as const) {
    const person = aPatient({ email: `${name}@example.org`, password: PASSWORD });
    const { account, token } = authenticated(await api.registerPatient(person));
    tokens[name] = token;
    if (name === 'reviewer') {
      await app.database.accounts.updateOne({ _id: account.id }, { $set: { role: 'reviewer' } });
    }
  }
  const doctor = aDoctor({ email: 'doctor@example.org', password: PASSWORD });
  tokens.doctor = registeredDoctor(await api.registerDoctor(doctor)).token;
  return { app, tokens };
}

/** Each case has a document of its own, so none is known from another. */
const documentOf = ({ query }: PathCase, index: number) => (query === '' ? '' : `${query} # ${index}`);

/** Makes a document known, if it is valid. No operation of it runs. */
const makeKnown = ({ url }: TestApp, query: string) =>
  sendJson(`${url}/graphql`, { query, operationName: 'NoSuchOperation' });

/** What differs between two gateways: ids, secrets, names of documents, cursors. */
const withoutChance = (text: string) =>
  text
    .replace(/"(\w*[cC]ursor)":"[\w=-]+"/g, '"$1":"<cursor>"')
    .replace(/\b[0-9a-f]{24}\b/g, '<id>')
    .replace(/\b[0-9A-Za-z]{40,48}\b/g, '<random>');

/** Sends a case, and returns what its sender sees, and whether Apollo Server has answered. */
async function runCase({ app, tokens }: { app: TestApp; tokens: Tokens }, one: PathCase, query: string) {
  const { variables, operationName, more, as = 'nobody', body, search } = one;
  const token = tokens[as];
  const contentType = search ? undefined : { 'Content-Type': 'application/json' };
  const headers = { ...contentType, ...(token === undefined ? {} : bearer(token)), ...one.headers };
  const path = `/graphql${search?.(query) ?? ''}`;
  const before = apollo.mock.calls.length;
  const req = openRequest(app.url, { path, method: search ? 'GET' : 'POST', headers });
  const responded = once(req, 'response') as Promise<[IncomingMessage]>;
  req.end(
    search ? undefined : (body?.(query) ?? JSON.stringify({ query, variables, operationName, ...more })),
  );
  const { status, text, headers: named } = await answerTo(req);
  const [{ rawHeaders }] = await responded;
  return {
    requestId: named.get('x-request-id') ?? '',
    byApollo: apollo.mock.calls.length > before,
    seen: {
      status,
      headers: rawHeaders.filter((_, i) => !/^(date|x-request-id)$/i.test(rawHeaders[i - (i % 2)] ?? '')),
      text: withoutChance(text),
    },
  };
}

/** The log lines of requests, without times. The stacks of errors differ, because other functions have called. */
async function linesOf({ log }: TestApp, requestIds: string[]) {
  await eventually(() => expect(log.at(-1)).toContain(`"requestId":"${requestIds.at(-1)}"`));
  const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'listening');
  return requestIds.map((id) =>
    lines
      .filter(({ requestId }) => requestId === id)
      .map(({ time: _, requestId: _id, durationMillis: _millis, err, ...rest }) =>
        withoutChance(JSON.stringify({ ...rest, err: err?.message })),
      ),
  );
}

/** The counters of a gateway. */
const countsOf = async (app: TestApp) =>
  new Map(
    (await scrape(app))
      .filter(({ name }) => /^auth_gateway_.*_(?:total|count)$/.test(name) && !name.includes('database'))
      .map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
  );

const countedSince = (before: Map<string, number>, after: Map<string, number>) =>
  [...after]
    .map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const)
    .filter(([, value]) => value > 0)
    .sort();

/** Who answers a request whose document is known. */
function answererOf({ by, needs }: PathCase, settings: Record<string, string>) {
  const isValid = {
    introspection: settings.GRAPHQL_INTROSPECTION === 'on',
    federation: settings.FEDERATION === 'on',
  };
  return by ?? (needs === undefined || isValid[needs] ? 'the fast path' : 'apollo');
}

test.each([
  ['a hidden schema in a federation', { ...SUBGRAPH, GRAPHQL_INTROSPECTION: 'off' }, ALL_CASES],
  ['an open schema', { GRAPHQL_INTROSPECTION: 'on' }, CASES_OF_DOCUMENTS],
])('a known document is answered as a new one, with %s', async (_case, settings, cases) => {
  const [first, second] = [await openGateway(settings), await openGateway(settings)];
  try {
    const before = [await countsOf(first.app), await countsOf(second.app)] as const;
    const requestIds: [string[], string[]] = [[], []];
    for (const [index, one] of cases.entries()) {
      const query = documentOf(one, index);
      // The first gateway gets another document, so that both have counted as many requests.
      await makeKnown(first.app, query && `${query}, other`);
      await makeKnown(second.app, query);
      const asNew = await runCase(first, one, query);
      const asKnown = await runCase(second, one, query);
      expect({ name: one.name, ...asKnown.seen }).toEqual({ name: one.name, ...asNew.seen });
      requestIds[0].push(asNew.requestId);
      requestIds[1].push(asKnown.requestId);
      const answerer = answererOf(one, settings);
      expect([one.name, asNew.byApollo]).toEqual([one.name, answerer !== 'neither']);
      expect([one.name, asKnown.byApollo]).toEqual([one.name, answerer === 'apollo']);
    }
    expect(await linesOf(second.app, requestIds[1])).toEqual(await linesOf(first.app, requestIds[0]));
    const counted = countedSince(before[1], await countsOf(second.app));
    expect(counted).toEqual(countedSince(before[0], await countsOf(first.app)));
    expect(counted.length).toBeGreaterThan(10);
  } finally {
    await first.app.stop();
    await second.app.stop();
  }
});
