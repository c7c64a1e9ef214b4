import { LoginDocument } from '../../packages/client/src/generated/graphql.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { type GraphqlBody, graphqlApi } from '../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../support/http.ts';
import { aDoctor, aPatient, type Fields, freshPassword } from '../support/people.ts';
import { rememberPassword } from '../support/response-record.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, builtIns, leavesNothing } from './support/harmless.ts';

// docs/decisions.md, "Hazards": graphql-js quotes rejected values in its texts, TypeGraphQL in its extensions, and the
// value may be a password. With introspection on the texts are at their longest.
const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on' });
const untouched = builtIns();
/** It stands where a password would, so that no answer may have it. */
const secret = freshPassword();
const secretName = secret.replaceAll('-', '_');
rememberPassword(secret);
rememberPassword(secretName);

afterEach(() => expect(builtIns()).toEqual(untouched));

const ask = (body: unknown) => answered(() => sendJson(`${app.url}/graphql`, body));
/** Checks that a request is refused, and makes nothing. */
async function expectRefused(body: unknown): Promise<void> {
  await leavesNothing(app, async () => {
    const { data, errors } = jsonOf<GraphqlBody<object>>(await ask(body));
    expect(data ?? null).toBeNull();
    expect(errors).toEqual(expect.arrayContaining([expect.any(Object)]));
  });
}

const query = String(LoginDocument);
const email = 'nobody@example.org';

describe('variables', () => {
  const WRONG: unknown[] = [
    ...[null, 0, 1, -0, true, false, '', secret, '{}', [], [secret], [[]], [{}], {}],
    ...[null, 0, true, '', secret, [], [secret], [[{}]], {}, { [secret]: secret }, { input: {} }].map(
      (input) => ({ input }),
    ),
    ...[null, 0, true, [], [secret], [[secret]], {}, { $ne: secret }, { length: 1 }].map((password) => ({
      input: { email, password },
    })),
    ...[{ 'a b': secret }, { $where: secret }, { 'at "x"; ': secret }, { '': secret }, { input: secret }].map(
      (extra) => ({
        input: { email, password: secret, ...extra },
      }),
    ),
    { INPUT: { email, password: secret } },
    { $input: { email, password: secret } },
    { 'input.email': email, 'input.password': secret },
    { Input: { email, password: secret }, input: undefined },
    { input: { Email: email, Password: secret } },
    { input: { input: { email, password: secret } } },
    { input: { password: secret } },
    { input: { email: null, password: secret } },
    { input: { email: 5, password: secret } },
    { input: { email: { $gt: secret }, password: secret } },
    { input: { email: { toString: secret }, password: { toJSON: secret } } },
    { input: { email: 'Field "x" is not defined by type "y".', password: [secret] } },
    {
      input: { email: [secret, '"; Expected non-nullable type "String!" not to be null.'], password: secret },
    },
  ];

  test.each(WRONG.map((variables) => [variables]))(
    'the GraphQL API refuses the variables %.60j without repeating them',
    async (variables) => {
      await expectRefused({ query, variables });
    },
  );

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'variables with the key %s at any level replace no other variable',
    async (key) => {
      const input = JSON.stringify({ email, password: secret });
      const documents = [
        `{"${key}":{"input":${input}}}`,
        `{"input":{"${key}":${input}}}`,
        `{"input":{"${key}":${input},"email":"${email}"}}`,
        `{"input":{"email":{"${key}":${input}},"password":"${secret}"}}`,
      ];
      for (const variables of documents) {
        await expectRefused(`{"query":${JSON.stringify(query)},"variables":${variables}}`);
      }
    },
  );
});

describe('what is not the document', () => {
  test.each<[name: string, body: unknown]>([
    ...[0, true, null, [], {}, ['{ __typename }'], { $gt: '' }, [[]]].map((junk): [string, unknown] => [
      `query ${JSON.stringify(junk)}`,
      { query: junk },
    ]),
    ...[0, true, [], {}, 'x', '\0', '__proto__', 'constructor', ' a', 'A', '\ud800', 'x'.repeat(50_000)].map(
      (junk): [string, unknown] => [
        `operation name ${JSON.stringify(junk).slice(0, 30)}`,
        { query: 'query a { __typename } query b { __typename }', operationName: junk },
      ],
    ),
    ...[0, true, [], 'x', '{}'].map((junk): [string, unknown] => [
      `extensions ${JSON.stringify(junk)}`,
      { query: '{ __typename }', extensions: junk },
    ]),
    ['a batch', [{ query: '{ __typename }' }]],
    ['a batch of one hundred', Array.from({ length: 100 }, () => ({ query: '{ __typename }' }))],
    [
      'a query of another name',
      { Query: '{ __typename }', queries: ['{ __typename }'], doc: '{ __typename }' },
    ],
    ['an id of a stored document', { id: 'login', documentId: 'x', variables: {} }],
  ])('the GraphQL API refuses a body with %s', async (_name, body) => {
    await expectRefused(body);
  });

  test('the GraphQL API ignores unknown extensions', async () => {
    for (const extensions of [null, {}, { a: { $gt: '' } }, { tracing: true, constructor: 1 }]) {
      expect(jsonOf(await ask({ query: '{ __typename }', extensions }))).toEqual({
        data: { __typename: 'Query' },
      });
    }
  });
});

const login = (password: string) =>
  `mutation { login(input: { email: "${email}", password: ${password} }) { token } }`;

describe('a document', () => {
  test.each<[name: string, document: string]>([
    ['of a lone string', `"${secret}"`],
    ['that ends in a string', login(`"${secret}`)],
    ['that ends in a block string', login(`"""${secret}`)],
    ['with a list for a text', login(`["${secret}"]`)],
    ['with an object for a text', login(`{ x: "${secret}" }`)],
    ['with a name for a text', login(secretName)],
    ['with a stray name', `mutation { login(input: { email: "x" password: "x" }) ${secretName}! { token } }`],
    ['with an unknown field', `mutation { login(input: { email: "x", passwort: "${secret}" }) { token } }`],
    ['without an e-mail', `mutation { login(input: { password: "${secret}" }) { token } }`],
    ['without a colon', `mutation { login(input: { email: "x", password "${secret}" }) { token } }`],
    ['with a list for an id', `mutation { revokeToken(id: ["${secret}"]) }`],
    ['with a text for a file', `mutation { registerDoctor(input: { licenseFile: "${secret}" }) { token } }`],
    ['with a number for a text', login('1e999')],
    ['with a text for an input', `mutation { login(input: "${secret}") { token } }`],
    ['with two texts', login(`"${secret}" "${secret}"`)],
    ['with a bad escape', login(`"\\q${secret}"`)],
    ['with a bad escape of Unicode', login(`"\\u{${secret}}"`)],
    ['with an escaped half of a surrogate pair', login(`"\\ud800${secret}"`)],
    ['with a raw half of a surrogate pair', login(`"\ud800${secret}"`)],
    ['with a raw line break in a text', login(`"${secret}\n"`)],
    ['with a field twice', login(`"${secret}", password: "${secret}"`)],
    [
      'with a default of the wrong type',
      `query ($x: LoginInput = { password: ["${secret}"] }) { me(x: $x) { id } }`,
    ],
    ['with a directive of the wrong type', `{ __typename @skip(if: "${secret}") }`],
    ['with a letter beyond ASCII in a name', '{ mé }'],
    ['with a fullwidth brace', '｛ __typename ｝'],
    ['with a Cyrillic name', '{ mе { id } }'],
    ['with a zero-width space', '{ m\u200be { id } }'],
    ['with an emoji', '{ 😀 }'],
    ['with a NUL', '{ __typename \0 }'],
    ['with a comment that never ends', `# ${secret}`],
    ['of blanks', ' \t\r\n,,,'],
    ['with an unknown directive', '{ __typename @__proto__ @constructor(a: 1) }'],
    ['with a field of the prototype', '{ __proto__ constructor toString hasOwnProperty }'],
    ['with a type of the prototype', '{ ... on constructor { id } ...toString }'],
    ['with two operations and no name', 'query a { __typename } query b { __typename }'],
    ['of types', 'type Query { me: Int } extend type Mutation { x: Int }'],
    ['of 15,000 selections in each other', `${'{a'.repeat(15_000)}${'}'.repeat(15_000)}`],
    ['of 40,000 lists in each other', login(`${'['.repeat(40_000)}${']'.repeat(40_000)}`)],
    ['of 15,000 objects in each other', login(`${'{a:'.repeat(15_000)}1${'}'.repeat(15_000)}`)],
    ['of 40,000 lists in a type', `query($a: ${'['.repeat(40_000)}Int${']'.repeat(40_000)}) { __typename }`],
    ['beyond the limit', `{ __typename } # ${'x'.repeat(110_000)}`],
  ])(
    'the GraphQL API refuses a document with little work and repeats none of it: %s',
    async (_name, document) => {
      await expectRefused({ query: document });
    },
  );

  test('a document may have a byte order mark, comments, commas and block strings', async () => {
    const documents = [
      '\ufeff{ __typename }',
      '# a comment\r{ __typename }',
      ',,{,__typename,},',
      '{__typename}#',
    ];
    for (const document of documents) {
      expect(jsonOf(await ask({ query: document }))).toEqual({ data: { __typename: 'Query' } });
    }
    expect(jsonOf(await ask({ query: login(`"""${secret}"""`) }))).toMatchObject({ data: null });
  });
});

const LONG = `${secret}${'x'.repeat(72)}`;
test.each<[refused: string, fields: Fields]>([
  ['texts', { name: '', email: `${secret} is no e-mail`, phone: secret.repeat(20), password: LONG }],
  ['a password with a NUL', { password: `${secret}\0` }],
  ['a list as a password', { password: [secret] }],
  ['a text as a document', { licenseFile: secret }],
  ['an object as a document', { diplomaFile: { secret } }],
  ['an object as a name', { name: { secret } }],
  ['an unknown field', { role: secret }],
])('the refusal of a doctor with %s repeats none of it', async (_what, fields) => {
  refused(await graphqlApi(app.url).registerDoctor({ ...aDoctor(), ...fields }), 'validation');
});

test.each([
  'query=',
  'query={__typename}&query={__typename}',
  'query[]={__typename}',
  'query=%zz',
  'query={__typename}&variables=x',
  'query={__typename}&variables=%22x%22',
  'query={__typename}&extensions=x',
  'query={__typename}&operationName=x',
  '',
  '__proto__[query]={__typename}',
])('the GraphQL API refuses the query string ?%s', async (search) => {
  const headers = { 'Apollo-Require-Preflight': 'x' };
  const response = await answered(() => send(`${app.url}/graphql?${search}`, { headers }));
  const { data, errors } = jsonOf<{ data?: unknown; errors: unknown[] }>(response);
  expect(data).toBeUndefined();
  expect(errors.length).toBeGreaterThan(0);
});

// The last test of the file: it runs after all hostile requests.
test('both doors still work after all hostile requests', async () => {
  authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
});
