import { readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { asService, errorsIn, reference, SUBGRAPH } from '../../support/federation.ts';
import { type GraphqlBody, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, freshEmail, freshPassword } from '../../support/people.ts';
import { SERVICES } from '../../support/services.ts';
import { createTestApp, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(SUBGRAPH);
const hidden = useTestApp({ ...SUBGRAPH, GRAPHQL_INTROSPECTION: 'off' });

type Body = GraphqlBody<{ _service: { sdl: string } }>;
const SDL = '{ _service { sdl } }';
const run = async (url: string, query: string, headers = {}, variables = {}) =>
  jsonOf<Body>(await sendJson(`${url}/graphql`, { query, variables }, headers));

const committed = readFileSync('schema/schema.graphql', 'utf8').replace(/^#.*\n\n/, '');

/** Types and fields are in the order in which their modules were loaded, which has no meaning. */
const sorted = (sdl = '') => printSchema(lexicographicSortSchema(buildSchema(sdl)));

test('the schema for the composition is the public one, with the account as an entity', async () => {
  const { data } = await run(app.url, SDL);
  const directives = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])

extend type Account @key(fields: "id")
`;
  const sdl = data?._service.sdl ?? '';
  expect(sdl.slice(-directives.length)).toBe(directives);
  expect(sorted(sdl.slice(0, -directives.length))).toBe(sorted(committed));
});

test('with introspection off only a service reads the schema', async () => {
  expect((await run(hidden.url, SDL, asService())).data?._service.sdl).toContain('@key');
  for (const headers of [{}, asService('wrong')]) {
    const body = await run(hidden.url, SDL, headers);
    expect(body.data ?? null).toBeNull();
    expect(errorsIn(body)).toEqual([['UNAUTHENTICATED', 'Unknown service or wrong secret.']]);
  }
});

test.each(['off', ''])('with FEDERATION=%s nothing of it is in the schema', async (FEDERATION) => {
  const plain = await createTestApp({ ...SERVICES, FEDERATION });
  try {
    const query = '{ __schema { types { name } queryType { fields { name } } directives { name } } }';
    const http = await sendJson(`${plain.url}/graphql`, { query });
    expect(http.text).not.toMatch(/_service|_Service|_entities|_Entity|_Any|"key"|"link"/);
    for (const document of [SDL, '{ _entities(representations: []) { __typename } }']) {
      const body = await run(plain.url, document, asService());
      expect(errorsIn(body)[0]?.[0]).toBe('GRAPHQL_VALIDATION_FAILED');
    }
  } finally {
    await plain.stop();
  }
});

describe('the limits of operations hold in a subgraph', () => {
  const document = (fields: string) => `query ($r: [_Any!]!) { ${fields} }`;
  const field = '_entities(representations: $r) { __typename }';
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

  test.each([
    ['root fields', document(fields(11)), 'An operation must not have more than 10 root fields.'],
    [
      'aliases',
      document(`_entities(representations: $r) { ${'a: __typename '.repeat(16)} }`),
      'An operation must not have more than 15 aliases.',
    ],
    [
      'tokens',
      document(`_entities(representations: $r) { ${'__typename '.repeat(1_000)} }`),
      'The document must not have more than 1000 tokens.',
    ],
  ])('%s', async (_case, query, message) => {
    const body = await run(app.url, query, asService(), { r: [reference('1')] });
    expect(errorsIn(body).map(([, text]) => text)).toContain(message);
  });

  test('one login in an operation', async () => {
    const password = freshPassword();
    const login = () => `login(input: { email: "${freshEmail()}", password: "${password}" }) { token }`;
    const body = await run(app.url, `mutation { a: ${login()} b: ${login()} }`);
    expect(errorsIn(body)).toEqual([
      [
        'GRAPHQL_VALIDATION_FAILED',
        'An operation must not have more than one login, registration or change of a password.',
      ],
    ]);
  });

  test('no simple request of a page', async () => {
    const body = JSON.stringify({ query: SDL });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const http = await send(`${app.url}/graphql`, {
        method: 'POST',
        body,
        headers: { ...asService(), 'Content-Type': type },
      });
      expect(http.status).toBeGreaterThanOrEqual(400);
      expect(http.text).not.toContain('@key');
    }
  });
});

test('nobody gets a trace of the resolvers and their times', async () => {
  const http = await sendJson(
    `${app.url}/graphql`,
    { query: '{ __typename }' },
    { 'Apollo-Federation-Include-Trace': 'ftv1' },
  );
  expect(jsonOf(http)).toEqual({ data: { __typename: 'Query' } });
});

test('a doctor registers with three documents at a subgraph, too', async () => {
  const { profile } = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
  expect(profile.licenseFileUrl).toContain('/storage/licenses/');
});

test('wrong secrets are counted once for a request, and are in the audit trail', async () => {
  const limited = await createTestApp({ ...SUBGRAPH, RATE_LIMIT: 'on' });
  try {
    const query =
      'query ($r: [_Any!]!) { a: _entities(representations: $r) { __typename } b: _entities(representations: $r) { __typename } }';
    const ask = async (secret?: string) =>
      errorsIn(await run(limited.url, query, asService(secret), { r: [reference('1')] }))[0]?.[0];
    for (let time = 0; time < 60; time += 1) {
      expect(await ask('wrong')).toBe('UNAUTHENTICATED');
    }
    expect(await ask('wrong')).toBe('TOO_MANY_ATTEMPTS');
    // The right secret is accepted even then.
    expect(await ask()).toBeUndefined();
    const events = limited.database.db.collection<StoredAuditEvent>('audit_events');
    await eventually(async () => {
      const found = await events.find({ act: 'service authentication', door: 'graphql' }).toArray();
      expect(found).toContainEqual(expect.objectContaining({ service: 'appointments', outcome: 'failure' }));
      expect(found).toContainEqual(expect.objectContaining({ service: 'appointments', outcome: 'success' }));
    });
  } finally {
    await limited.stop();
  }
});
