import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { askEntities, asService, entities, errorsIn, reference, SUBGRAPH } from '../../support/federation.ts';
import { type GraphqlBody, graphqlApi } from '../../support/graphql-api.ts';
import { comparable, jsonOf, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, basic, SERVICES } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { afterSums, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(SUBGRAPH);
const SCHEMA = readFileSync('schema/schema.graphql', 'utf8').replace(/^#.*\n\n/, '');
const limited = useTestApp({ ...SUBGRAPH, RATE_LIMIT: 'on' });
const numbered = useTestApp({ ...SUBGRAPH, ID_FORMAT: 'integer' });
const hidden = useTestApp({ ...SUBGRAPH, GRAPHQL_INTROSPECTION: 'off' });

type Body = GraphqlBody<{ _service: { sdl: string } }>;
const SDL = '{ _service { sdl } }';
const run = async (url: string, query: string, headers = {}, variables = {}) =>
  jsonOf<Body>(await sendJson(`${url}/graphql`, { query, variables }, headers));

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
  expect(sorted(sdl.slice(0, -directives.length))).toBe(sorted(SCHEMA));
});

test('with introspection off only a service reads the schema', async () => {
  expect((await run(hidden.url, SDL, asService())).data?._service.sdl).toContain('@key');
  for (const headers of [{}, asService('wrong')]) {
    const body = await run(hidden.url, SDL, headers);
    expect(body.data ?? null).toBeNull();
    expect(errorsIn(body)).toEqual([['UNAUTHENTICATED', 'Unknown service or wrong secret.']]);
  }
});

describe.each(['off', ''])('with FEDERATION=%s', (FEDERATION) => {
  const without = useTestApp({ ...SERVICES, FEDERATION });

  test('nothing of it is in the schema', async () => {
    const query = '{ __schema { types { name } queryType { fields { name } } directives { name } } }';
    const http = await sendJson(`${without.url}/graphql`, { query });
    expect(http.text).not.toMatch(/_service|_Service|_entities|_Entity|_Any|"key"|"link"/);
    for (const document of [SDL, '{ _entities(representations: []) { __typename } }']) {
      const body = await run(without.url, document, asService());
      expect(errorsIn(body)[0]?.[0]).toBe('GRAPHQL_VALIDATION_FAILED');
    }
  });
});

describe('the limits of operations hold in a subgraph', () => {
  const LOGIN = 'login(input: { email: "a@example.org", password: "x" }) { token }';
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
    [
      'logins',
      `mutation { a: ${LOGIN} b: ${LOGIN} }`,
      'An operation must not have more than one login, registration or change of a password.',
    ],
  ])('%s', async (_case, query, message) => {
    const body = await run(app.url, query, asService(), { r: [reference('1')] });
    expect(errorsIn(body).map(([, text]) => text)).toContain(message);
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
  await eventually(async () => {
    const found = await trailOf(limited, { act: 'service authentication', door: 'graphql' });
    expect(found).toContainEqual(expect.objectContaining({ service: 'appointments', outcome: 'failure' }));
    expect(found).toContainEqual(expect.objectContaining({ service: 'appointments', outcome: 'success' }));
  });
});

const api = () => restApi(app.url);
const patient = async () => authenticated(await api().registerPatient(aPatient({ phone: '+1 555 0199' })));
const doctor = async () => registeredDoctor(await api().registerDoctor(aDoctor()));

const UNKNOWN = 'ffffffffffffffffffffffff';
const FORBIDDEN = ['FORBIDDEN', 'This action is unauthorized.'];

/** Every field of an account but the three that services may read, also fields that are added later. */
const PRIVATE_FIELDS = Object.values(
  (buildSchema(SCHEMA).getType('Account') as GraphQLObjectType).getFields(),
)
  .filter(({ name }) => !['id', 'name', 'role'].includes(name))
  .map(({ name, type }) => (isLeafType(getNamedType(type)) ? name : `${name} { __typename }`));

describe('a service', () => {
  test.each([
    ['in its own header', asService()],
    ['in Authorization', basic(APPOINTMENTS.id, APPOINTMENTS.secret)],
  ])('reads id, name and role with its credentials %s', async (_case, headers) => {
    const [pat, doc] = [await patient(), await doctor()];
    const ids = [doc.account.id, UNKNOWN, pat.account.id, doc.account.id];
    const shown = { id: doc.account.id, name: doc.account.name, role: 'DOCTOR' };
    expect(await entities(app.url, ids, headers)).toEqual({
      data: {
        _entities: [shown, null, { id: pat.account.id, name: pat.account.name, role: 'PATIENT' }, shown],
      },
    });
  });

  test('reads the role of a reviewer', async () => {
    const { account } = await patient();
    const accounts = app.database.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: String(account.id) }, { $set: { role: 'reviewer' } });
    const { data } = await entities(app.url, [account.id]);
    expect(data?._entities).toEqual([{ id: account.id, name: account.name, role: 'REVIEWER' }]);
  });

  test.each(PRIVATE_FIELDS)('does not read %s', async (field) => {
    const { account } = await doctor();
    const body = await entities(app.url, [account.id], asService(), `id secret: ${field}`);
    expect(errorsIn(body)).toEqual([FORBIDDEN]);
    expect(body.data?._entities[0]?.secret ?? null).toBeNull();
  });

  test('still finds a disabled account, but none that cannot be shown', async () => {
    const [disabled, broken] = [await patient(), await patient()];
    const accounts = app.database.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: String(disabled.account.id) }, { $set: { disabledAt: new Date() } });
    await accounts.updateOne({ _id: String(broken.account.id) }, { $set: { role: 'admin' } });
    const shown = expect.objectContaining({ name: disabled.account.name });
    const body = await entities(app.url, [disabled.account.id, broken.account.id]);
    expect(body).toEqual({ data: { _entities: [shown, null] } });
  });

  test('can send the numbers of ID_FORMAT=integer as numbers and as texts', async () => {
    const { account, token } = authenticated(await restApi(numbered.url).registerPatient(aPatient()));
    const id = Number(account.id);
    for (const headers of [asService(), { ...asService(), ...bearer(token) }]) {
      const { data } = await entities(numbered.url, [id, String(id), id + 1], headers, 'id');
      expect(data?._entities).toEqual([{ id: String(id) }, { id: String(id) }, null]);
    }
  });

  test('is in the log, with the operation and without its secret', async () => {
    const http = await askEntities(app.url, []);
    expect(jsonOf(http)).toEqual({ data: { _entities: [] } });
    const id = http.headers.get('x-request-id') ?? '';
    const lineOf = () => app.log.find((line) => line.includes(id));
    await eventually(() => expect(lineOf()).toBeDefined());
    expect(JSON.parse(lineOf() ?? '')).toMatchObject({
      channel: 'graphql',
      operation: '_entities',
      service: 'appointments',
    });
    const log = app.log.join('');
    expect(log).not.toContain(APPOINTMENTS.secret);
    expect(log).not.toContain(asService()['X-Service-Authorization']);
  });

  test('with a wrong secret gets nothing, not even for a caller with a token', async () => {
    const { account, token } = await patient();
    const wrong = asService('wrong-secret-of-thirty-two-characters');
    const body = await entities(app.url, [account.id], { ...wrong, ...bearer(token) });
    expect(body.data ?? null).toBeNull();
    expect(errorsIn(body)).toEqual([['UNAUTHENTICATED', 'Unknown service or wrong secret.']]);
  });

  test.each(['', 'Basic', 'Bearer x', APPOINTMENTS.secret, `Basic ${APPOINTMENTS.secret}`])(
    'with credentials of the form %j gets a clear error',
    async (credentials) => {
      const body = await entities(app.url, [UNKNOWN], { 'X-Service-Authorization': credentials });
      expect(errorsIn(body)).toEqual([['UNAUTHENTICATED', 'Unknown service or wrong secret.']]);
    },
  );

  test('with wrong credentials can still send an operation that needs none', async () => {
    const { account, token } = await patient();
    const headers = { ...bearer(token), ...asService('wrong') };
    const http = await sendJson(`${app.url}/graphql`, { query: '{ me { id } }' }, headers);
    expect(jsonOf(http)).toEqual({ data: { me: { id: account.id } } });
  });
});

describe('a caller', () => {
  const ALL = 'id name email phone role createdAt profile { licenseNumber }';

  test('reads the own account with all its fields, with and without a service', async () => {
    const { account, token } = await doctor();
    const me = jsonOf<{ data: { me: object } }>(
      await sendJson(`${app.url}/graphql`, { query: `{ me { ${ALL} } }` }, bearer(token)),
    ).data.me;
    for (const headers of [bearer(token), { ...bearer(token), ...asService() }]) {
      const body = await entities(app.url, [account.id], headers, ALL);
      expect(body).toEqual({ data: { _entities: [me] } });
    }
  });

  test('reads only id, name and role of others, through a service', async () => {
    const [own, other] = [await doctor(), await patient()];
    const headers = { ...bearer(own.token), ...asService() };
    const ids = [own.account.id, other.account.id];
    expect((await entities(app.url, ids, headers)).data?._entities).toMatchObject([
      { name: own.account.name },
      { name: other.account.name },
    ]);
    const body = await entities(app.url, ids, headers, 'email');
    expect(body.data).toEqual({ _entities: [{ email: own.account.email }, null] });
    expect(errorsIn(body)).toEqual([FORBIDDEN]);
  });

  test('reads nothing of others without a service, and cannot tell whether they exist', async () => {
    const [own, other] = [await patient(), await patient()];
    for (const fields of ['id', 'id name role', 'email', '__typename']) {
      const ask = (id: unknown) => askEntities(app.url, [reference(id)], bearer(own.token), fields);
      const [existing, unknown] = [await ask(other.account.id), await ask(UNKNOWN)];
      expect(comparable(existing)).toEqual(comparable(unknown));
      expect(errorsIn(jsonOf(existing))).toEqual([FORBIDDEN]);
    }
  });

  test('without a valid token gets nothing, and cannot tell whether an account exists', async () => {
    const { account, token } = await patient();
    for (const headers of [{}, bearer(`${token}x`), bearer('1|x'), { Authorization: 'Basic eDp5Og' }]) {
      const ask = (id: unknown) => askEntities(app.url, [reference(id)], headers);
      const [existing, unknown] = [await ask(account.id), await ask(UNKNOWN)];
      expect(comparable(existing)).toEqual(comparable(unknown));
      expect(jsonOf(existing)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    }
  });

  test('gets no field of another account by aliases, fragments, or beside the own account', async () => {
    const [own, other] = [await doctor(), await doctor()];
    const query = `query ($own: [_Any!]!, $other: [_Any!]!, $both: [_Any!]!) {
      me { ...A }
      _entities(representations: $both) { ...E }
      a: _entities(representations: $other) { ... { ...E } ... on Account { email: name name: email } }
      b: _entities(representations: $own) { ...E }
      c: _entities(representations: [{ __typename: "Account", id: "${other.account.id}", email: "x" }]) { ...E }
    }
    fragment A on Account { id e: email p: phone c: createdAt d: profile { licenseNumber licenseFileUrl } }
    fragment E on _Entity { ... on Account { ...A } }`;
    const variables = {
      own: [reference(own.account.id)],
      other: [reference(other.account.id)],
      both: [reference(own.account.id), reference(other.account.id)],
    };
    // Two selections of one name that differ cannot be merged, so the document without them is sent, too.
    const merged = query.replace('... on Account { email: name name: email }', '');
    for (const document of [query, merged]) {
      for (const headers of [bearer(own.token), { ...bearer(own.token), ...asService() }, asService()]) {
        const http = await sendJson(`${app.url}/graphql`, { query: document, variables }, headers);
        expect(http.text).not.toContain(other.account.email);
        expect(http.text).not.toContain(other.profile.licenseFileUrl);
      }
    }
  });
});

test('the audit trail has who asked for other accounts without a service, once for an operation', async () => {
  const [pat, other] = [await patient(), await patient()];
  const accountId = String(pat.account.id);
  const refused = () => trailOf(app, { act: 'reading', accountId });
  // Otherwise it is summed up with the refusals of other tests.
  await afterSums();
  await entities(app.url, [pat.account.id], bearer(pat.token));
  await entities(app.url, [other.account.id, UNKNOWN, pat.account.id], bearer(pat.token));
  await eventually(async () =>
    expect(await refused()).toMatchObject([
      { outcome: 'failure', reason: 'other accounts', door: 'graphql', count: null },
    ]),
  );
});
