import { getIntrospectionQuery } from 'graphql';
import { busyBelow } from '../../support/busy.ts';
import { type GraphqlBody, sendAsForm } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { useTestApp } from '../../support/test-app.ts';

// With introspection on there are types that contain themselves: without, nothing in the schema could be deep.
const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on' });
const BUSY_MILLIS = 1000;

const ask = (query: string) => sendJson(`${app.url}/graphql`, { query });

const errorsOf = (response: HttpResponse) => jsonOf<GraphqlBody<object>>(response).errors ?? [];

/** Checks that a document is refused as over a limit. */
async function expectOverLimit(query: string, message: string, code = 'GRAPHQL_VALIDATION_FAILED') {
  const response = await busyBelow(BUSY_MILLIS, () => ask(query));
  expect(response.status).toBe(400);
  expect(errorsOf(response)[0]).toMatchObject({ message, extensions: { code } });
}

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

/** Fragments each of which spreads the next one twice: 2^levels times what the last one has. */
const bomb = (levels: number, type: string, last: string) =>
  `${times(levels, (level) => `fragment F${level} on ${type} { ...F${level + 1} ...F${level + 1} }`)}
   fragment F${levels} on ${type} { ${last} }`;

const nested = (levels: number) =>
  `{ __type(name: "Query") ${'{ ofType '.repeat(levels - 1)} { name } ${'}'.repeat(levels - 1)} }`;

const TOO_DEEP = 'An operation must not be deeper than 10 levels.';
const TOO_MANY_ALIASES = 'An operation must not have more than 15 aliases.';
const TOO_MANY_DIRECTIVES = 'An operation must not have more than 20 directives.';
const TOO_MANY_ROOT_FIELDS = 'An operation must not have more than 10 root fields.';
const TOO_MANY_TOKENS = 'The document must not have more than 1000 tokens.';
const TOO_MANY_SELECTIONS =
  'An operation must not select more than 1000 fields, with those of its fragments.';

const alias = (index: number) => `a${index}: kind`;
const field = (name: string) => (index: number) => `${name} @skip(if: ${index % 2 === 0})`;
const inType = (selections: string) => `{ __type(name: "Query") { ${selections} } }`;

describe('variables', () => {
  const query = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
  const TOO_MANY_KEYS = 'The variables must not have more than 50 keys and items.';
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, '']));
  const form = (operations: string) => sendAsForm(app.url, operations);

  test.each<[what: string, variables: object]>([
    ['in the input', { input: keys(51) }],
    ['beside the input', { input: {}, ...keys(50) }],
    ['in objects in each other', { input: { a: { b: keys(25) }, c: { d: keys(25) } } }],
    ['in a list', { input: { email: Array.from({ length: 50 }, () => '') } }],
    ['in lists in each other', { input: [keys(20), [keys(20), [keys(20)]]] }],
    ['by the thousand', { input: keys(4_000) }],
  ])(
    'the GraphQL API refuses variables of more than 50 keys %s, as JSON and as a form',
    async (_what, variables) => {
      for (const send of [
        () => sendJson(`${app.url}/graphql`, { query, variables }),
        () => form(JSON.stringify({ query, variables })),
      ]) {
        const response = await send();
        expect(response.status).toBe(400);
        expect(errorsOf(response)).toMatchObject([
          { message: TOO_MANY_KEYS, extensions: { code: 'BAD_USER_INPUT' } },
        ]);
      }
    },
  );

  test('the GraphQL API validates variables with 50 keys', async () => {
    const response = await sendJson(`${app.url}/graphql`, { query, variables: { input: keys(49) } });
    expect(errorsOf(response)).toMatchObject([{ extensions: { errors: { email: expect.any(Array) } } }]);
  });

  test('variables may be as large as a JSON body, as JSON and as a form', async () => {
    const operationOf = (bytes: number) => {
      const operation = JSON.stringify({ query, variables: { input: { email: 'x', password: '' } } });
      return operation.replace('"password":""', `"password":"${'x'.repeat(bytes - operation.length)}"`);
    };
    const LIMIT_BYTES = 102_400;
    for (const send of [(text: string) => sendJson(`${app.url}/graphql`, text), form]) {
      const [largest, larger] = [
        await send(operationOf(LIMIT_BYTES)),
        await send(operationOf(LIMIT_BYTES + 1)),
      ];
      expect(errorsOf(largest)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      expect(larger.status).toBe(413);
      expect(errorsOf(larger)).toMatchObject([
        { message: 'The POST data is too large.', extensions: { code: 'PAYLOAD_TOO_LARGE' } },
      ]);
    }
  });
});

describe('requests within every limit', () => {
  test('the limits allow the standard introspection query with all options', async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const response = await ask(query);
    expect(response.status).toBe(200);
    expect(errorsOf(response)).toEqual([]);
  });

  test.each([
    ['levels', nested(9)],
    ['aliases', inType(times(15, alias))],
    ['aliases of __typename', inType(times(15, (index) => `a${index}: __typename`))],
    ['directives', inType(times(20, field('name')))],
    ['root fields', `{ ${times(10, () => '__typename')} }`],
    ['root fields in fragments', `{ ...F0 ...F0 } ${bomb(2, 'Query', '__typename')}`],
  ])('the limits allow %s', async (_case, query) => {
    expect(errorsOf(await ask(query))).toEqual([]);
  });
});

describe('documents over a limit', () => {
  test.each([
    ['levels', nested(10), TOO_DEEP],
    [
      'levels in a fragment',
      `{ __type(name: "Query") { ...F } } fragment F on __Type ${nestedFragment(9)}`,
      TOO_DEEP,
    ],
    ['aliases', inType(times(16, alias)), TOO_MANY_ALIASES],
    ['aliases of __typename', inType(times(16, (index) => `a${index}: __typename`)), TOO_MANY_ALIASES],
    ['aliases in a fragment', `${inType('...F0')} ${bomb(4, '__Type', 'a: kind')} `, undefined],
    ['directives', inType(times(21, field('name'))), TOO_MANY_DIRECTIVES],
    ['root fields', `{ ${times(11, () => '__typename')} }`, TOO_MANY_ROOT_FIELDS],
    ['root fields in fragments', `{ ...F0 } ${bomb(4, 'Query', '__typename')}`, TOO_MANY_ROOT_FIELDS],
  ])('the GraphQL API refuses a document with too many %s', async (_case, query, message) => {
    await expectOverLimit(query, message ?? TOO_MANY_ALIASES);
  });

  test('the GraphQL API refuses a document with too many lines', async () => {
    const query = `${'\n'.repeat(1000)}{ ${times(11, (index) => `unknown${index}`)} }`;
    await expectOverLimit(query, 'The document must not have more than 1000 lines.');
    const byGet = await send(`${app.url}/graphql?query=${encodeURIComponent(query)}`);
    expect(byGet.status).toBe(400);
    // Node.js' own parser of a query reads only the first thousand parameters.
    const afterOthers = `${'\n'.repeat(1000)}{ __typename }`;
    const late = await send(
      `${app.url}/graphql?${'a&'.repeat(1000)}query=${encodeURIComponent(afterOthers)}`,
    );
    expect(late.status).toBe(400);
    expect(errorsOf(await ask(`${'\r\n'.repeat(999)}{ __typename }`))).toEqual([]);
  });
});

/** A fragment's selection set of so many levels. */
function nestedFragment(levels: number): string {
  return `${'{ ofType '.repeat(levels)} { name } ${'}'.repeat(levels)}`;
}

describe('documents that would keep the server busy', () => {
  test.each([
    ['ten thousand fields to be merged in pairs', `{ ${times(10_000, () => 'me{id}')} }`],
    ['a thousand directives', `{ __typename ${times(1000, () => '@skip(if: false)')} }`],
    ['ten thousand levels', '{ me '.repeat(10_000)],
    ['ten thousand nested lists', `{ __type(name: ${'['.repeat(10_000)}`],
    ['a thousand fragments', times(1000, (index) => `fragment F${index} on Query { __typename }`)],
    ['a thousand variables', `query (${times(1000, (index) => `$v${index}: Int`)}) { __typename }`],
  ])('the GraphQL API refuses %s with little work', async (_case, query) => {
    await expectOverLimit(query, TOO_MANY_TOKENS, 'GRAPHQL_PARSE_FAILED');
  });

  test.each([
    ['one', 40, 'Query', '{ ...F0 }'],
    ['one in a field', 40, '__Type', inType('...F0')],
    ['one as large as it may be', 80, 'Query', '{ ...F0 }'],
  ])('the GraphQL API refuses nested fragments that multiply: %s', async (_case, levels, type, operation) => {
    await expectOverLimit(`${operation} ${bomb(levels, type, '__typename')}`, TOO_MANY_SELECTIONS);
  });

  test.each([
    ['that spreads itself', '{ ...F } fragment F on Query { ...F __typename }'],
    [
      'that spreads another which spreads it',
      '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }',
    ],
    [
      'of which each spreads all',
      `{ ...F0 } ${times(12, (one) => `fragment F${one} on Query { ${times(12, (other) => `...F${other}`)} }`)}`,
    ],
    ['that is not there', '{ ...F }'],
  ])('the GraphQL API refuses a fragment %s', async (_case, query) => {
    const response = await busyBelow(BUSY_MILLIS, () => ask(query));
    expect(errorsOf(response)[0]?.extensions?.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('the GraphQL API limits the size of many errors that quote a long name', async () => {
    const name = 'x'.repeat(255);
    const query = `query ${name} { ${times(100, (index) => `__typename @skip(if: $v${index})`)} }`;
    const response = await ask(query);
    expect(errorsOf(response)).toHaveLength(11);
    expect(response.text.length).toBeLessThan(11 * query.length);
  });
});
