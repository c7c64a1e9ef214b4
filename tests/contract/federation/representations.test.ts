import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated } from '../../support/expectations.ts';
import { askEntities, asService, entities, errorsIn, reference, SUBGRAPH } from '../../support/federation.ts';
import type { GraphqlBody } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { watchCommands } from '../../support/watch-commands.ts';

const behind = useProxiedApp(SUBGRAPH);
const url = () => behind.app.url;

const patientId = async () => authenticated(await restApi(url()).registerPatient(aPatient())).account.id;
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

test('a hundred accounts are one query, and duplicates are asked for once', async () => {
  const [one, other] = [await patientId(), await patientId()];
  const queries = watchCommands(behind.proxy);
  const { data } = await entities(url(), [one, ...idsOf(97), other, one]);
  expect(data?._entities.map((entity) => entity?.id)).toEqual([
    one,
    ...Array(97).fill(undefined),
    other,
    one,
  ]);
  expect(queries.map(({ name }) => name)).toEqual(['find accounts']);
  expect(queries[0]?.bytes.toString('latin1').split(String(one))).toHaveLength(2);
});

describe('more than a hundred representations', () => {
  const MESSAGE = 'An operation must not have more than 100 representations.';
  const manyOf = (fields: number, ofEach: number) =>
    Array.from({ length: fields }, (_, index) => {
      const list = idsOf(ofEach).map((id) => `{__typename:"Account",id:"${id}"}`);
      return `f${index}: _entities(representations: [${list}]) { __typename }`;
    }).join(' ');

  test.each([
    ['in one variable', { query: 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }' }],
    [
      'in one variable of two fields',
      {
        query:
          'query ($r: [_Any!]!) { a: _entities(representations: $r) { __typename } b: _entities(representations: $r) { __typename } }',
        variables: { r: idsOf(51).map(reference) },
      },
    ],
    [
      'as a default',
      {
        query: `query ($r: [_Any!]! = [${idsOf(101).map((id) => `{__typename:"Account",id:"${id}"}`)}]) { _entities(representations: $r) { __typename } }`,
        variables: {},
      },
    ],
    ['in aliased fields', { query: `{ ${manyOf(3, 34)} }` }],
    ['in a fragment', { query: `{ ...F } fragment F on Query { ${manyOf(2, 51)} }` }],
  ])('%s are refused before any query', async (_case, body) => {
    const queries = watchCommands(behind.proxy);
    const sent = { variables: { r: idsOf(101).map(reference) }, ...body };
    const http = await sendJson(`${url()}/graphql`, sent, asService());
    expect(errorsIn(jsonOf<GraphqlBody<unknown>>(http))).toEqual([['BAD_USER_INPUT', MESSAGE]]);
    expect([http.status, queries]).toEqual([400, []]);
  });
});

describe('a variable of an input type, inside a representation', () => {
  // graphql-js would make 50 errors, and print the whole value in each of them: 0.15 s for one of 90 KB.
  const long = Object.fromEntries(idsOf(340).map((id) => [id.padEnd(250, 'x'), 1]));

  test.each(['LoginInput', 'RegisterDoctorInput!', '[RegisterPatientInput!]'])(
    '%s is refused before its value is read',
    async (type) => {
      const query = `query ($x: ${type}) { _entities(representations: [{__typename:"Account",id:"1",k:$x}]) { __typename } }`;
      const http = await sendJson(`${url()}/graphql`, { query, variables: { x: long } });
      expect(errorsIn(jsonOf<GraphqlBody<unknown>>(http))).toEqual([
        ['BAD_USER_INPUT', 'Variable "$x" is missing or of the wrong type.'],
      ]);
    },
  );

  test('other variables may be in a representation', async () => {
    const id = await patientId();
    const query =
      'query ($id: ID!) { _entities(representations: [{__typename:"Account",id:$id}]) { ... on Account { id } } }';
    const http = await sendJson(`${url()}/graphql`, { query, variables: { id } }, asService());
    expect(jsonOf(http)).toEqual({ data: { _entities: [{ id }] } });
  });
});

describe('a representation that refers to no account', () => {
  const HUGE = 'x'.repeat(95_000);
  const MESSAGE = 'Each representation must have the __typename of an entity and its id.';

  test.each<[string, unknown]>([
    ['of another type', { __typename: 'DoctorProfile', id: '1' }],
    ['of a type that is no entity', { __typename: 'Query', id: '1' }],
    ['of an unknown type', { __typename: 'Nothing', id: '1' }],
    ['of a type with an inherited name', { __typename: 'constructor', id: '1' }],
    ['of a type in a list', { __typename: ['Account'], id: '1' }],
    ['without a type', { id: '1' }],
    ['without an id', { __typename: 'Account' }],
    ['with an empty id', reference('')],
    ['with a null id', reference(null)],
    ['with an id that is true', reference(true)],
    ['with an id that is no whole number', reference(1.5)],
    ['with an id beyond the whole numbers', reference(1e300)],
    ['with an operator of the database', reference({ $gt: '' })],
    ['with a list of ids', reference(['1'])],
    ['with an id in its prototype', JSON.parse('{"__typename":"Account","__proto__":{"id":"1"}}')],
    ['with another key', { __typename: 'Account', email: 'pat@example.org' }],
    ['as a text', 'Account'],
    ['as a long text', HUGE],
    ['as a number', 1],
    ['as a list', [[reference('1')]]],
    ['as an object of prototype names', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
  ])('is refused %s, without its value and before any query', async (_case, representation) => {
    const queries = watchCommands(behind.proxy);
    const http = await askEntities(url(), [reference('1'), representation]);
    const body = jsonOf<GraphqlBody<unknown>>(http);
    expect([body.data ?? null, errorsIn(body)]).toEqual([null, [['BAD_USER_INPUT', MESSAGE]]]);
    expect(body.errors?.[0]?.extensions?.errors).toEqual({ representations: [MESSAGE] });
    expect([http.text.length < 1_000, queries]).toEqual([true, []]);
  });

  test.each([[null], [[null]], [undefined], [[[]]]])('is refused as %j', async (representations) => {
    const body = jsonOf<GraphqlBody<unknown>>(await askEntities(url(), representations));
    expect(errorsIn(body)).toEqual([['BAD_USER_INPUT', expect.any(String)]]);
  });

  test('is refused with more keys than any router sends', async () => {
    const many = Object.fromEntries(idsOf(400).map((id) => [id, id]));
    const body = jsonOf<GraphqlBody<unknown>>(await askEntities(url(), [{ ...reference('1'), many }]));
    expect(errorsIn(body)).toEqual([
      ['BAD_USER_INPUT', 'The variables must not have more than 350 keys and items.'],
    ]);
  });

  test('a mutation still has the smaller limit', async () => {
    const many = Object.fromEntries(idsOf(51).map((id) => [id, id]));
    const query = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
    const http = await sendJson(`${url()}/graphql`, { query, variables: { input: many } });
    expect(errorsIn(jsonOf<GraphqlBody<unknown>>(http))).toEqual([
      ['BAD_USER_INPUT', 'The variables must not have more than 50 keys and items.'],
    ]);
  });
});

test('ids that no account can have are null, and the long ones are not asked for', async () => {
  const strange = ['__proto__', 'constructor', 'toString', '\u0000', '\ud800', '$gt', '\u0301'.repeat(128)];
  expect((await entities(url(), strange)).data?._entities).toEqual(strange.map(() => null));
  const queries = watchCommands(behind.proxy);
  const { data } = await entities(url(), ['x'.repeat(95_000), 'y'.repeat(129)]);
  expect([data?._entities, queries]).toEqual([[null, null], []]);
});

test('a single representation is a list of one', async () => {
  const id = await patientId();
  const body = jsonOf<GraphqlBody<object>>(await askEntities(url(), reference(id), asService(), 'id'));
  expect(body.data).toEqual({ _entities: [{ id }] });
});
