import { serverAudits } from 'graphql-http';
import { type GraphqlBody, PREFLIGHT, sendAsForm } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { useTestApp } from '../../support/test-app.ts';

// https://graphql.github.io/graphql-over-http/draft/
const app = useTestApp();
const JSON_TYPE = 'application/json';
const RESPONSE_JSON = 'application/graphql-response+json';

describe('the public audit of GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => `${app.url}/graphql` });

  test('the public audit of GraphQL over HTTP has the expected number of items', () => {
    expect(audits).toHaveLength(61);
  });

  // A MAY or a SHOULD that does not hold is a notice or a warning, and fails like an error.
  test.each(audits)('$id: $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});

describe('a request error', () => {
  const BODIES = [
    { query: '{' },
    { query: '{ nothing }' },
    { query: 'query A { __typename }', operationName: 'B' },
    { query: 'query ($name: String!) { __type(name: $name) { name } }', variables: { name: 5 } },
  ];

  test.each([
    [undefined, JSON_TYPE, 200],
    ['*/*', JSON_TYPE, 200],
    [JSON_TYPE, JSON_TYPE, 200],
    [`${JSON_TYPE}; charset=utf-8`, JSON_TYPE, 200],
    [`${JSON_TYPE}, ${RESPONSE_JSON}`, JSON_TYPE, 200],
    [`${RESPONSE_JSON};q=0.5, ${JSON_TYPE}`, JSON_TYPE, 200],
    [RESPONSE_JSON, RESPONSE_JSON, 400],
    [`${RESPONSE_JSON}; charset=utf-8`, RESPONSE_JSON, 400],
    [`${RESPONSE_JSON}, ${JSON_TYPE};q=0.9`, RESPONSE_JSON, 400],
  ])('a request error for Accept %s has type %s and status %d', async (accept, type, status) => {
    for (const body of BODIES) {
      const response = await sendJson(
        `${app.url}/graphql`,
        body,
        accept === undefined ? {} : { Accept: accept },
      );
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.status).toBe(status);
      const { data, errors } = jsonOf<GraphqlBody<object>>(response);
      expect(data).toBeUndefined();
      expect(errors).not.toHaveLength(0);
    }
  });
});

test('a subscription is an error of the request, not of the server', async () => {
  const response = await sendJson(`${app.url}/graphql`, { query: 'subscription { __typename }' });
  expect(response.status).toBe(200);
  const codes = jsonOf<GraphqlBody<object>>(response).errors?.map(({ extensions }) => extensions?.code);
  expect(new Set(codes)).toEqual(new Set(['BAD_USER_INPUT']));
});

test('the GraphQL API answers 406 to an overlong Accept header without parsing it', async () => {
  const headers = { Accept: `application/json${',*/*'.repeat(1000)}` };
  expect((await sendJson(`${app.url}/graphql`, { query: '{ __typename }' }, headers)).status).toBe(406);
});

test('the GraphQL API answers 406 and runs nothing if the client accepts no JSON', async () => {
  const before = await app.database.count();
  const input = aPatient();
  rememberPassword(input.password);
  const query =
    'mutation ($input: RegisterPatientInput!) { registerPatient(input: $input) { account { id } } }';
  const response = await sendJson(
    `${app.url}/graphql`,
    { query, variables: { input } },
    { Accept: 'text/html' },
  );
  expect(response.status).toBe(406);
  expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expect(await app.database.count()).toEqual(before);
});

test('introspection is on outside production', async () => {
  const response = await sendJson(`${app.url}/graphql`, { query: '{ __schema { queryType { name } } }' });
  expect(jsonOf(response)).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
});

test.each(['{', 'x', '[]', '"text"', '42', 'null', '{}', '{"query":5}', '{"query":""}', ''])(
  'the GraphQL API answers 400 in JSON to the body or the operations %j',
  async (body) => {
    for (const response of [await sendJson(`${app.url}/graphql`, body), await sendAsForm(app.url, body)]) {
      expect(response.status).toBe(400);
      expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
  },
);

// Apollo Client reads the errors of an answer with status 400 only if it has the newer type.
test.each([
  [JSON_TYPE, JSON_TYPE],
  [`${RESPONSE_JSON}, ${JSON_TYPE};q=0.9`, RESPONSE_JSON],
  [`${RESPONSE_JSON}${',*/*'.repeat(1000)}`, JSON_TYPE],
])(
  'a request that cannot be read is answered in the type that its client prefers (case %#)',
  async (Accept, type) => {
    const broken = { method: 'POST', headers: { Accept, 'Content-Type': JSON_TYPE }, body: '{' };
    const multipart = { method: 'POST', headers: { Accept }, body: new FormData() };
    for (const request of [broken, multipart]) {
      const response = await send(`${app.url}/graphql`, request);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        400,
        `${type}; charset=utf-8`,
      ]);
      expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
  },
);

describe('a method', () => {
  const QUERY = 'mutation { logout { message } }';
  const url = () => `${app.url}/graphql?query=${encodeURIComponent(QUERY)}`;

  test.each(['PUT', 'PATCH', 'DELETE', 'HEAD'])(
    'the GraphQL API answers 405 to %s, whatever its headers',
    async (method) => {
      for (const headers of [{}, PREFLIGHT]) {
        const response = await send(url(), { method, headers });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, POST');
      }
    },
  );

  test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    'the GraphQL API does not let %s override the method',
    async (name) => {
      const asPost = await send(url(), { headers: { [name]: 'POST' } });
      expect(asPost.status).toBe(405);
      expect(asPost.headers.get('allow')).toBe('POST');
      const asGet = await sendJson(`${url()}&_method=GET`, { query: '{ __typename }' }, { [name]: 'GET' });
      expect(jsonOf(asGet)).toEqual({ data: { __typename: 'Query' } });
    },
  );
});

test('the GraphQL API answers a browser in JSON', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const search of ['', '?query={__typename}']) {
    const response = await send(`${app.url}/graphql${search}`, {
      headers: { Accept: accept, 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' },
    });
    expect(response.headers.get('content-type')).toContain(JSON_TYPE);
    expect(jsonOf(response)).toEqual(expect.any(Object));
  }
});

test.each([undefined, '{ __typename }'])(
  'the GraphQL API stores no persisted query, with the query %s or without',
  async (query) => {
    const persistedQuery = {
      version: 1,
      sha256Hash: 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38',
    };
    const response = await sendJson(`${app.url}/graphql`, { query, extensions: { persistedQuery } });
    expect(jsonOf(response)).toEqual({
      errors: [
        {
          message: 'PersistedQueryNotSupported',
          extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
        },
      ],
    });
  },
);
