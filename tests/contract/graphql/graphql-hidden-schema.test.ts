import { type GraphqlBody, type GraphqlError } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { useTestApp } from '../../support/test-app.ts';

// In production the app listens on every interface; a test does not.
const PRODUCTION = { NODE_ENV: 'production', HOST: '127.0.0.1', BASE_URL: 'http://gateway.example' };
const hidden = useTestApp(PRODUCTION);
const shown = useTestApp({ ...PRODUCTION, GRAPHQL_INTROSPECTION: 'on' });

async function errorsOf(url: string, body: object): Promise<GraphqlError[]> {
  const response = await sendJson(`${url}/graphql`, body);
  const { data, errors = [] } = jsonOf<GraphqlBody<object>>(response);
  expect(data ?? null).toBeNull();
  expect(errors).not.toHaveLength(0);
  return errors;
}

/** Documents that are nearly right, or right as far as they go: graphql-js's texts complete them. */
const GUESSES: [document: string, told: RegExp][] = [
  ['{ mee { id } }', /Did you mean "me"/],
  ['{ me }', /"Account!"/],
  ['{ me { emial } }', /Did you mean "email"/],
  ['{ me { profile } }', /"DoctorProfile"/],
  ['{ me { id { x } } }', /"ID!"/],
  ['{ me { ... on Acount { id } } }', /Did you mean "Account"/],
  ['{ me(id: 1) { id } }', /"Query.me"/],
  ['mutation { login { token } }', /"LoginInput!"/],
  ['mutation { login(input: {}) { token } }', /LoginInput\.email/],
  ['mutation { login(input: { emial: "x" }) { token } }', /Did you mean "email"/],
  ['mutation { login(inptu: 1) { token } }', /Did you mean "input"/],
  ['mutation { revokeToken }', /"ID!"/],
  ['mutation ($x: LoginInptu) { logout { message } }', /Did you mean "LoginInput"/],
  ['mutation ($x: String) { login(input: $x) { token } }', /"LoginInput!"/],
  ['{ me { id @inclode(if: true) } }', /@inclode/],
];

test.each(GUESSES)('the error of %s suggests a name only if introspection is on', async (query, told) => {
  const texts = (await errorsOf(shown.url, { query })).map(({ message }) => message);
  expect(texts.join('\n')).toMatch(told);
  for (const { message, extensions } of await errorsOf(hidden.url, { query })) {
    expect(message).toBe('The document does not fit the schema.');
    expect(extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
  }
});

test('an error still contains its location in the document', async () => {
  const errors = await errorsOf(hidden.url, { query: '{\n  mee { id }\n}' });
  expect(errors).toMatchObject([{ locations: [{ line: 2, column: 3 }] }]);
});

test.each([
  '{ __schema { queryType { name } } }',
  '{ a: __schema { types { name } } }',
  '{ __type(name: "Query") { name } }',
  'query A { ...F } fragment F on Query { ... { __type(name: "Query") { name } } }',
  'mutation { __typename } query B { __schema { description } }',
])('the gateway refuses introspection in %s with its own message', async (query) => {
  const errors = await errorsOf(hidden.url, { query, operationName: undefined });
  expect(errors.map(({ message }) => message)).toContain('Introspection is off.');
  expect(JSON.stringify(errors)).not.toMatch(/apollo/i);
});

/** Names of the schema that the requests below do not contain. */
const NAMES =
  /LoginInput|RegisterPatientInput|String|Boolean|\bID\b|Upload|"(email|password|name|phone)"|[Dd]id you mean|[Aa]pollo/;

/** All texts of graphql-js about a value that does not fit, for variables and for arguments. */
test.each<[query: string, variables: object]>([
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', {}],
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', { i: null }],
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', { i: {} }],
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', { i: 'x' }],
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', { i: { emial: 'x' } }],
  ['mutation ($i: LoginInput!) { login(input: $i) { token } }', { i: { email: 'a@b.c', passwort: 'x' } }],
  ['mutation ($i: RegisterPatientInput!) { registerPatient(input: $i) { token } }', { i: { nam: 'x' } }],
  ['mutation ($e: String!) { login(input: { email: $e, password: "x" }) { token } }', {}],
  ['mutation ($i: ID!) { revokeToken(id: $i) }', {}],
  ['mutation ($i: ID!) { revokeToken(id: $i) }', { i: null }],
  ['mutation ($i: ID!) { revokeToken(id: $i) }', { i: ['x'] }],
  ['mutation ($i: ID = "x") { revokeToken(id: $i) }', { i: null }],
  ['query ($i: Boolean!) { __typename @include(if: $i) }', { i: 'x' }],
  ['query ($i: Boolean = true) { __typename @include(if: $i) }', { i: null }],
  ['query ($i: Boolean = true) { me { id @include(if: $i) } }', { i: null }],
])('the error of %s with %j contains no name of the schema', async (query, variables) => {
  for (const { message, extensions } of await errorsOf(hidden.url, { query, variables })) {
    expect(message).not.toMatch(NAMES);
    expect(extensions?.code).toMatch(/BAD_USER_INPUT|UNAUTHENTICATED/);
  }
});

test('the error of an unknown operation does not list the known ones', async () => {
  const [error] = await errorsOf(hidden.url, { query: 'query Alpha { __typename }', operationName: 'Alpah' });
  expect(error?.message).not.toContain('Alpha');
});
