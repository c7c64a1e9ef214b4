import { throughEachDoor } from '../../support/doors.ts';
import { expectInvalid } from '../../support/expectations.ts';
import { type GraphqlBody, graphqlDoor, PREFLIGHT } from '../../support/graphql-door.ts';
import { type HttpResponse, jsonOf, sendJson } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restDoor } from '../../support/rest-door.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on' });
const hidden = useTestApp({ GRAPHQL_INTROSPECTION: 'off' });

const required = (label: string) => [`The ${label} field is required.`];
const NO_TEXT = (label: string) => [`The ${label} field must be a string.`];
const BAD_EMAIL = ['The email field must be a valid email address.'];

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
const GENERIC = 'Variable "$input" is missing or of the wrong type.';

/** Expects one error whose map has exactly these texts in this order. */
function expectOneMap(http: HttpResponse, errors: Record<string, string[]>): void {
  const { data, errors: told = [] } = jsonOf<GraphqlBody<object>>(http);
  expect(http.status).toBe(200);
  expect(data ?? null).toBeNull();
  expect(told).toHaveLength(1);
  expect(told[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', errors });
  expect(Object.keys(told[0]?.extensions?.errors ?? {})).toEqual(Object.keys(errors));
}

/** Expects one error that names no field. */
function expectGeneric(http: HttpResponse, message = GENERIC): void {
  const { errors } = jsonOf<GraphqlBody<object>>(http);
  expect(errors).toMatchObject([{ message }]);
  expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
}

throughEachDoor((openDoor) => {
  const door = () => openDoor(app.url);

  test('one error reports the missing files, missing fields and bad e-mail of a doctor', async () => {
    const before = await inventoryOf(app);
    const sent = { name: undefined, phone: undefined, email: 'none', diplomaFile: undefined };
    expectInvalid(await door().registerDoctor(aDoctor({ ...sent, certificationFile: undefined })), {
      name: required('name'),
      email: BAD_EMAIL,
      phone: required('phone'),
      diplomaFile: required('diploma file'),
      certificationFile: required('certification file'),
    });
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('one error reports the missing fields, nulls, numbers and short password of a patient', async () => {
    const patient = aPatient({ name: null, email: 5, password: 'short', phone: ['1'] });
    expectInvalid(await door().registerPatient(patient), {
      name: required('name'),
      email: NO_TEXT('email'),
      phone: NO_TEXT('phone'),
      password: ['The password field must be at least 8 characters.'],
    });
  });

  test('one error reports the missing password and the bad e-mail of a login', async () => {
    expectInvalid(await door().login({ email: 'none', password: undefined }), {
      email: BAD_EMAIL,
      password: required('password'),
    });
  });
});

describe('the one error with the one map', () => {
  test('the error of a doctor lists the fields in the order of the REST API', async () => {
    const doctor = aDoctor({
      ...Object.fromEntries(Object.keys(aDoctor()).map((name) => [name, undefined])),
    });
    const rest = restDoor(app.url);
    const refusal = rest.doctorOutcome(await sendForm(app.url, rest.doctorRequest(doctor)));
    if (refusal.ok) {
      throw new Error('not refused');
    }
    expect(Object.keys(refusal.errors)).toHaveLength(9);
    const request = graphqlDoor(app.url).doctorRequest({ ...doctor, licenseFile: null });
    expectOneMap(await sendForm(app.url, request), refusal.errors);
  });

  test('the error of a doctor without a form is the same', async () => {
    const query = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
    const { licenseFile, diplomaFile, ...doctor } = aDoctor({ email: 'none', certificationFile: 'x' });
    const http = await sendJson(`${app.url}/graphql`, { query, variables: { input: doctor } });
    expectOneMap(http, {
      email: BAD_EMAIL,
      licenseFile: required('license file'),
      diplomaFile: required('diploma file'),
      certificationFile: ['The certification file field must be a file.'],
    });
  });

  test.each<[what: string, variables: unknown]>([
    ['none', undefined],
    ['null', { input: null }],
    ['a text', { input: 'x' }],
    ['a list', { input: [{ email: 'a@b.c', password: 'x' }] }],
    ['an empty object', { input: {} }],
    ['another one', { inputs: {} }],
  ])('one error reports all problems where the variable is %s', async (_what, variables) => {
    const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables });
    expectOneMap(http, { email: required('email'), password: required('password') });
  });

  test.each<[what: string, query: string, variables: object]>([
    ['a variable for each field', 'mutation ($e: String!, $p: String!) { ... }', { e: 'none' }],
    [
      'a null for a default',
      'mutation ($e: String = "a@b.c", $p: String = "x") { ... }',
      { e: 'none', p: null },
    ],
    ['a default', 'mutation ($e: String! = "none", $p: String!) { ... }', {}],
    [
      'a fragment',
      'mutation ($e: String!, $p: String!) { ...F } fragment F on Mutation { ... }',
      { e: 'none' },
    ],
    ['an inline fragment', 'mutation ($e: String!, $p: String!) { ... on Mutation { ... } }', { e: 'none' }],
  ])('one error reports all problems of a document with %s', async (_what, query, variables) => {
    const field = '{ login(input: { email: $e, password: $p }) { token } }';
    const http = await sendJson(`${app.url}/graphql`, { query: query.replace('{ ... }', field), variables });
    expectOneMap(http, { email: BAD_EMAIL, password: required('password') });
  });

  test('one error reports all problems of one of several operations', async () => {
    const query = `query Q { __typename } ${LOGIN.replace('mutation', 'mutation L')}`;
    const body = { query, operationName: 'L', variables: { input: {} } };
    const http = await sendJson(`${app.url}/graphql`, body);
    expectOneMap(http, { email: required('email'), password: required('password') });
    const other = await sendJson(`${app.url}/graphql`, { ...body, operationName: 'Q' });
    expect(jsonOf(other)).toEqual({ data: { __typename: 'Query' } });
  });

  test('the error has status 400 for clients that accept graphql-response+json', async () => {
    const Accept = 'application/graphql-response+json';
    const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input: {} } }, { Accept });
    expect(http.status).toBe(400);
    const email = required('email');
    expect(jsonOf(http)).toMatchObject({ errors: [{ extensions: { errors: { email } } }] });
  });
});

test('the error of an input that only the schema refuses has the text of the schema', async () => {
  const input = { email: freshEmail(), password: freshPassword(), remember: true };
  const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input } });
  expectGeneric(http, 'Field "remember" is not defined by type "LoginInput".');
});

describe('with introspection off', () => {
  const ask = (query: string, variables?: unknown) => sendJson(`${hidden.url}/graphql`, { query, variables });

  test('without introspection an error names only fields that were sent', async () => {
    expectOneMap(await ask(LOGIN, { input: { email: 'none' } }), { email: BAD_EMAIL });
    expectOneMap(await ask(LOGIN, { input: { password: null } }), { password: required('password') });
    const request = graphqlDoor(hidden.url).doctorRequest({ email: '', licenseFile: null, x: 1 });
    expectOneMap(await sendForm(hidden.url, request), {
      email: required('email'),
      licenseFile: required('license file'),
    });
  });

  test.each<[what: string, variables: unknown]>([
    ['nothing', undefined],
    ['null', { input: null }],
    ['a text', { input: 'email' }],
    ['a list', { input: ['email'] }],
    ['an empty object', { input: {} }],
    ['an unknown field', { input: { emial: 'x' } }],
    ['a field that all objects have', { input: { constructor: 'x', __proto__: 'x', toString: null } }],
    ['a good field and no other', { input: { email: freshEmail() } }],
    ['one field too many', { input: { email: freshEmail(), password: 'x', remember: true } }],
  ])('without introspection the error of %s names no other field', async (_what, variables) => {
    expectGeneric(await ask(LOGIN, variables));
  });

  test('without introspection the error of a form names no field that was not sent', async () => {
    const operation = { query: LOGIN, variables: { input: {} } };
    const form = new FormData();
    form.append('operations', JSON.stringify(operation));
    form.append('map', '{}');
    expectGeneric(await sendForm(hidden.url, { path: '/graphql', headers: { ...PREFLIGHT }, form }));
  });
});
